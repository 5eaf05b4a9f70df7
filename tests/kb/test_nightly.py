"""The nightly jobs: what they do, once, whoever asks and however often."""

import importlib
import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import psycopg
import pytest
from celery import current_app
from celery.exceptions import Retry
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.test import RequestFactory
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from accounts.viewer import Viewer
from core import health, processes
from kb import embedding, tasks
from kb.domain import jobs, review, scores
from kb.domain.lifecycle import archive
from kb.domain.review import mark_reviewed, set_state
from kb.embeddings.base import EmbeddingUnavailable
from kb.enums import CadenceKind, JobOutcome, ReviewStatus
from kb.models import ContentItem, ItemIndex, JobRun
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db

TODAY = NOW.date()
DAY = timedelta(days=1)
NIGHTLY_TASKS = ("kb.flag_overdue", "kb.recompute_quality", "kb.backfill_embeddings")


def states() -> dict[str, str]:
    rows = ContentItem.objects.order_by("title")
    return dict(rows.values_list("title", "governance_review_status"))


def late(title: str = "Late", **values: Any) -> ContentItem:
    values.setdefault("next_review_date", TODAY - DAY)
    return item(title, embedded=False, **values)


# --- The flagger ------------------------------------------------------------------


def test_only_approved_items_whose_day_has_passed_become_overdue(
    editor: Viewer,
) -> None:
    late("Passed")
    late("Today", next_review_date=TODAY)
    late("None", next_review_date=None)
    late("Draft", governance_review_status=ReviewStatus.DRAFT)
    late("In review", governance_review_status=ReviewStatus.IN_REVIEW)
    archive(editor, [late("Archived").pk], NOW)
    assert review.flag_overdue(NOW) == 1
    assert states() == {
        "Archived": "approved",
        "Draft": "draft",
        "In review": "in_review",
        "None": "approved",
        "Passed": "review_overdue",
        "Today": "approved",
    }
    assert review.flag_overdue(NOW) == 0


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "America/Los_Angeles"])
def test_the_day_is_the_utc_one(zone: str) -> None:
    late(next_review_date=TODAY)
    evening = datetime.combine(TODAY, datetime.max.time(), UTC)
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('TimeZone', %s, true)", [zone])
        flagged = [review.flag_overdue(evening), review.flag_overdue(NOW + DAY)]
        cursor.execute("SELECT set_config('TimeZone', 'UTC', true)")
    assert flagged == [0, 1]


def test_flagging_is_history_like_any_other_change(editor: Viewer) -> None:
    """But for state, time and author, the row is the one an editor's change writes."""
    made = late(ai_keywords=["tls"], summary="Short.", layer="core")
    set_state(editor, [made.pk], ReviewStatus.APPROVED, NOW)
    review.flag_overdue(NOW)
    told = {
        "history_id",
        "history_date",
        "history_user_id",
        "history_change_reason",
        "governance_review_status",
    }
    flagged, approved = made.history.order_by("-history_id").values()[:2]
    assert {k: v for k, v in flagged.items() if k not in told} == {
        k: v for k, v in approved.items() if k not in told
    }
    assert {name: flagged[name] for name in told - {"history_id"}} == {
        "history_date": NOW,
        "history_user_id": None,
        "history_change_reason": "Review date passed",
        "governance_review_status": "review_overdue",
    }


def test_a_review_brings_it_back(editor: Viewer) -> None:
    made = late(cadence=CadenceKind.PERIOD, review_cadence_days=90)
    review.flag_overdue(NOW)
    mark_reviewed(editor, [made.pk], NOW)
    made.refresh_from_db()
    assert (made.governance_review_status, made.next_review_date) == (
        ReviewStatus.APPROVED,
        TODAY + timedelta(days=90),
    )
    assert review.flag_overdue(NOW) == 0


# --- One run a day ----------------------------------------------------------------


def run(now: datetime = NOW, **options: Any) -> jobs.Ran:
    return jobs.run_once("job", now.date(), lambda: {"done": 1}, now=now, **options).ran


