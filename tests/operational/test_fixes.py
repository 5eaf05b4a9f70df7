"""The states of a fix, and what moves it."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django_celery_beat.models import PeriodicTask

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, NotAllowed
from operational import tasks
from operational.domain import editing, fixes
from operational.domain.feedback import tell
from operational.enums import FixState
from operational.importers.service import import_paths
from operational.models import Entity, Failure

# After the sample came into the database.
NOW = datetime(2027, 1, 15, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def tried(sample: int) -> Failure:
    return Failure.objects.get(entity__slug="certificate-before-dns-ready")


def state(failure: Failure) -> tuple[str, int]:
    failure.refresh_from_db()
    return failure.fix_state, failure.confidence_score


def verified(failure: Failure) -> datetime | None:
    return failure.fix_verified_at


def test_what_somebody_tried_is_tried(tried: Failure, reader: Viewer) -> None:
    Failure.objects.filter(pk=tried.pk).update(fix_state=FixState.SUGGESTED)
    tell(reader, tried.pk, worked=False, note="", now=NOW)
    assert state(tried)[0] == FixState.TRIED


def test_an_editor_verifies_and_the_score_follows(
    tried: Failure, editor: Viewer, bob: User
) -> None:
    before = state(tried)[1]
    fixes.verify(editor, tried.pk, NOW)
    assert state(tried) == (FixState.VERIFIED, before + 25)
    assert (tried.fix_verified_at, tried.fix_verified_by) == (NOW, bob)
    newest = tried.history.latest()
    assert (newest.history_user, newest.history_change_reason) == (bob, "Fix verified")


def test_readers_verify_nothing_and_nothing_is_not_verified(
    tried: Failure, reader: Viewer, editor: Viewer
) -> None:
    with pytest.raises(NotAllowed):
        fixes.verify(reader, tried.pk, NOW)
    Failure.objects.filter(pk=tried.pk).update(verified_fix=" ")
    with pytest.raises(BadInput):
        fixes.verify(editor, tried.pk, NOW)


@pytest.mark.parametrize(
    ("days", "failed", "stale"),
    [
        (0, [], False),
        (365, [], False),
        (366, [], True),
        (10, [-1], False),
        (10, [-1, -2], False),  # before it was confirmed
        (10, [1], False),
        (10, [1, 2], True),
        (10, [-1, 2], False),
    ],
)
def test_a_fix_is_stale_by_age_or_by_failures_since(
    days: int, failed: list[int], stale: bool
) -> None:
    at = NOW - days * DAY
    told = [at + n * DAY for n in failed]
    assert fixes.is_stale(at, told, NOW) == stale


def test_two_people_for_whom_it_failed_make_it_stale_at_once(
    tried: Failure, editor: Viewer, reader: Viewer
) -> None:
    fixes.verify(editor, tried.pk, NOW)
    tell(editor, tried.pk, worked=False, note="", now=NOW + DAY)
    assert state(tried)[0] == FixState.VERIFIED
    tell(reader, tried.pk, worked=False, note="", now=NOW + DAY)
    assert state(tried)[0] == FixState.STALE
    tell(reader, tried.pk, worked=True, note="", now=NOW + 2 * DAY)
    assert state(tried)[0] == FixState.TRIED


def test_age_is_found_each_night_and_only_once(tried: Failure, editor: Viewer) -> None:
    fixes.verify(editor, tried.pk, NOW)
    others = Failure.objects.filter(fix_state=FixState.VERIFIED).exclude(pk=tried.pk)
    count = others.count()
    Entity.objects.filter(failure__in=others).update(created_at=NOW - 400 * DAY)
    later = NOW + 300 * DAY
    assert [fixes.find_stale(later), fixes.find_stale(later)] == [count, 0]
    assert state(tried)[0] == FixState.VERIFIED
    tell(editor, tried.pk, worked=True, note="", now=later)
    assert fixes.find_stale(later + 300 * DAY) == 0
    assert fixes.find_stale(later + 366 * DAY) == 1


def test_another_text_is_another_fix(tried: Failure, editor: Viewer) -> None:
    fixes.verify(editor, tried.pk, NOW)
    tried.refresh_from_db()
    tried.verified_fix = "Something else."
    editing.save_part(editor, tried, NOW)
    assert state(tried)[0] == FixState.SUGGESTED
    assert verified(tried) is None
    tried.severity = "high"
    tried.fix_state = FixState.VERIFIED
    editing.save_part(editor, tried, NOW + DAY)
    assert (state(tried)[0], verified(tried)) == (FixState.VERIFIED, NOW + DAY)


def test_an_import_with_another_fix_starts_again(
    tried: Failure, editor: Viewer, tmp_path: object
) -> None:
    from pathlib import Path

    fixes.verify(editor, tried.pk, NOW)
    path = Path(str(tmp_path)) / "x.md"
    path.write_text(
        "---\ntype: failure\nslug: certificate-before-dns-ready\ntitle: Other\n---\n\n"
        "Text.\n\n<!-- operational: fix -->\n\nAnother fix.\n"
    )
    import_paths(Viewer.system(), [path])
    assert state(tried)[0] == FixState.SUGGESTED


def test_the_nights_work_is_scheduled_and_a_command(sample: int) -> None:
    rows = PeriodicTask.objects.filter(task__startswith="operational.")
    assert dict(rows.values_list("task", "crontab__hour")) == {
        "operational.find_stale_fixes": "3",
        "operational.forget_old_pastes": "3",
    }
    tasks.find_stale_fixes()
    tasks.forget_old_pastes()
    said = StringIO()
    call_command("find_stale_fixes", stdout=said)
    call_command("forget_old_pastes", stdout=said)
    assert said.getvalue() == "0 fixes are now stale.\n0 pastes deleted.\n"
