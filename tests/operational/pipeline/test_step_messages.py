import pytest

from operational.pipeline.steps import messages as step
from tests.operational.pipeline.records import ask, failure, slugs

RECORDS = (
    failure(1, "fs", "Server module", "Module not found: Can't resolve 'fs'"),
    failure(2, "anything", "Any module", "Failed to compile {module} for the browser"),
    failure(
        3, "moved", "Use after move", "error[E0382]", source="https://ex.org/E0382"
    ),
    failure(4, "crash", "KubePodCrashLooping", "KubePodCrashLooping"),
    failure(
        5,
        "docs-only",
        "Page with no message",
        source="https://docs.tool.dev/errors/page-with-no-message",
    ),
)


def best(paste: str) -> tuple[str, int]:
    query = ask(paste, *RECORDS)
    found = sorted(step.find(query), key=lambda c: (-c.confidence, -c.support))
    top = [c for c in found if c.confidence >= 40][:1]
    return (slugs(query, top)[0], top[0].confidence) if top else ("", 0)


@pytest.mark.parametrize(
    ("paste", "slug"),
    [
        ("Module not found: Can't resolve 'fs'", "fs"),
        (
            "./a.js:1:0\nModule not found: Can't resolve 'fs' in '/app'\n at x.js:1",
            "fs",
        ),
        ("\x1b[31mMODULE NOT FOUND: cannot resolve `fs`\x1b[0m", "fs"),
        ("Failed to compile @acme/thing for the browser", "anything"),
        ("error[E0382]: use of moved value\n --> a.rs:1:1", "moved"),
        ('{"alertname": "KubePodCrashLooping", "severity": "warning"}', "crash"),
        ("boom, see https://errors.tool.dev/2.1/page-with-no-message", "docs-only"),
    ],
)
def test_a_recorded_message_is_certain(paste: str, slug: str) -> None:
    found, confidence = best(paste)
    assert found == slug
    assert confidence >= 92


@pytest.mark.parametrize(
    "paste",
    [
        "Module not found: Can't resolve 'path'",
        "error[E0383]: partial reinitialization",
        "KubePodNotReady",
    ],
)
def test_a_literal_that_differs_is_not_exact(paste: str) -> None:
    assert best(paste)[1] <= 80


def test_a_message_cut_in_the_middle_is_a_partial_match() -> None:
    slug, confidence = best("Module not found: Can't resol")
    assert slug == "fs"
    assert 40 <= confidence <= 80


def test_other_errors_find_nothing() -> None:
    for paste in (
        "upstream prematurely closed connection while reading response header",
        "fatal: repository 'x' does not exist",
        "ImportError: cannot import name 'a' from 'b'",
    ):
        assert best(paste) == ("", 0)


def test_a_message_of_two_records_decides_for_neither() -> None:
    twins = (
        failure(1, "one", "One", "the shared thing collapsed under load"),
        failure(2, "two", "Two", "the shared thing collapsed under load"),
    )
    found = step.find(ask("the shared thing collapsed under load", *twins))
    assert {c.confidence <= 80 for c in found} == {True}
    assert len(found) == 2
