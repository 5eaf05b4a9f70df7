"""What is kept of each week of searches when the lines of the log are forgotten."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from django.db import transaction
from django.db.models import Count, Min, Q, QuerySet

from accounts.viewer import Viewer
from core.aggregates import Percentile
from core.errors import HubError
from kb.domain import jobs
from search.enums import QueryKind
from search.insights import Asked, asked_in
from search.models import SearchLog, SearchWeek, WeekQuery
from search.service import search
from search.types import SearchQuery

SLOW_MS = 1_000
# Of each week and kind so many queries are kept; for the first few, what came nearest.
KEPT = 200
NEAREST = 25
WEEK = timedelta(days=7)


def run(now: datetime, *, again: bool = False) -> jobs.Run:
    today = now.astimezone(UTC).date()
    return jobs.run_once(
        jobs.SEARCHES, today, lambda: roll_up(today), now=now, again=again
    )


def roll_up(today: date) -> dict[str, int]:
    """Keep the counts of weeks not kept yet, of the last one and of this one so far.
    Running again only brings them up to date."""
    kept = [_roll_up(week) for week in _weeks(today)]
    return {
        "weeks": len(kept),
        "searches": sum(each.searches for each in kept),
        "found_nothing": sum(each.found_nothing for each in kept),
        "slow": sum(each.slow for each in kept),
    }


def _weeks(today: date) -> Iterator[date]:
    first = SearchLog.objects.aggregate(at=Min("created_at"))["at"]
    if first is None:
        return
    this = _monday(today)
    known = set(SearchWeek.objects.values_list("week", flat=True))
    week = _monday(first.astimezone(UTC).date())
    while week <= this:
        if (week not in known or week >= this - WEEK) and _of(week).exists():
            yield week
        week += WEEK


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _of(week: date) -> QuerySet[SearchLog]:
    start = datetime.combine(week, time(), UTC)
    return SearchLog.objects.filter(created_at__gte=start, created_at__lt=start + WEEK)


def _roll_up(monday: date) -> SearchWeek:
    lines = _of(monday)
    slow = Q(duration_ms__gte=SLOW_MS)
    counts = lines.aggregate(
        searches=Count("pk"),
        people=Count("user", distinct=True),
        found_nothing=Count("pk", filter=Q(found_nothing=True)),
        weak=Count("pk", filter=Q(weak=True)),
        opened=Count("pk", filter=Q(clicked_at__isnull=False)),
        slow=Count("pk", filter=slow),
        p50_ms=Percentile("duration_ms", share=0.5),
        p95_ms=Percentile("duration_ms", share=0.95),
    )
    with transaction.atomic():
        week, _ = SearchWeek.objects.update_or_create(week=monday, defaults=counts)
        _keep(week, QueryKind.NOTHING, asked_in(lines.filter(found_nothing=True)))
        _keep(week, QueryKind.SLOW, asked_in(lines.filter(slow)))
    _find_nearest(week)
    return week


def _keep(week: SearchWeek, kind: QueryKind, asked: list[Asked]) -> None:
    WeekQuery.objects.bulk_create(
        [
            WeekQuery(
                week=week,
                kind=kind,
                key=each.key,
                query=each.query,
                times=each.times,
                people=each.people,
                last_at=each.last_at,
                slowest_ms=each.slowest_ms,
            )
            for each in asked[:KEPT]
        ],
        update_conflicts=True,
        unique_fields=["week", "kind", "key"],
        update_fields=["query", "times", "people", "last_at", "slowest_ms"],
    )


def _find_nearest(week: SearchWeek) -> None:
    """What comes nearest to words that found nothing; without it where the model
    cannot be asked."""
    lacking = week.queries.filter(kind=QueryKind.NOTHING, nearest=None)
    for each in lacking.order_by("-times", "key")[:NEAREST]:
        try:
            query = SearchQuery.of(each.query, threshold=0, limit=1)
            hits = search(query, Viewer.system()).hits
        except HubError:
            continue
        if hits:
            each.nearest = hits[0].item
            each.save(update_fields=["nearest"])
