"""A new failure from a paste, and the queue of those that nothing fitted."""

from datetime import UTC, datetime

import pytest

from accounts.viewer import Viewer
from core.errors import BadInput, NotAllowed, NotFound
from operational.domain import misses, recording
from operational.domain.recording import NewFailure
from operational.models import Entity, Failure, MissedPaste
from operational.service import OperationalQuery, operational_search

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PASTE = (
    "2026-11-30T10:00:00Z ERROR quota service: QuotaLedgerError: ledger 77 is sealed "
    "for carol@example.org\n    at seal (/home/carol/ledger.js:10:2)\n"
    "LEDGER_TOKEN=hunter2-9f8e"
)


def test_what_is_suggested_holds_no_secret_and_no_person(db: None) -> None:
    new = recording.suggested(PASTE)
    assert new.messages[0] == (
        "quota service: QuotaLedgerError: ledger 77 is sealed for {address}"
    )
    assert new.title == new.messages[0]
    said = str(new)
    for private in ("carol", "hunter2", "ledger.js"):
        assert private not in said


def test_no_field_of_a_record_keeps_a_secret(db: None, editor: Viewer) -> None:
    secret = "ghp_abcdefghijklmnop1234"
    new = NewFailure(
        title=f"Ledger {secret}",
        summary=secret,
        messages=(f"Error: {secret}",),
        fix=secret,
        prevention=(f"Never use {secret}",),
        tags=(secret,),
        failure_type=secret,
    )
    made = recording.record(editor, new, NOW)
    failure = Failure.objects.get(pk=made.pk)
    stored = [
        *(made.slug, made.title, made.summary, *made.tags),
        *(failure.failure_type, failure.verified_fix, *failure.prevention_steps),
        *failure.symptoms.values_list("text", flat=True),
    ]
    assert secret not in str(stored)
    assert made.tags == ["[key]"]


def test_what_was_recorded_is_found_by_the_next_paste(
    sample: int, editor: Viewer, reader: Viewer
) -> None:
    new = recording.suggested(PASTE)
    made = recording.record(editor, new, NOW)
    failure = Failure.objects.get(pk=made.pk)
    assert (failure.fix_state, failure.instance_count) == ("suggested", 1)
    assert not made.is_public
    other = "QuotaLedgerError: ledger 912 is sealed for dave@example.com"
    answer = operational_search(OperationalQuery.of(other), reader)
    assert answer.matched is not None
    assert answer.matched.slug == made.slug


def test_two_of_one_title_have_two_addresses(db: None, editor: Viewer) -> None:
    slugs = [
        recording.record(editor, NewFailure(title="Ledger — sealed!"), NOW).slug
        for _ in range(3)
    ]
    assert slugs == ["ledger-sealed", "ledger-sealed-2", "ledger-sealed-3"]


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (NewFailure(title=" \x00"), "title"),
        (NewFailure(title="x" * 500), "title"),
        (NewFailure(title="x", severity="worst"), "severity"),
        (NewFailure(title="x", pattern="nope"), "pattern"),
        (NewFailure(title="x", tags=("t" * 81,)), "tags"),
    ],
)
def test_what_cannot_be_stored_is_named(
    db: None, editor: Viewer, new: NewFailure, field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        recording.record(editor, new, NOW)
    assert refused.value.field == field
    assert not Entity.objects.exists()


def test_readers_record_and_close_nothing(db: None, reader: Viewer) -> None:
    miss = misses.remember(PASTE, NOW)
    assert miss is not None
    for refused in (
        lambda: recording.record(reader, NewFailure(title="x"), NOW),
        lambda: misses.close(reader, miss.pk, NOW),
        lambda: misses.waiting(reader),
    ):
        with pytest.raises(NotAllowed):
            refused()


def test_a_miss_is_closed_by_what_was_recorded_from_it(
    sample: int, editor: Viewer
) -> None:
    miss = misses.remember(PASTE, NOW)
    assert miss is not None
    new = recording.suggested(miss.text)
    made = recording.record(editor, new, NOW, miss_id=miss.pk)
    miss.refresh_from_db()
    assert (miss.recorded_as_id, miss.closed_at) == (made.pk, NOW)
    assert list(misses.waiting(editor)) == []


@pytest.mark.parametrize(
    "slug",
    [
        "certificate-before-dns-ready",
        "failure:certificate-before-dns-ready",
        "https://hub.example/operational/failure/certificate-before-dns-ready",
    ],
)
def test_a_miss_is_closed_with_a_failure_or_dismissed(
    sample: int, editor: Viewer, slug: str
) -> None:
    one, two = misses.remember("Error: one", NOW), misses.remember("Error: two", NOW)
    assert one is not None
    assert two is not None
    closed = misses.close(editor, one.pk, NOW, slug=slug)
    assert closed.recorded_as is not None
    assert closed.recorded_as.entity.slug == "certificate-before-dns-ready"
    assert misses.close(editor, two.pk, NOW).recorded_as is None
    again = misses.remember("Error: two", NOW)
    assert again is not None
    assert (again.count, list(misses.waiting(editor))) == (2, [])


def test_a_miss_is_not_closed_with_what_is_not_there(
    sample: int, editor: Viewer
) -> None:
    miss = misses.remember("Error: one", NOW)
    assert miss is not None
    with pytest.raises(NotFound):
        misses.close(editor, miss.pk, NOW, slug="nope")
    with pytest.raises(NotFound):
        misses.close(editor, 0, NOW)


def test_nothing_is_kept_of_what_says_nothing(db: None) -> None:
    assert misses.remember("\x00 \n\t", NOW) is None
    assert not MissedPaste.objects.exists()


def test_no_secret_is_cut_in_half(db: None) -> None:
    secret = "hunter2" * 20
    lines = "\n".join(f"Error {n}: something long went wrong here" for n in range(97))
    miss = misses.remember(f"{lines}\nError: https://bob:{secret}@db.example/", NOW)
    assert miss is not None
    assert "hunter2" not in miss.text
