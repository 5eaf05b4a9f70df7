"""A month in the life of a small library, day by day, with the day as a parameter."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db.models import Count

from accounts.models import User
from accounts.viewer import Viewer
from kb import digests, duplicates
from kb.domain import jobs, quality, scores
from kb.domain.banners import Situation, banners
from kb.domain.citations import cite, set_bid_status, win_rate
from kb.domain.duplicates import open_pairs
from kb.domain.lifecycle import edit_item
from kb.domain.moderation import approve_revision, propose_edit, reject_revision
from kb.domain.quality import quality_of
from kb.domain.requests import asked_of, request_review
from kb.domain.review import mark_reviewed, verify
from kb.embedding import embed_missing
from kb.enums import BidStatus, CadenceKind, DigestKind, Moderation, ReviewStatus
from kb.models import ContentItem, JobRun, Workspace
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db

DAYS = 31


def day(number: int, hour: int = 12) -> datetime:
    """Day 0 is Monday 15 June 2026."""
    return NOW.replace(hour=hour) + timedelta(days=number)


class Month:
    """What happens when: `events` by day, and what was seen of it."""

    def __init__(self, bob: User, governor: Viewer) -> None:
        self.bob, self.editor, self.governor = bob, bob.viewer(), governor
        self.overdue: dict[str, list[int]] = {}
        self.events: dict[int, list[Callable[[datetime], Any]]] = {}

    def on(self, number: int, event: Callable[[datetime], Any]) -> None:
        self.events.setdefault(number, []).append(event)

    def live(self) -> None:
        for number in range(DAYS):
            self.night(number)
            for event in self.events.get(number, []):
                event(day(number))
            self.look(number)

    def night(self, number: int) -> None:
        """Each job is triggered twice, as by two workers."""
        at = day(number, 4)
        for _ in range(2):
            jobs.flag_overdue(at)
            jobs.recompute_quality(at)
            jobs.run_once(jobs.DUPLICATES, at.date(), lambda: found(at), now=at)
            kind = DigestKind.DAILY if at.weekday() else DigestKind.WEEKLY
            digests.send(kind, day(number, 8))

    def look(self, number: int) -> None:
        """What is stored holds on that very day."""
        today = day(number).date()
        for each in ContentItem.objects.select_related("primary_domain"):
            rule = quality_of(each, today)
            assert (each.quality_score, each.quality_parts) == (rule.score, rule.parts)
            late = each.governance_review_status == ReviewStatus.REVIEW_OVERDUE
            told = [b.kind for b in banners(Situation(each), today)]
            assert ("overdue" in told) == late
            if late:
                self.overdue.setdefault(each.title, []).append(number)


def found(at: datetime) -> dict[str, int]:
    counts = duplicates.find(at)
    return {"items": counts.items, "pairs": counts.pairs}


@pytest.fixture
def month(bob: User, governor: Viewer) -> Month:
    bob.email = "bob@example.org"
    bob.save()
    return Month(bob, governor)


def stored(made: ContentItem) -> ContentItem:
    return ContentItem.objects.select_related("primary_domain").get(pk=made.pk)


def test_items_fall_due_are_mailed_once_and_come_back(
    month: Month, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://hub.example.org/"
    where = domain(cadence_days=10, owner=month.bob)
    ten = item("Ten days", embedded=False, primary_domain=where, now=day(0, 0))
    fixed: dict[str, Any] = {
        "cadence": CadenceKind.FIXED,
        "next_review_date": day(20).date(),
    }
    item("Fixed", embedded=False, owner=month.bob, now=day(0, 0), **fixed)
    item(
        "Evergreen",
        embedded=False,
        owner=month.bob,
        cadence=CadenceKind.EVERGREEN,
        now=day(0, 0),
    )
    month.on(14, lambda at: mark_reviewed(month.editor, [ten.pk], at))
    month.live()

    # Due on day 10, overdue from the night after until reviewed on day 14; then due on
    # day 24. The fixed date is the 20th.
    assert month.overdue == {
        "Ten days": [11, 12, 13, *range(25, 31)],
        "Fixed": list(range(21, 31)),
    }
    runs = JobRun.objects.values_list("job").annotate(n=Count("pk"))
    assert dict(runs) == {
        jobs.FLAG: DAYS,
        jobs.QUALITY: DAYS,
        jobs.DUPLICATES: DAYS,
        "weekly_digest": 5,
        "daily_digest": DAYS - 5,
    }
    flagged = JobRun.objects.filter(job=jobs.FLAG, counts__flagged__gt=0)
    assert [run.date for run in flagged.order_by("date")] == [
        day(n).date() for n in (11, 21, 25)
    ]
    # One digest a Monday, and on each something was due within a month or late.
    assert [each.to for each in mail.outbox] == [["bob@example.org"]] * 5


def test_bids_are_won_and_scores_move_as_the_page_said(month: Month) -> None:
    where = domain(cadence_days=90, owner=month.bob)
    made = item(embedded=False, primary_domain=where, now=day(-200))
    bids = [Workspace.objects.create(name=f"Bid {n}") for n in range(2)]
    seen: dict[str, int] = {}

    def verified(at: datetime) -> None:
        before = stored(made)
        said = quality.advice(before.quality_parts)
        assert said is not None
        verify(month.editor, [made.pk], at)
        after = stored(made)
        seen["said"] = said.points if not said.missing else 0
        seen["gained"] = after.quality_score - before.quality_score

    def cited(bid: Workspace) -> Callable[[datetime], Any]:
        return lambda at: cite(month.editor, made.pk, workspace=bid, today=at.date())

    def decided(bid: Workspace, status: BidStatus) -> Callable[[datetime], Any]:
        return lambda at: set_bid_status(month.editor, bid.pk, status, at.date())

    for number, status in enumerate((BidStatus.WON, BidStatus.LOST)):
        month.on(2, cited(bids[number]))
        month.on(5 + number, decided(bids[number], status))
    month.on(5, lambda at: seen.update(one=stored(made).bids_decided))
    month.on(9, verified)
    month.live()

    last = stored(made)
    assert (last.bids_won, last.bids_decided) == (1, 2)
    assert win_rate(last.bids_won, last.bids_decided) == 0.5
    assert seen["one"] == 1
    assert abs(seen["said"] - seen["gained"]) <= 1
    assert seen["gained"] > 10
    assert last.next_review_date == day(99).date()


def test_edits_wait_requests_are_answered_and_nothing_is_lost(month: Month) -> None:
    alice = User.objects.get(username="alice")
    where = domain(moderation=Moderation.HIDE)
    made = item(content="Old.", embedded=False, primary_domain=where, now=day(0, 0))
    hidden: list[int] = []
    revisions: list[int] = []

    def propose(text: str) -> Callable[[datetime], None]:
        def event(at: datetime) -> None:
            revision = propose_edit(
                month.editor, made.pk, {"content": text}, at
            ).revision
            assert revision is not None
            revisions.append(revision.pk)

        return event

    def look(at: datetime) -> None:
        if stored(made).hidden_for_approval:
            hidden.append((at - day(0)).days)

    month.on(3, propose("Worse."))
    month.on(
        5, lambda at: reject_revision(month.governor, revisions[0], at, "No source")
    )
    month.on(7, propose("Better."))
    month.on(10, lambda at: approve_revision(month.governor, revisions[1], at))
    month.on(
        12,
        lambda at: request_review(
            month.editor, [made.pk], at, person=alice, due_on=day(15).date()
        ),
    )
    month.on(14, lambda at: mark_reviewed(month.governor, [made.pk], at, "Right"))
    for number in range(DAYS):
        month.on(number, look)
    month.live()

    last = stored(made)
    assert (last.content, last.content_changed_at) == ("Better.", day(10))
    assert hidden == [3, 4, 7, 8, 9]
    assert not asked_of(month.governor).exists()
    assert last.review_requests.get().closed_at == day(14)
    statuses = last.revisions.order_by("pk").values_list("status", "decision_note")
    assert list(statuses) == [("rejected", "No source"), ("approved", "")]


def test_a_copy_is_noticed_the_night_after_it_was_written(month: Month) -> None:
    text = "We back up every system each night to two sites and restore each quarter."
    item("Backups", f"{text} Copies are kept for 35 days.", now=day(0, 0))
    seen: list[int] = []

    def write(at: datetime) -> None:
        item("Copies", f"{text} Copies are kept for 30 days.", now=at)
        scores.recompute(at.date())  # embedding scores as of the real day

    def differ(at: datetime) -> None:
        copy = ContentItem.objects.get(title="Copies")
        leave = {"content": "Staff take leave in agreement with their manager."}
        edit_item(month.governor, copy.pk, leave, at)
        embed_missing()
        scores.recompute(at.date())

    month.on(4, write)
    month.on(9, differ)
    for number in range(DAYS):
        month.on(
            number,
            lambda at: seen.extend(
                (at - day(0)).days for _ in open_pairs(month.editor)
            ),
        )
    month.live()
    assert seen == [5, 6, 7, 8, 9]
