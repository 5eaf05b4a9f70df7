from operational.pipeline.records import Record
from operational.pipeline.steps import patterns as step
from tests.operational.pipeline.records import ask, failure, slugs

PATTERN = Record(
    pk=1,
    type="pattern",
    slug="clock-drift",
    title="Clock drift",
    keywords=("wrong time", "token expired early"),
)
MEMBER = failure(2, "login-loop", "Login loops", pattern=1)


def test_a_pattern_comes_with_its_failures() -> None:
    for text in ("clock drift", "wrong time on host", "TOKEN expired, early"):
        query = ask(text, PATTERN, MEMBER)
        found = step.find(query)
        assert slugs(query, found) == ["clock-drift", "login-loop"]
        assert found[0].confidence == 70


def test_one_shared_word_of_several_is_too_little() -> None:
    assert step.find(ask("clock on kitchen wall stopped", PATTERN, MEMBER)) == []