def fail() -> dict[str, int]:
    raise OperationalError("the details")


def recorded() -> list[tuple[str, str, dict[str, int]]]:
    rows = JobRun.objects.order_by("date")
    return [(str(row.date), row.outcome, row.counts) for row in rows]


def test_a_job_runs_once_a_day() -> None:
    assert [run(), run(), run(NOW + DAY), run(again=True)] == [
        jobs.Ran.NOW,
        jobs.Ran.ALREADY,
        jobs.Ran.NOW,
        jobs.Ran.NOW,
    ]
    assert recorded() == [
        ("2026-06-15", "done", {"done": 1}),
        ("2026-06-16", "done", {"done": 1}),
    ]


def test_what_failed_is_kept_and_may_run_again() -> None:
    with pytest.raises(OperationalError):
        jobs.run_once("job", TODAY, fail, now=NOW)
    row = JobRun.objects.get()
    assert (row.outcome, row.message) == (
        "failed",
        "OperationalError; the log says more.",
    )
    assert run() is jobs.Ran.NOW
    assert recorded() == [("2026-06-15", "done", {"done": 1})]


def dead_run(now: datetime = NOW) -> JobRun:
    return JobRun.objects.create(
        job="job", date=now.date(), outcome=JobOutcome.RUNNING, started_at=now
    )


@pytest.mark.parametrize("again", [False, True])
def test_a_run_elsewhere_is_left_until_it_counts_as_dead(again: bool) -> None:
    dead_run()
    before = NOW + jobs.DEAD_AFTER - timedelta(seconds=1)
    assert run(before, again=again) is jobs.Ran.ELSEWHERE
    assert run(NOW + jobs.DEAD_AFTER) is jobs.Ran.NOW


def test_a_run_whose_process_was_killed_is_taken_over_at_once() -> None:
    row = dead_run()
    with subprocess.Popen(["/bin/sleep", "60"]) as process:
        row.message = processes.of(process.pid)
        row.save()
        assert run() is jobs.Ran.ELSEWHERE
        process.kill()
    assert run() is jobs.Ran.NOW
    assert recorded() == [("2026-06-15", "done", {"done": 1})]


def test_a_process_of_another_machine_is_not_known_to_be_dead() -> None:
    row = dead_run()
    for name in ("elsewhere 1 1", "", "about to end"):
        row.message = name
        row.save()
        assert run() is jobs.Ran.ELSEWHERE


def test_the_outcome_is_that_of_who_took_the_run_over() -> None:
    later = NOW + jobs.DEAD_AFTER

    def overtaken() -> dict[str, int]:
        jobs.run_once("job", TODAY, lambda: {"new": 1}, now=later)
        return {"old": 1}

    jobs.run_once("job", TODAY, overtaken, now=NOW)
    assert recorded() == [("2026-06-15", "done", {"new": 1})]


def test_the_next_night_closes_a_run_that_died() -> None:
    row = dead_run()
    run(NOW + DAY)
    row.refresh_from_db()
    assert (row.outcome, row.message) == (
        "failed",
        "Interrupted; the run of 2026-06-16 took over.",
    )


def test_skipped_days_are_caught_up_at_once() -> None:
    late("First")
    assert jobs.flag_overdue(NOW).counts == {"flagged": 1}
    late("Second", next_review_date=TODAY)
    late("Third", next_review_date=TODAY + DAY)
    assert jobs.flag_overdue(NOW + 3 * DAY).counts == {"flagged": 2}
    assert jobs.flag_overdue(NOW + 3 * DAY).ran is jobs.Ran.ALREADY
    assert recorded() == [
        ("2026-06-15", "done", {"flagged": 1}),
        ("2026-06-18", "done", {"flagged": 2}),
    ]


