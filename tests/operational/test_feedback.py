from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from operational.domain.feedback import tell
from operational.domain.misses import forget_old, remember
from operational.domain.redaction import redacted
from operational.models import Failure, Feedback, MissedPaste
from operational.service import OperationalQuery, operational_search

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def failure(sample: int) -> Failure:
    return Failure.objects.get(entity__slug="certificate-before-dns-ready")


def test_feedback_counts_once_a_day_and_the_last_word_holds(
    failure: Failure, reader: Viewer
) -> None:
    for worked in (False, True):
        tell(reader, failure.pk, worked=worked, note="", now=NOW)
    failure.refresh_from_db()
    assert [each.worked for each in Feedback.objects.all()] == [True]
    assert (failure.instance_count, failure.last_occurrence) == (3, NOW.date())
    tell(reader, failure.pk, worked=True, note="", now=NOW + timedelta(days=1))
    assert Feedback.objects.count() == 2


def test_feedback_is_in_the_package(
    failure: Failure, reader: Viewer, editor: Viewer
) -> None:
    tell(reader, failure.pk, worked=True, note="", now=NOW)
    tell(editor, failure.pk, worked=False, note="", now=NOW)
    query = OperationalQuery.of("certificate-before-dns-ready")
    context = operational_search(query, reader).debug_context
    assert context is not None
    outcomes = context.fix_outcomes
    assert (outcomes.worked, outcomes.failed) == (1, 1)
    assert outcomes.last_at == NOW.isoformat()


def test_feedback_on_nothing_is_refused(sample: int, reader: Viewer) -> None:
    with pytest.raises(NotFound):
        tell(reader, 0, worked=True, note="", now=NOW)
    with pytest.raises(BadInput):
        tell(Viewer.system(), 0, worked=True, note="", now=NOW)


def test_a_miss_keeps_redacted_telling_lines_and_is_counted(db: None) -> None:
    paste = (
        "Error: cannot reach db\n    at run (/home/carol/x.js:1:2)\n"
        "DATABASE_URL=postgres://app:pa55@10.0.0.7/x failed for carol@example.org"
    )
    first = remember(paste, NOW)
    again = remember(paste, NOW + timedelta(days=1))
    assert first is not None
    assert again is not None
    assert (first.pk, again.count) == (again.pk, 2)
    assert "Error: cannot reach db" in again.text
    for secret in ("pa55", "carol", "10.0.0.7", "x.js"):
        assert secret not in again.text


def test_misses_are_forgotten_in_time(db: None) -> None:
    remember("Error: once", NOW)
    assert forget_old(NOW + timedelta(days=91)) == 1
    assert not MissedPaste.objects.exists()


@pytest.mark.parametrize(
    "secret",
    [
        "password=hunter2",
        "api_key: 'abc123'",
        '"token": "abc"',
        "Authorization: Bearer abcdef123456",
        "https://user:pass@host/x",
        "ghp_abcdefghijklmnop1234",
        "eyJhbGciOi.eyJzdWIiOi.sig",
        "4111 1111 1111 1111",
        "fe80:0:0:0:1:2:3:4",
        "a1b2c3d4e5f6g7h8i9j0k1",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
        "mysql -u root -phunter2",
        "sshpass -p hunter2 ssh host",
        "curl -u admin:hunter2 https://host",
        "curl --user 'admin:hunter2'",
        "CREATE USER app IDENTIFIED BY 'hunter2'",
        "ALTER ROLE app WITH PASSWORD 'hunter2'",
        "carol%40example.org",
        "+44 20 7946 0958",
    ],
)
def test_secrets_are_taken_out(secret: str) -> None:
    kept = redacted(f"before {secret} after")
    assert "before" in kept
    for part in ("hunter2", "abc", "pass@", "4111", "fe80", "a1b2", "MIIE", "eyJ"):
        assert part not in kept
    for part in ("carol", "7946"):
        assert part not in kept


def test_a_run_without_end_is_read_once() -> None:
    text = "+1" * 100_000  # hours, where each place in it is tried
    assert redacted(text) == text


def test_wording_stays(alice: User) -> None:
    text = (
        "TypeError: Cannot read properties of undefined (reading 'x') ERR_REQUIRE_ESM"
    )
    assert redacted(text) == text
