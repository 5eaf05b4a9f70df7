"""The table of known cases, as given and written in other ways."""

from collections.abc import Callable

import pytest

from accounts.viewer import Viewer
from operational.service import OperationalQuery, operational_search

CASES = [
    (
        "edge-runtime-deployment-failure",
        "entity",
        "failure:edge-runtime-deployment-failure",
        (100, 100),
    ),
    (
        "env vars vercel",
        "entity",
        "failure:environment-variable-missing-production",
        (60, 91),
    ),
    (
        "vite github pages routing",
        "entity",
        "failure:vite-github-pages-spa-routing",
        (60, 91),
    ),
    (
        "works locally fails prod",
        "pattern",
        "pattern:runtime-environment-scope-drift",
        (70, 70),
    ),
    (
        "module boundary error",
        "pattern",
        "pattern:module-boundary-violations",
        (70, 70),
    ),
    (
        "dependency upgrade broke",
        "pattern",
        "pattern:dependency-default-changes",
        (70, 70),
    ),
    (
        "dns not resolving",
        "pattern",
        "pattern:infrastructure-timing-dependencies",
        (70, 70),
    ),
    (
        "crypto is not defined",
        "symptom",
        "failure:server-module-client-bundle",
        (92, 100),
    ),
    (
        "Module not found: Can't resolve 'fs'",
        "symptom",
        "failure:server-module-client-bundle",
        (92, 100),
    ),
    ("blockJS", "symptom", "failure:next-mdx-remote-v6-blockjs", (40, 75)),
    (
        "401 unauthorized WordPress",
        "symptom",
        "failure:wordpress-rest-api-auth-failure",
        (40, 100),
    ),
]

WRITTEN: dict[str, Callable[[str], str]] = {
    "as it stands": lambda text: text,
    "in capitals": str.upper,
    "in small letters": str.lower,
    "with wide spaces": lambda text: f"  {text.replace(' ', '   ')}\t",
    "with a full stop": lambda text: f"{text}.",
    "with a colon": lambda text: f"{text}:",
    "with exclamation marks": lambda text: f"{text}!!",
    "with a newline": lambda text: f"{text}\n",
    "with commas": lambda text: text.replace(" ", ", "),
    "with hyphens": lambda text: text.replace(" ", "-"),
    "in title case": str.title,
    "in double quotes": lambda text: text.replace("'fs'", '"fs"'),
    "with typographic marks": lambda text: text.replace("'", "’"),
    "without marks": lambda text: text.replace("'", "").replace(":", ""),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_known_cases_are_recognised_however_they_are_written(
    sample: int, reader: Viewer, written: str
) -> None:
    for query, kind, gives, (low, high) in CASES:
        asked = WRITTEN[written](query)
        answer = operational_search(OperationalQuery.of(asked), reader)
        assert answer.matched is not None, asked
        got = (asked, answer.query_type, answer.matched.id)
        assert got == (asked, kind, gives)
        assert low <= answer.confidence <= high, asked
        assert answer.confidence == answer.matched.confidence


@pytest.mark.parametrize("mark", ['"', "'", "`", "“”"])
def test_behaviour_in_quotation_marks_is_no_message(
    sample: int, reader: Viewer, mark: str
) -> None:
    for query, kind, gives, _ in CASES:
        if kind == "pattern":
            asked = f"{mark[0]}{query}{mark[-1]}"
            answer = operational_search(OperationalQuery.of(asked), reader)
            assert answer.matched is not None, asked
            got = (asked, answer.query_type, answer.matched.id, answer.confidence)
            assert got == (asked, kind, gives, 70)
