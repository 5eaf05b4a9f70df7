"""Near-duplicates and contradictions: found incrementally, named on drafts, merged."""

import random
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, Conflict, NotAllowed, NotFound
from kb import duplicates, embedding
from kb.domain.citations import cite, set_bid_status
from kb.domain.duplicates import (
    dismiss,
    merge,
    merge_pairs,
    open_pairs,
    other_of,
    pairs_of,
)
from kb.domain.lifecycle import archive, edit_item
from kb.domain.likeness import CANDIDATES
from kb.embedding import embed_missing
from kb.embeddings.base import EmbeddingUnavailable
from kb.enums import BidStatus, PairKind, PairState, ReviewStatus
from kb.models import Citation, Comparison, ContentItem, DuplicatePair, Workspace
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db

BACKUP = (
    "We back up every customer system each night to two sites. Copies are kept for "
    "{days} days and cannot be changed or deleted. We restore one full system each "
    "quarter and sign off the result."
)
LEAVE = "Staff take {days} days of paid leave a year, booked with their manager first."


def backup(title: str = "Backups", days: int = 35, **values: Any) -> ContentItem:
    return item(title, BACKUP.format(days=days), **values)


def find(**options: Any) -> tuple[int, int, int]:
    counts = duplicates.find(NOW, **options)
    return counts.items, counts.pairs, counts.gone


def pair() -> DuplicatePair:
    return DuplicatePair.objects.get()


# --- Over what exists ---------------------------------------------------------------


def test_copies_are_near_duplicates_and_other_items_are_not(editor: Viewer) -> None:
    one, other = backup(), backup("How are backups made?")
    item("Leave", LEAVE.format(days=25))
    assert find() == (3, 1, 0)
    assert {pair().first, pair().second} == {one, other}
    assert (pair().kind, pair().differences, pair().state) == (
        PairKind.DUPLICATE,
        [],
        PairState.OPEN,
    )
    assert 0.5 < pair().shared < 1
    assert 0.5 < pair().likeness <= 1
    assert list(open_pairs(editor)) == list(pairs_of(editor, one.pk)) == [pair()]
    assert other_of(pair(), one.pk) == other


def test_what_differs_in_a_copy_may_contradict() -> None:
    backup(days=35), backup("How are backups made?", days=30)
    find()
    assert pair().kind == PairKind.CONTRADICT
    told = [(each["first"], each["second"]) for each in pair().differences]
    assert told in ([("35 days", "30 days")], [("30 days", "35 days")])


def test_a_second_run_compares_only_what_changed(editor: Viewer) -> None:
    made = [backup(f"Backups {n}") for n in range(3)]
    assert find(limit=2) == (2, 3, 0)
    assert find() == (1, 0, 0)
    assert find() == (0, 0, 0)
    edit_item(editor, made[0].pk, {"content": LEAVE.format(days=25)}, NOW)
    embed_missing()
    assert duplicates.waiting() == 1
    assert find() == (1, 0, 2)
    states = DuplicatePair.objects.values_list("state", flat=True).order_by("state")
    assert list(states) == [PairState.GONE, PairState.GONE, PairState.OPEN]
    edit_item(editor, made[0].pk, {"content": BACKUP.format(days=35)}, NOW)
    embed_missing()
    assert find() == (1, 0, 0)
    assert DuplicatePair.objects.filter(state=PairState.OPEN).count() == 3


def test_stopped_after_any_batch_and_run_again_it_ends_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(duplicates, "BATCH", 2)
    for n in range(5):
        backup(f"Backups {n}")
    assert find(until=0.0) == (0, 0, 0)
    stop = RuntimeError("killed")

    def dies(done: int) -> None:
        raise stop

    with pytest.raises(RuntimeError):
        find(progress=dies)
    assert duplicates.waiting() == 3
    assert find()[0] == 3
    assert DuplicatePair.objects.count() == 10
    assert find() == (0, 0, 0)


def test_what_is_out_of_use_is_not_compared(editor: Viewer) -> None:
    archive(editor, [backup("Archived").pk], NOW)
    backup()
    item("Waits for its vector", BACKUP.format(days=35), embedded=False)
    assert find() == (1, 0, 0)


def test_a_pair_whose_item_left_is_no_longer_listed(editor: Viewer) -> None:
    made = backup()
    backup("Copy")
    find()
    archive(editor, [made.pk], NOW)
    assert not open_pairs(editor).exists()
    assert pair().state == PairState.OPEN


