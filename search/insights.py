"""What the log of searches tells: words that find nothing, and who sees to them.

Spellings of the same words (case, accents, spaces, marks at their ends) count as one.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Count, F, Max, Q, QuerySet

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from core.registry import MailLine, MailPart, MailTime
from core.text import fold
from kb.models import ContentItem
from search.models import Gap, SearchLog, WeekQuery

DAYS = 30
# More groups of log lines than this are not read at once.
_READ = 20_000
_ENDS = " .,;:!?\"'()[]{}"


@dataclass
class Asked:
    """All spellings of one query."""

    key: str
    query: str
    last_at: datetime
    times: int = 0
    slowest_ms: int = 0
    users: set[int | None] = field(default_factory=set)

    @property
    def people(self) -> int:
        return len(self.users)


@dataclass(frozen=True)
class Missing:
    """Words that found nothing lately, what is nearest to them, who sees to it."""

    asked: Asked
    nearest: tuple[UUID, str] | None
    gap: Gap | None


@dataclass(frozen=True)
class Insight:
    searches: int
    found_nothing: int
    missing: tuple[Missing, ...]


def key_of(query: str) -> str:
    folded = fold(query).strip(_ENDS)
    return hashlib.sha256(folded.encode()).hexdigest()


def insight(viewer: Viewer, now: datetime, limit: int = 10) -> Insight:
    """The last 30 days, for editors and admins: four queries."""
    viewer.require_editor()
    lately = SearchLog.objects.filter(created_at__gte=now - timedelta(days=DAYS))
    counts = lately.aggregate(
        searches=Count("pk"), nothing=Count("pk", filter=Q(found_nothing=True))
    )
    asked = asked_in(lately.filter(found_nothing=True))
    keys = [each.key for each in asked]
    gaps = {
        gap.key: gap
        for gap in Gap.objects.filter(key__in=keys).select_related("assigned_to")
    }
    open_ones = [each for each in asked if not _settled(each, gaps.get(each.key))]
    shown = open_ones[:limit]
    nearest = _nearest_known(viewer, [each.key for each in shown])
    missing = (Missing(a, nearest.get(a.key), gaps.get(a.key)) for a in shown)
    return Insight(counts["searches"], counts["nothing"], tuple(missing))


def assign_gap(viewer: Viewer, query: str, person_id: int | None, now: datetime) -> Gap:
    """Say who sees to words that find nothing; nobody closes it until it is searched
    again in vain."""
    viewer.require_editor()
    if not query.strip() or not SearchLog.objects.filter(query=query).exists():
        raise NotFound("Nobody searched for these words lately.")
    person = None
    if person_id is not None:
        person = User.objects.filter(pk=person_id, is_active=True).first()
        if person is None or not person.viewer().can_edit:
            raise BadInput("Choose an editor or an admin.", field="person")
    gap, _ = Gap.objects.update_or_create(
        key=key_of(query),
        defaults={
            "query": query,
            "assigned_to": person,
            "assigned_by_id": viewer.user_id,
            "assigned_at": now,
            "closed_at": None if person else now,
        },
    )
    return gap


def assigned(people: Iterable[int], when: MailTime) -> dict[int, MailPart]:
    """For the digest: what finds nothing and is theirs to write."""
    gaps = Gap.objects.filter(assigned_to__in=list(people), closed_at=None)
    found: dict[int, list[str]] = {}
    for person, query in gaps.values_list("assigned_to", "query"):
        found.setdefault(person or 0, []).append(query)
    return {
        person: MailPart(
            "Searches that find nothing, assigned to you",
            tuple(MailLine(query[:120]) for query in queries[:10]),
            len(queries),
            f"{len(queries)} to write",
            "/governance",
        )
        for person, queries in found.items()
    }


def _settled(asked: Asked, gap: Gap | None) -> bool:
    """Closed, and not searched in vain since."""
    return bool(gap and gap.closed_at and gap.closed_at >= asked.last_at)


def asked_in(lines: QuerySet[SearchLog]) -> list[Asked]:
    """Queries with their spellings joined, most frequent first."""
    rows = (
        lines.order_by()
        .values_list("query", "user")
        .annotate(times=Count("pk"), last=Max("created_at"), slow=Max("duration_ms"))
        .order_by("-times", "query")[:_READ]
    )
    found: dict[str, Asked] = {}
    for query, user, times, last, slow in rows:
        key = key_of(query)
        one = found.setdefault(key, Asked(key, query, last))
        one.times += times
        one.slowest_ms = max(one.slowest_ms, slow)
        one.users.add(user)
        if last > one.last_at:
            one.query, one.last_at = query, last
    return sorted(found.values(), key=lambda each: (-each.times, each.query))


def _nearest_known(viewer: Viewer, keys: list[str]) -> dict[str, tuple[UUID, str]]:
    seen = ContentItem.objects.visible_to(viewer)
    rows = (
        WeekQuery.objects.filter(key__in=keys, nearest__in=seen)
        .order_by("week")
        .values_list("key", "nearest", F("nearest__title"))
    )
    return {key: (item, title) for key, item, title in rows if item}
