import pytest

from operational.pipeline.classify import QueryType, classify
from operational.pipeline.records import Record
from tests.operational.pipeline.records import ask, failure

KNOWN = (
    failure(
        1, "disk-full-on-build-host", "Disk full on build host", fix="Set maxLogSize"
    ),
    Record(
        pk=2,
        type="pattern",
        slug="clock-drift",
        title="Clock drift",
        keywords=("wrong time", "clock skew", "token expired early"),
    ),
)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("disk-full-on-build-host", QueryType.ENTITY),
        ("Disk full on build host!", QueryType.ENTITY),
        ("lesson: rotate logs", QueryType.ENTITY),
        ("rotate logs nightly", QueryType.ENTITY),
        ("works locally fails in production", QueryType.PATTERN),
        ("sometimes the page is empty", QueryType.PATTERN),
        ("deploy broke after the update", QueryType.PATTERN),
        ("permission denied", QueryType.PATTERN),
        ("clock skew", QueryType.PATTERN),
        ("foo is not defined", QueryType.SYMPTOM),
        ("Module not found: x", QueryType.SYMPTOM),
        ("cannot read property of null", QueryType.SYMPTOM),
        ("ECONNREFUSED 127.0.0.1:80", QueryType.SYMPTOM),
        ("502 bad gateway", QueryType.SYMPTOM),
        ("ERR_REQUIRE_ESM", QueryType.SYMPTOM),
        ("maxlogsize", QueryType.SYMPTOM),
        ("error at\nline two", QueryType.SYMPTOM),
    ],
)
def test_questions_are_told_apart(text: str, kind: QueryType) -> None:
    assert classify(ask(text, *KNOWN)) == kind