def test_drafts_are_paired_and_seen_by_editors_alone(
    editor: Viewer, reader: Viewer
) -> None:
    backup()
    backup("Copy", governance_review_status=ReviewStatus.DRAFT)
    find()
    assert (open_pairs(editor).count(), open_pairs(reader).count()) == (1, 0)


def test_items_of_one_title_are_a_pair_whatever_they_say() -> None:
    item("Backup policy", BACKUP.format(days=35))
    item("Backup  policy?", LEAVE.format(days=25))
    find()
    assert (pair().same_title, pair().kind) == (True, PairKind.DUPLICATE)


def test_the_work_grows_with_the_library_and_not_with_its_square() -> None:
    random.seed(1)
    names = ["alpha", "bravo", "delta", "gamma", "kappa", "omega", "sigma", "theta"]
    for n in range(60):
        words = " ".join(random.choices(names, k=20))  # noqa: S311
        item(f"Same title {n % 2}", f"{words} {n}.", embedded=False)
    embed_missing()
    find()
    assert DuplicatePair.objects.count() <= 60 * 2 * CANDIDATES
    costs = []
    for size in (1, 3):
        some = ContentItem.objects.values("pk")[:size]
        Comparison.objects.filter(item__in=some).delete()
        with CaptureQueriesContext(connection) as queries:
            find(limit=size)
        costs.append(len(queries))
    assert costs[0] == costs[1]


# --- Decisions ----------------------------------------------------------------------


def test_what_was_dismissed_stays_so_until_something_new_differs(
    editor: Viewer, bob: User
) -> None:
    made = backup(days=35)
    backup("Copy", days=30)
    find()
    assert dismiss(editor, [pair().pk], NOW, "Two tiers") == 1
    assert (pair().state, pair().decided_by, pair().decided_at, pair().note) == (
        PairState.DISMISSED,
        bob,
        NOW,
        "Two tiers",
    )
    for days, state in ((35, PairState.DISMISSED), (90, PairState.OPEN)):
        content = BACKUP.format(days=days) + " Ask us."
        edit_item(editor, made.pk, {"content": content}, NOW)
        embed_missing()
        find()
        assert pair().state == state


def test_a_decision_is_made_once_and_by_editors(editor: Viewer, reader: Viewer) -> None:
    backup(), backup("Copy")
    find()
    with pytest.raises(NotAllowed):
        dismiss(reader, [pair().pk], NOW)
    with pytest.raises(NotFound):
        dismiss(editor, [0], NOW)
    dismiss(editor, [pair().pk], NOW)
    with pytest.raises(Conflict):
        merge_pairs(editor, [pair().pk], NOW, "Same", keep_first=True)


@pytest.mark.parametrize("keep_first", [True, False])
def test_of_a_pair_one_survives_and_replaces_the_other(
    editor: Viewer, keep_first: bool
) -> None:
    backup(), backup("Copy")
    find()
    both = [pair().first, pair().second]
    merge_pairs(editor, [pair().pk], NOW, "Same", keep_first=keep_first)
    kept, replaced = both if keep_first else both[::-1]
    replaced.refresh_from_db()
    assert (replaced.superseded_by, replaced.superseded_reason) == (kept, "Same")
    assert (pair().state, pair().note) == (PairState.MERGED, "Same")
    assert find() == (0, 0, 0)


def test_citations_follow_a_merge_once_a_source(editor: Viewer) -> None:
    kept, first, second = backup("A"), backup("B"), backup("C")
    bids = [Workspace.objects.create(name=name) for name in ("Both", "First", "Kept")]
    cite(editor, first.pk, workspace=bids[0])
    cite(editor, second.pk, workspace=bids[0])
    cite(editor, first.pk, workspace=bids[1])
    cite(editor, first.pk, workspace=bids[2])
    cite(editor, kept.pk, workspace=bids[2])
    cite(editor, second.pk, citing_item=kept)
    for bid in bids:
        set_bid_status(editor, bid.pk, BidStatus.WON, NOW.date())

    merge(editor, kept.pk, [first.pk, second.pk], NOW, "Same answer")

    cited = Citation.objects.filter(item=kept, workspace__isnull=False)
    assert {each.workspace for each in cited} == set(bids)
    assert Citation.objects.count() == 6
    kept.refresh_from_db()
    first.refresh_from_db()
    assert (kept.bids_won, first.bids_won) == (3, 1)
    reasons = kept.history.values_list("history_change_reason", flat=True)
    assert "Merged (2 citations moved): B, C" in reasons


