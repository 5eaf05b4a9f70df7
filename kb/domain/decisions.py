"""What the hub decided by itself: nightly runs and the changes they made."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max
from django.db.models.functions import TruncDate

from kb.domain import jobs
from kb.enums import DigestKind, JobOutcome
from kb.models import ContentItem, JobRun

DAYS = 14
SHOWN = 15
LABELS = {
    jobs.SEARCHES: "Roll up searches",
    jobs.FLAG: "Flag overdue reviews",
    jobs.QUALITY: "Recompute quality",
    jobs.BACKFILL: "Embed what is missing",
    jobs.DUPLICATES: "Find near-duplicates",
    jobs.SUMMARIES: "Write missing summaries",
    jobs.DIGESTS[DigestKind.WEEKLY]: "Send the weekly digests",
    jobs.DIGESTS[DigestKind.DAILY]: "Mail what is due today",
}


@dataclass(frozen=True)
class Ran:
    """The last run of a job."""

    run: JobRun
    label: str

    @property
    def seconds(self) -> float | None:
        if self.run.finished_at is None:
            return None
        return (self.run.finished_at - self.run.started_at).total_seconds()

    @property
    def told(self) -> str:
        return self.run.message or told(self.run.counts)


@dataclass(frozen=True)
class Decision:
    """So many items changed on a day, and why; no person did it."""

    at: datetime
    reason: str
    count: int


def told(counts: Mapping[str, int]) -> str:
    """ "412 items, 18 changed"."""
    parts = [f"{n:,} {name.replace('_', ' ')}" for name, n in counts.items()]
    return ", ".join(parts) or "nothing to do"


def last_runs() -> list[Ran]:
    """Of each job the last one, in the order of the night; others after them."""
    latest = JobRun.objects.order_by("job", "-date").distinct("job")
    order = list(LABELS)

    def place(run: JobRun) -> tuple[int, str]:
        return (order.index(run.job) if run.job in order else len(order), run.job)

    return [
        Ran(run, LABELS.get(run.job, run.job.replace("_", " ").capitalize()))
        for run in sorted(latest, key=place)
    ]


def decisions(now: datetime) -> list[Decision]:
    """Changes of items that nobody made by hand, of the last two weeks."""
    kept = ContentItem.history.filter(
        history_user=None, history_date__gte=now - timedelta(days=DAYS)
    )
    rows = (
        kept.order_by()
        .annotate(day=TruncDate("history_date"))
        .values_list("day", "history_change_reason")
        .annotate(n=Count("pk"), at=Max("history_date"))
        .order_by("-at")[:SHOWN]
    )
    return [
        Decision(at, reason or "Changed by a command", n) for _, reason, n, at in rows
    ]


def failed(ran: Ran) -> bool:
    return ran.run.outcome == JobOutcome.FAILED