@pytest.mark.django_db(transaction=True)
def test_two_workers_make_one_run() -> None:
    start, release = threading.Barrier(2), threading.Event()
    runs: list[jobs.Ran] = []

    def work() -> dict[str, int]:
        release.wait(10)
        return {}

    def worker() -> None:
        try:
            start.wait(10)
            runs.append(jobs.run_once("job", TODAY, work, now=NOW).ran)
            release.set()
        finally:
            connection.close()

    threads = [threading.Thread(target=worker) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert runs == [jobs.Ran.ELSEWHERE, jobs.Ran.NOW]


# --- The recompute ----------------------------------------------------------------


@contextmanager
def connection_lost_after(statements: int) -> Iterator[None]:
    left = [statements]

    def count(execute: Any, *args: Any) -> Any:
        if not left[0]:
            raise OperationalError("terminating connection")
        left[0] -= 1
        return execute(*args)

    with connection.execute_wrapper(count):
        yield


def scored() -> list[tuple[str, int, Any]]:
    rows = ContentItem.objects.order_by("pk")
    return list(rows.values_list("title", "quality_score", "quality_parts"))


@pytest.mark.django_db(transaction=True)
def test_killed_half_way_and_run_again_it_ends_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scores, "_BATCH", 2)
    for number in range(5):
        late(f"Item {number}", now=NOW - number * 40 * DAY)
    on = (NOW + 60 * DAY).date()
    scores.recompute(on)
    whole = scored()
    scores.recompute(TODAY)
    untouched = scored()

    with pytest.raises(OperationalError), connection_lost_after(2):
        scores.recompute(on)
    assert [scored()[n] == whole[n] for n in range(5)] == [True] * 4 + [False]
    assert scored()[4] == untouched[4]
    assert scores.recompute(on) == scores.Counts(items=5, changed=1)
    assert scored() == whole


@pytest.mark.django_db(transaction=True)
def test_it_waits_for_nobody_who_has_an_item_in_hand() -> None:
    held, free = late("Held"), late("Free")
    parameters = connection.get_connection_params()
    for name in ("cursor_factory", "context", "pool", "prepare_threshold"):
        parameters.pop(name, None)
    with psycopg.connect(**parameters) as other:
        other.execute("SELECT FROM kb_contentitem WHERE id = %s FOR UPDATE", [held.pk])
        later = (NOW + 90 * DAY).date()
        assert scores.recompute(later) == scores.Counts(items=2, changed=1)
    assert scores.recompute(later) == scores.Counts(items=2, changed=1)
    assert free.pk != held.pk


# --- Tasks, commands, schedules, health ---------------------------------------------


def test_the_schedules_stand_in_the_database() -> None:
    rows = PeriodicTask.objects.filter(task__in=NIGHTLY_TASKS)
    assert {
        row.task: (row.crontab.hour, row.crontab.minute, str(row.crontab.timezone))
        for row in rows
    } == {
        "kb.flag_overdue": ("3", "45", "UTC"),
        "kb.recompute_quality": ("4", "0", "UTC"),
        "kb.backfill_embeddings": ("4", "15", "UTC"),
    }
    assert set(NIGHTLY_TASKS) <= set(current_app.tasks)


def test_what_was_changed_in_admin_stays() -> None:
    made = PeriodicTask.objects.get(task="kb.recompute_quality")
    PeriodicTask.objects.filter(pk=made.pk).update(enabled=False)
    importlib.import_module("kb.migrations.0003_nightly").create(apps, None)
    assert not PeriodicTask.objects.get(task="kb.recompute_quality").enabled


def test_each_task_runs_its_job_once() -> None:
    late()
    item("Unread", embedded=False)
    for task in (tasks.flag_overdue, tasks.recompute_quality):
        task()
        task()
    tasks.backfill_embeddings()
    assert dict(JobRun.objects.values_list("job", "counts")) == {
        "flag_overdue": {"flagged": 1},
        "recompute_quality": {"items": 2, "changed": 2},
        "backfill_embeddings": {"items": 2, "sections": 2, "refused": 0, "left": 0},
    }
    assert not ItemIndex.objects.filter(embedding=None).exists()