def test_a_merge_that_makes_no_sense_changes_nothing(editor: Viewer) -> None:
    one, other, gone = backup("A"), backup("B"), backup("C")
    archive(editor, [gone.pk], NOW)
    with pytest.raises(BadInput):
        merge(editor, one.pk, [one.pk], NOW, "Same")
    with pytest.raises(BadInput, match="archived: people would find neither"):
        merge(editor, gone.pk, [one.pk], NOW, "Same")
    merge(editor, one.pk, [other.pk], NOW, "Same")
    with pytest.raises(BadInput, match="replace each other"):
        merge(editor, other.pk, [one.pk], NOW, "Back")
    one.refresh_from_db()
    assert one.superseded_by is None


# --- Notices on a draft -------------------------------------------------------------


def named(viewer: Viewer, title: str, content: str = "", **options: Any) -> list[str]:
    found = duplicates.likely_duplicates(viewer, title, content, **options)
    return [f"{each.title}: {each.reason}" for each in found]


def test_a_draft_is_told_what_it_is_like_and_why(editor: Viewer) -> None:
    made = backup(days=35)
    item("Leave", LEAVE.format(days=25))
    found = duplicates.likely_duplicates(
        editor, "How are backups made?", BACKUP.format(days=30)
    )
    assert [(each.item_id, each.kind, each.url) for each in found] == [
        (made.pk, PairKind.CONTRADICT, f"/items/{made.pk}")
    ]
    assert found[0].reason.endswith(
        "% of their words in common; differ in 30 days / 35 days."
    )
    assert named(editor, "Something else", "Entirely about the canteen menu.") == []


def test_a_title_alone_is_enough(editor: Viewer) -> None:
    item("Remote working policy", LEAVE.format(days=25))
    assert named(editor, "remote working policy.", "x") == [
        "Remote working policy: Same title; 21% of their words in common."
    ]
    item("How do you back up customer data each night?")
    title = "How do you back up the customer data each night?"
    assert named(editor, title, "The canteen opens at noon on every day.") == [
        "How do you back up customer data each night?: Its title is much alike."
    ]


def test_an_edit_is_not_like_itself_nor_what_was_dismissed(editor: Viewer) -> None:
    made, copy = backup(), backup("Copy")
    text = BACKUP.format(days=35)
    assert len(named(editor, "Backups", text, item_id=made.pk)) == 1
    find()
    dismiss(editor, [pair().pk], NOW)
    assert named(editor, "Backups", text, item_id=made.pk) == []
    assert named(editor, "Backups", text, item_id=copy.pk) == []


def test_what_one_may_not_see_or_use_is_not_named(
    editor: Viewer, reader: Viewer
) -> None:
    backup(governance_review_status=ReviewStatus.DRAFT)
    old, gone = backup("Old"), backup("Gone")
    merge(editor, backup("New").pk, [old.pk], NOW, "Newer")
    archive(editor, [gone.pk], NOW)
    text = BACKUP.format(days=35)
    assert [each.split(":")[0] for each in named(reader, "Backups", text)] == ["New"]


def test_without_an_embedder_titles_are_compared(
    editor: Viewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(text: str) -> None:
        raise EmbeddingUnavailable("connection refused")

    backup()
    monkeypatch.setattr(embedding, "embed_query", unavailable)
    assert len(named(editor, "Backups", "Entirely about the canteen.")) == 1
    assert named(editor, "Menu", BACKUP.format(days=35)) == []


@pytest.mark.parametrize("text", ["", "\x00", "ß" * 100_000, "%_\\'\"", "测试"])
def test_no_draft_is_an_error(editor: Viewer, text: str) -> None:
    backup()
    assert named(editor, text[:500], text) == []


def test_old_pairs_do_not_slow_a_draft(editor: Viewer) -> None:
    backup()
    with CaptureQueriesContext(connection) as one:
        named(editor, "Copy", BACKUP.format(days=35))
    for n in range(3):
        backup(f"More {n}", now=NOW + timedelta(days=n))
    with CaptureQueriesContext(connection) as more:
        named(editor, "Copy", BACKUP.format(days=35))
    assert len(one) == len(more)
