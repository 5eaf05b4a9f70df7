"""What is kept of each week of searches."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from accounts.models import User
from kb.domain import jobs
from search import log, rollup, tasks
from search.models import SearchLog, SearchWeek, WeekQuery
from tests.factories.library import item

pytestmark = pytest.mark.django_db
MONDAY = date(2026, 6, 15)
NOON = datetime(2026, 6, 17, 12, tzinfo=UTC)
WEEK = timedelta(days=7)


def searched(query: str, at: datetime = NOON, **values: Any) -> SearchLog:
    given: dict[str, Any] = {
        "hits": 0,
        "total": 0,
        "found_nothing": True,
        "weak": False,
    }
    given |= {"source": "page", "mode": "hybrid", "duration_ms": 40}
    return SearchLog.objects.create(query=query, created_at=at, **{**given, **values})


def queries(kind: str) -> list[tuple[str, int, int]]:
    rows = WeekQuery.objects.filter(kind=kind)
    return list(rows.values_list("query", "times", "people"))


def test_a_week_is_counted(bob: User, charlie: User) -> None:
    for user in (bob, charlie, bob):
        searched("No such thing", user=user)
    searched("slow", found_nothing=False, duration_ms=1_500, user=bob)
    searched("fast", found_nothing=False, weak=True, clicked_at=NOON)
    rollup.roll_up(MONDAY)
    week = SearchWeek.objects.get()
    assert (week.week, week.searches, week.people) == (MONDAY, 5, 2)
    assert (week.found_nothing, week.weak, week.opened, week.slow) == (3, 1, 1, 1)
    assert (week.p50_ms, week.p95_ms) == (40, 1_500)
    assert queries("nothing") == [("No such thing", 3, 2)]
    assert queries("slow") == [("slow", 1, 1)]


def test_weeks_begin_on_monday_in_utc() -> None:
    start = datetime(2026, 6, 15, tzinfo=UTC)
    searched("a", start - timedelta(microseconds=1))
    searched("b", start)
    rollup.roll_up(MONDAY)
    assert dict(SearchWeek.objects.values_list("week", "searches")) == {
        MONDAY - WEEK: 1,
        MONDAY: 1,
    }


def test_running_again_brings_up_to_date_and_adds_nothing() -> None:
    searched("Words")
    rollup.roll_up(MONDAY)
    searched("words")
    for _ in range(2):
        rollup.roll_up(MONDAY)
    [(query, times, _)] = queries("nothing")
    assert (query.casefold(), times) == ("words", 2)
    assert SearchWeek.objects.get().searches == 2


def test_what_was_kept_stays_when_the_log_is_forgotten(settings: Any) -> None:
    settings.SEARCH_LOG_DAYS = 1
    searched("Words")
    rollup.roll_up(MONDAY)
    log.purge(NOON + 3 * WEEK)
    rollup.roll_up(MONDAY + 3 * WEEK)
    assert SearchWeek.objects.get().searches == 1


def test_weeks_that_were_missed_are_caught_up() -> None:
    for weeks in (0, 3, 5):
        searched("Words", NOON - weeks * WEEK)
    assert rollup.roll_up(MONDAY)["weeks"] == 3


def test_what_comes_nearest_is_looked_up_once() -> None:
    near = item("Pension transfer", "About pensions and their transfer.")
    searched("pension transfers abroad")
    rollup.roll_up(MONDAY)
    assert WeekQuery.objects.get().nearest == near


def test_without_a_model_the_rest_is_kept(settings: Any) -> None:
    settings.EMBEDDER = "tests.browse.outage.Unreachable"
    cache.clear()
    item("Pension transfer", embedded=False)
    searched("pension")
    rollup.roll_up(MONDAY)
    assert WeekQuery.objects.get().nearest is None


def test_it_runs_once_a_day_and_as_a_command(capsys: Any) -> None:
    searched("Words")
    assert rollup.run(NOON).ran is jobs.Ran.NOW
    assert rollup.run(NOON).ran is jobs.Ran.ALREADY
    searched("Today", timezone.now())
    call_command("roll_up_searches")
    assert "1 weeks, 1 searches" in capsys.readouterr().out


def test_the_schedule_names_a_task_that_exists() -> None:
    planned = PeriodicTask.objects.get(task="search.roll_up")
    assert (planned.crontab.hour, planned.crontab.minute) == ("2", "10")
    assert planned.task == tasks.roll_up.name