def test_a_task_that_finds_a_run_standing_looks_again_later() -> None:
    JobRun.objects.create(
        job=jobs.QUALITY,
        date=timezone.now().date(),
        outcome=JobOutcome.RUNNING,
        started_at=timezone.now(),
    )
    with pytest.raises(Retry):
        tasks.recompute_quality()


def test_a_backfill_without_a_provider_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unavailable(*args: Any, **options: Any) -> None:
        raise EmbeddingUnavailable("connection refused")

    monkeypatch.setattr(embedding, "embed_missing", unavailable)
    tasks.backfill_embeddings()
    row = JobRun.objects.get()
    assert (row.outcome, row.message) == ("failed", "connection refused")


def command(name: str) -> str:
    out = StringIO()
    call_command(name, stdout=out)
    return out.getvalue().strip()


def test_each_job_is_a_command_that_may_be_repeated() -> None:
    late()
    ContentItem.objects.update(quality_score=99)
    assert [
        command("flag_overdue"),
        command("flag_overdue"),
        command("recompute_quality"),
        command("recompute_quality"),
    ] == [
        "1 items are now overdue.",
        "0 items are now overdue.",
        "1 items, 1 changed.",
        "1 items, 0 changed.",
    ]
    assert set(JobRun.objects.values_list("job", "outcome")) == {
        ("flag_overdue", "done"),
        ("recompute_quality", "done"),
    }


@pytest.mark.parametrize("name", ["flag_overdue", "recompute_quality"])
def test_a_command_does_not_run_beside_another(name: str) -> None:
    JobRun.objects.create(
        job=name,
        date=timezone.now().date(),
        outcome=JobOutcome.RUNNING,
        started_at=timezone.now(),
    )
    with pytest.raises(CommandError, match="Nothing was done here"):
        call_command(name)


def ran(on: datetime, outcome: JobOutcome, message: str = "") -> None:
    JobRun.objects.update_or_create(
        job=jobs.QUALITY,
        date=on.date(),
        defaults={"outcome": outcome, "message": message, "started_at": on},
    )


@pytest.mark.parametrize(
    ("outcome", "passed", "said"),
    [
        (JobOutcome.DONE, DAY, None),
        (JobOutcome.DONE, 3 * DAY, "recompute_quality last ran on 2026-06-15."),
        (JobOutcome.RUNNING, timedelta(minutes=1), None),
        (JobOutcome.RUNNING, DAY, "recompute_quality of 2026-06-15 does not end."),
        (JobOutcome.FAILED, DAY, "recompute_quality failed on 2026-06-15: No disk."),
    ],
)
def test_the_last_outcome_is_told(
    outcome: JobOutcome, passed: timedelta, said: str | None
) -> None:
    ran(NOW - DAY, JobOutcome.FAILED, "Long forgotten.")
    ran(NOW, outcome, "No disk.")
    assert jobs.problem(NOW + passed) == said


def test_a_failed_job_does_not_make_the_hub_unready(rf: RequestFactory) -> None:
    ran(timezone.now(), JobOutcome.FAILED, "No disk.")
    answer = health.readyz(rf.get("/readyz"))
    checks = json.loads(answer.content)["checks"]
    assert "failed on" in checks["nightly"]
    assert "No disk." in checks["nightly"]
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "arguments",
    [
        ("find_duplicates", "--limit", "-1"),
        ("generate_summaries", "--limit", "0"),
        ("backfill_embeddings", "--batch-size", "0"),
        ("send_digests", "--date", "9999-12-31"),
        ("send_digests", "--date", "0001-01-01"),
    ],
)
def test_a_command_refuses_what_makes_no_sense_and_records_no_run(
    arguments: tuple[str, ...],
) -> None:
    with pytest.raises(CommandError, match=r"must be at least 1|is too far away"):
        call_command(*arguments)
    assert not JobRun.objects.exists()
