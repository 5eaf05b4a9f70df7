"""What the digests tell people of the library: one function a section, each answering
for many people with a constant number of queries."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.db.models import Case, Count, F, Q, When, Window
from django.db.models.functions import RowNumber

from accounts.models import User
from core.registry import MailLine, MailPart, MailTime
from kb.domain.due import due_within, overdue
from kb.enums import RequestStatus, RevisionStatus
from kb.models import ContentItem, FormResponse, ReviewRequest, Revision

# So many are named; the rest is a number and a link.
SHOWN = 10
DUE_DAYS = 30

People = Sequence[int]
Parts = Mapping[int, MailPart]


@dataclass
class _Heap:
    """What one person is told, while it is gathered from several owners."""

    total: int = 0
    lines: list[tuple[Any, MailLine]] = field(default_factory=list)

    def part(self, title: str, short: str, path: str = "") -> MailPart:
        named = sorted(self.lines, key=lambda line: line[0])[:SHOWN]
        lines = tuple(line for _, line in named)
        count = f"{self.total} {short}"
        return MailPart(title, lines, self.total, count, path)


def overdue_items(people: People, when: MailTime) -> Parts:
    heaps = _of_owners(people, overdue(when.today), when.today)
    path = "/governance?owner=me"
    return {
        person: heap.part("Overdue for review", "overdue", path)
        for person, heap in heaps.items()
    }


def due_items(people: People, when: MailTime) -> Parts:
    """Within 30 days; in a daily mail, on the day itself."""
    last = 0 if when.daily else DUE_DAYS
    heaps = _of_owners(people, due_within(when.today, last), when.today)
    title = "Due today" if when.daily else f"Due in the next {DUE_DAYS} days"
    short = "due today" if when.daily else "due soon"
    return {
        person: heap.part(title, short, "/governance?owner=me")
        for person, heap in heaps.items()
    }


def asked_reviews(people: People, when: MailTime) -> Parts:
    """Open review requests; in a daily mail, those for that day."""
    asked = ReviewRequest.objects.filter(
        status=RequestStatus.OPEN, item__archived_at=None
    )
    if when.daily:
        asked = asked.filter(due_on=when.today)
    teams = _teams(people)
    rows = asked.filter(Q(person__in=people) | Q(group__in=list(teams))).values_list(
        "person", "group", "item_id", "item__title", "due_on", "pk"
    )
    heaps: dict[int, _Heap] = defaultdict(_Heap)
    for person, team, item_id, title, due_on, key in rows:
        note = f"by {_day(due_on)}" if due_on else ""
        line = MailLine(title, note, f"/items/{item_id}")
        for each in [person] if person else teams[team]:
            heaps[each].total += 1
            heaps[each].lines.append(((due_on or date.max, key), line))
    return {
        person: heap.part("You are asked to review", "asked of you")
        for person, heap in heaps.items()
    }


def waiting_edits(people: People, when: MailTime) -> Parts:
    """Edits of what they own that wait for an approval."""
    waiting = Revision.objects.filter(status=RevisionStatus.WAITING)
    heaps = _of_owners(people, Q(pk__in=waiting.values("item")), when.today)
    return {
        person: heap.part("Edits that wait for your approval", "to approve")
        for person, heap in heaps.items()
    }


def answers(people: People, when: MailTime) -> Parts:
    """What others answered since the last digest: reviews that one asked for, and
    questions of bids that one opened."""
    heaps: dict[int, _Heap] = defaultdict(_Heap)
    for person, key, line in (*_done_reviews(people, when), *_bids(people, when)):
        heaps[person].total += 1
        heaps[person].lines.append((key, line))
    return {
        person: heap.part(
            "Answered for you", "answer" if heap.total == 1 else "answers"
        )
        for person, heap in heaps.items()
    }


_Answered = tuple[int, Any, MailLine]


def _done_reviews(people: People, when: MailTime) -> Iterator[_Answered]:
    done = (
        ReviewRequest.objects.filter(
            status=RequestStatus.DONE,
            asked_by__in=people,
            closed_at__gte=when.since,
            closed_at__lt=when.until,
        )
        .exclude(closed_by=F("asked_by"))
        .select_related("item", "closed_by")
        .defer("item__content", "item__summary_data")
    )
    for each in done:
        by = f" by {each.closed_by.display_name()}" if each.closed_by else ""
        line = MailLine(each.item.title, f"reviewed{by}", f"/items/{each.item_id}")
        yield each.asked_by_id or 0, (0, each.closed_at, each.pk), line


def _bids(people: People, when: MailTime) -> Iterator[_Answered]:
    written = (
        FormResponse.objects.filter(
            question__workspace__created_by__in=people,
            updated_at__gte=when.since,
            updated_at__lt=when.until,
        )
        .exclude(text="")
        .exclude(author=F("question__workspace__created_by"))
        .order_by()
        .values_list(
            "question__workspace__created_by",
            "question__workspace",
            "question__workspace__name",
        )
        .annotate(n=Count("pk"))
    )
    for person, bid, name, count in written:
        note = f"{count} question{'' if count == 1 else 's'} answered"
        yield person, (1, name, bid), MailLine(name, note, f"/bids/{bid}")


def _of_owners(people: People, condition: Q, today: date) -> dict[int, _Heap]:
    """Of each owner the first few items and how many there are. An item without an
    owner is its domain's owner's; a group's are every member's."""
    teams = _teams(people)
    unowned = Q(owner=None, owner_group=None)
    owner = [F("person"), F("team")]
    rows = (
        ContentItem.objects.live()
        .filter(condition, superseded_by=None, hidden_for_approval=False)
        .annotate(
            person=Case(
                When(unowned, then=F("primary_domain__owner")), default=F("owner")
            ),
            team=Case(
                When(unowned, then=F("primary_domain__owner_group")),
                default=F("owner_group"),
            ),
        )
        .filter(Q(person__in=people) | Q(team__in=list(teams)))
        .annotate(
            total=Window(Count("pk"), partition_by=owner),
            place=Window(
                RowNumber(),
                partition_by=owner,
                order_by=["next_review_date", "title", "pk"],
            ),
        )
        .filter(place__lte=SHOWN)
        .order_by("place")
        .values_list(
            "person", "team", "total", "place", "pk", "title", "next_review_date"
        )
    )
    heaps: dict[int, _Heap] = defaultdict(_Heap)
    for person, team, total, place, key, title, due_on in rows:
        line = MailLine(title, _due(due_on, today), f"/items/{key}")
        for each in [person] if person else teams[team]:
            heap = heaps[each]
            heap.total += total if place == 1 else 0
            heap.lines.append(((due_on or date.max, title, key), line))
    return heaps


def _teams(people: People) -> dict[int, list[int]]:
    """Groups of these people, with those of them who are members."""
    members = User.groups.through.objects.filter(user__in=people)
    teams: dict[int, list[int]] = defaultdict(list)
    pairs: Iterable[tuple[int, int]] = members.values_list("group_id", "user_id")
    for group, person in pairs:
        teams[group].append(person)
    return teams


def _due(on: date | None, today: date) -> str:
    if on is None:
        return "no date"
    days = (on - today).days
    if days == 0:
        return "due today"
    count = f"{abs(days)} day{'' if abs(days) == 1 else 's'}"
    return f"due {_day(on)}, in {count}" if days > 0 else f"overdue by {count}"


def _day(on: date) -> str:
    return f"{on.day} {on:%b %Y}"
