"""Nightly jobs: each runs once a day, and its outcome is kept as a `JobRun`.

A run is claimed by the unique (job, date) of its row, never by a lock of a session,
which PgBouncer would lose. While it runs, its message names the process. Jobs look at
the state of the library and not at the day, so that one run catches up with every night
missed, and a second does no harm.
"""

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from enum import Enum

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from core import processes
from core.errors import HubError
from kb.domain import review, scores
from kb.enums import DigestKind, JobOutcome
from kb.models import JobRun

log = logging.getLogger("hub.jobs")

FLAG = "flag_overdue"
QUALITY = "recompute_quality"
BACKFILL = "backfill_embeddings"
SEARCHES = "roll_up_searches"
DUPLICATES = "find_duplicates"
NIGHTLY = (SEARCHES, FLAG, QUALITY, BACKFILL, DUPLICATES)
# After imports, so that it is never late.
SUMMARIES = "generate_summaries"
DIGESTS = {DigestKind.WEEKLY: "weekly_digest", DigestKind.DAILY: "daily_digest"}
# Of those that run once a week, the last one may be a week old.
WEEKLY = (DIGESTS[DigestKind.WEEKLY],)
REGULAR = (*NIGHTLY, DIGESTS[DigestKind.DAILY], *WEEKLY)
KNOWN = (*REGULAR, SUMMARIES)

# A run that says nothing for so long has died, and the next trigger takes it over; one
# whose process has ended on this machine, at once.
# Longer than any job takes: the backfill stops itself, the others take a minute.
DEAD_AFTER = timedelta(minutes=20)
# `/readyz` tells of a job that was not done for so long.
LATE_AFTER = timedelta(days=2)
LATE_AFTER_WEEKLY = timedelta(days=9)

Work = Callable[[], Mapping[str, int]]

_CLAIM = """
INSERT INTO kb_jobrun (job, date, outcome, counts, message, started_at)
VALUES (%(job)s, %(date)s, %(running)s, '{}', %(process)s, %(now)s)
ON CONFLICT (job, date) DO UPDATE
SET outcome = excluded.outcome, counts = '{}', message = excluded.message,
    started_at = excluded.started_at, finished_at = NULL
WHERE kb_jobrun.outcome = %(failed)s
   OR (kb_jobrun.outcome = %(done)s AND %(again)s)
   OR (kb_jobrun.outcome = %(running)s
       AND (kb_jobrun.started_at <= %(dead)s OR kb_jobrun.message = %(ended)s))
RETURNING id
"""


class Ran(Enum):
    NOW = "now"
    ALREADY = "already"  # done on this date
    ELSEWHERE = "elsewhere"  # running in another process, as far as anybody knows


@dataclass(frozen=True)
class Run:
    ran: Ran
    counts: Mapping[str, int]


def flag_overdue(now: datetime, *, again: bool = False) -> Run:
    def work() -> Mapping[str, int]:
        return {"flagged": review.flag_overdue(now)}

    return run_once(FLAG, _day(now), work, now=now, again=again)


def recompute_quality(now: datetime, *, again: bool = False) -> Run:
    def work() -> Mapping[str, int]:
        return asdict(scores.recompute(_day(now)))

    return run_once(QUALITY, _day(now), work, now=now, again=again)


def run_once(
    job: str, on: date, work: Work, *, now: datetime, again: bool = False
) -> Run:
    """Do `work` unless it was done on that date, or another process does it now; with
    `again`, even if it was done. What fails is kept as failed, and raised."""
    run_id = _claim(job, on, now, again=again)
    if run_id is None:
        return _standing(job, on)
    _close_older(job, on, now)
    try:
        counts = work()
    except Exception as error:
        _finish(run_id, now, JobOutcome.FAILED, {}, _told(error))
        raise
    _finish(run_id, now, JobOutcome.DONE, counts, "")
    return Run(Ran.NOW, counts)


def _claim(job: str, on: date, now: datetime, *, again: bool) -> int | None:
    ended = _ended(job, on)
    with connection.cursor() as cursor:
        cursor.execute(
            _CLAIM,
            {
                "job": job,
                "date": on,
                "now": now,
                "again": again,
                "dead": now - DEAD_AFTER,
                "process": processes.here(),
                "ended": ended,
                "running": JobOutcome.RUNNING.value,
                "failed": JobOutcome.FAILED.value,
                "done": JobOutcome.DONE.value,
            },
        )
        row = cursor.fetchone()
    return row[0] if row else None


def _ended(job: str, on: date) -> str | None:
    """The name of the process that died over this run, as far as can be known."""
    standing = JobRun.objects.filter(job=job, date=on, outcome=JobOutcome.RUNNING)
    name = standing.values_list("message", flat=True).first()
    return name if name and processes.has_ended(name) else None


def _standing(job: str, on: date) -> Run:
    run = JobRun.objects.get(job=job, date=on)
    if run.outcome == JobOutcome.RUNNING:
        return Run(Ran.ELSEWHERE, {})
    return Run(Ran.ALREADY, run.counts)


def _close_older(job: str, on: date, now: datetime) -> None:
    """Runs of earlier dates that died: this one does what they left."""
    dead = JobRun.objects.filter(job=job, date__lt=on, outcome=JobOutcome.RUNNING)
    dead.filter(started_at__lte=now - DEAD_AFTER).update(
        outcome=JobOutcome.FAILED, message=f"Interrupted; the run of {on} took over."
    )


def _finish(
    run_id: int,
    started: datetime,
    outcome: JobOutcome,
    counts: Mapping[str, int],
    message: str,
) -> None:
    """Unless another process has taken the run over."""
    JobRun.objects.filter(pk=run_id, started_at=started).update(
        outcome=outcome,
        counts=dict(counts),
        message=message,
        finished_at=timezone.now(),
    )


def _told(error: Exception) -> str:
    """For admin and `/readyz`; what may hold texts of the library stays in the log."""
    if isinstance(error, HubError):
        return str(getattr(error, "detail", error.message))
    log.error("nightly job failed", exc_info=error)
    return f"{type(error).__name__}; the log says more."


def _day(now: datetime) -> date:
    return now.astimezone(UTC).date()


def probe() -> str | None:
    """For `/readyz`: the jobs whose last run failed, died or is long ago."""
    return problem(timezone.now())


def problem(now: datetime) -> str | None:
    wrong = [_wrong(run, now) for run in latest()]
    return " ".join(filter(None, wrong)) or None


def outcomes() -> str:
    """For `/readyz`: the last of each job."""
    return ", ".join(f"{run.job} {run.outcome} {run.date}" for run in latest())


def latest() -> QuerySet[JobRun]:
    """Of each known job the last run."""
    runs = JobRun.objects.filter(job__in=KNOWN).order_by("job", "-date")
    return runs.distinct("job")


def _wrong(run: JobRun, now: datetime) -> str:
    if run.outcome == JobOutcome.FAILED:
        return f"{run.job} failed on {run.date}: {run.message}"
    if run.outcome == JobOutcome.RUNNING and run.started_at <= now - DEAD_AFTER:
        return f"{run.job} of {run.date} does not end."
    late_after = LATE_AFTER_WEEKLY if run.job in WEEKLY else LATE_AFTER
    if run.job in REGULAR and _day(now) - run.date > late_after:
        return f"{run.job} last ran on {run.date}."
    return ""
