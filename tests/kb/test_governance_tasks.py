"""Near-duplicates and summaries as background work: scheduled, run once, visible."""

from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from celery.exceptions import Retry
from django.core.management import CommandError, call_command
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from accounts.viewer import Viewer
from kb import embedding, summaries, tasks
from kb.domain import jobs
from kb.embeddings.base import EmbeddingUnavailable
from kb.enums import JobOutcome
from kb.importers.base import Options
from kb.importers.service import import_files
from kb.models import ContentItem, DuplicatePair, JobRun
from kb.summarisers.base import SummariesUnavailable
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db

TEXT = (
    "We back up every system each night to two sites. "
    "Copies of every system are kept for 35 days."
)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    """What was handed to the broker."""
    calls: list[tuple[str, Any]] = []

    def send_task(name: str, args: Any, **_: Any) -> None:
        calls.append((name, list(args)))

    monkeypatch.setattr(current_app, "send_task", send_task)
    return calls


def run_of(job: str) -> tuple[str, dict[str, int], str]:
    run = JobRun.objects.get(job=job)
    return run.outcome, run.counts, run.message


def test_near_duplicates_are_looked_for_each_night() -> None:
    row = PeriodicTask.objects.get(task="kb.find_duplicates")
    assert (row.crontab.hour, row.crontab.minute) == ("4", "30")
    item("One", TEXT)
    item("Two", TEXT)
    tasks.find_duplicates()
    tasks.find_duplicates()
    assert run_of(jobs.DUPLICATES) == (
        "done",
        {"items": 2, "pairs": 1, "gone": 0, "left": 0},
        "",
    )
    assert DuplicatePair.objects.count() == 1


def test_a_night_without_a_model_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable() -> None:
        raise EmbeddingUnavailable("no weights")

    monkeypatch.setattr(embedding, "recipe", unavailable)
    tasks.find_duplicates()
    assert run_of(jobs.DUPLICATES) == ("failed", {}, "no weights")
    with pytest.raises(CommandError, match="no weights"):
        call_command("find_duplicates")


@pytest.mark.parametrize("job", [jobs.DUPLICATES, jobs.SUMMARIES])
def test_a_task_that_finds_a_run_standing_looks_again_later(job: str) -> None:
    now = timezone.now()
    JobRun.objects.create(
        job=job, date=now.date(), outcome=JobOutcome.RUNNING, started_at=now
    )
    task = getattr(tasks, job)
    with pytest.raises(Retry):
        task()


def test_an_import_asks_for_summaries(
    governor: Viewer,
    tmp_path: Path,
    sent: list[tuple[str, Any]],
    django_capture_on_commit_callbacks: Any,
) -> None:
    file = tmp_path / "backups.md"
    file.write_text(f"# Backups\n\n{TEXT}")
    for dry_run, asked in ((True, 0), (False, 1), (False, 0)):
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            import_files(governor, [file], Options(dry_run=dry_run), NOW)
        assert [name for name, _ in sent].count("kb.generate_summaries") == asked
    assert "kb.generate_summaries" in current_app.tasks
    tasks.generate_summaries()
    assert run_of(jobs.SUMMARIES)[:2] == ("done", {"items": 1, "failed": 0, "left": 0})
    assert ContentItem.objects.get().summary == TEXT


def test_what_does_not_fit_into_one_run_goes_on_in_the_next(
    sent: list[tuple[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    item("One", TEXT, embedded=False)
    monkeypatch.setattr(tasks, "SUMMARY_SECONDS", -1)
    sent.clear()
    with django_capture_on_commit_callbacks(execute=True):
        tasks.generate_summaries()
    assert sent == [("kb.generate_summaries", [])]
    assert run_of(jobs.SUMMARIES)[1] == {"items": 0, "failed": 0, "left": 1}


def test_items_that_somebody_chose_are_no_run_of_the_day() -> None:
    one, two = item("One", TEXT), item("Two", TEXT)
    tasks.generate_summaries([str(one.pk)])
    one.refresh_from_db()
    two.refresh_from_db()
    assert (one.summary, two.summary) == (TEXT, "")
    assert not JobRun.objects.exists()


def test_a_model_that_is_down_is_kept_as_the_outcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unavailable(*args: Any, **options: Any) -> None:
        raise SummariesUnavailable("HTTP 401")

    monkeypatch.setattr(summaries, "generate", unavailable)
    tasks.generate_summaries()
    assert run_of(jobs.SUMMARIES) == ("failed", {}, "HTTP 401")


def test_the_last_outcome_of_each_job_is_told() -> None:
    assert jobs.outcomes() == ""
    now = timezone.now()
    for job, outcome in ((jobs.FLAG, "done"), (jobs.QUALITY, "failed")):
        JobRun.objects.create(job=job, date=now.date(), outcome=outcome, started_at=now)
    assert jobs.outcomes() == (
        f"flag_overdue done {now.date()}, recompute_quality failed {now.date()}"
    )


def test_summaries_are_never_late() -> None:
    JobRun.objects.create(
        job=jobs.SUMMARIES, date=NOW.date(), outcome="done", started_at=NOW
    )
    assert jobs.problem(timezone.now()) is None
