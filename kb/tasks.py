"""Background work of the library: each task hands ids on and retries only what the
infrastructure broke."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from celery import Task, shared_task
from django.core.cache import cache
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from core.jobs import enqueue
from kb import digests, duplicates, embedding, summaries
from kb.domain import jobs
from kb.domain.terms import refresh_statistics, statistics_outdated
from kb.embeddings.base import EmbeddingUnavailable
from kb.enums import DigestKind
from kb.summarisers.base import SummariesUnavailable

log = logging.getLogger("hub.jobs")

SWEEP_SECONDS = 50
# Items of one task beyond this wait for the sweep.
TASK_SECONDS = 600
# Longer than a sweep with a slow provider; a lost lock costs double work, no harm.
_LOCK_SECONDS = 900

_BROKEN = (OperationalError, InterfaceError)


@shared_task(
    name="kb.embed_items",
    autoretry_for=_BROKEN,
    max_retries=5,
    retry_backoff=2,
    acks_late=True,
    ignore_result=True,
)
def embed_items(ids: list[str]) -> None:
    embedding.embed_in_background(TASK_SECONDS, ids)


@shared_task(
    name="kb.sweep",
    autoretry_for=_BROKEN,
    max_retries=5,
    retry_backoff=2,
    acks_late=True,
    ignore_result=True,
)
def sweep() -> None:
    """Each minute: embed what is missing, and count terms anew if texts changed."""
    with _alone("kb:sweep") as alone:
        if not alone:
            return
        if statistics_outdated():
            refresh_statistics(timezone.now())
        embedding.embed_in_background(SWEEP_SECONDS)


# Shorter than the time after which a run counts as dead.
BACKFILL_SECONDS = COMPARING_SECONDS = 900
# Short, so that what embeds an import need not wait for its summaries.
SUMMARY_SECONDS = 60
MAIL_AGAIN_SECONDS = 600


def _nightly(name: str) -> Callable[..., Any]:
    """A run that died is taken over by the retry of whoever finds it standing."""
    return shared_task(
        name=name,
        bind=True,
        autoretry_for=_BROKEN,
        max_retries=5,
        retry_backoff=2,
        acks_late=True,
        ignore_result=True,
    )


def _again_if_it_dies(task: "Task[Any, None]", run: jobs.Run) -> None:
    if run.ran is jobs.Ran.ELSEWHERE:
        raise task.retry(countdown=jobs.DEAD_AFTER.total_seconds())


@_nightly("kb.flag_overdue")
def flag_overdue(self: "Task[Any, None]") -> None:
    _again_if_it_dies(self, jobs.flag_overdue(timezone.now()))


@_nightly("kb.recompute_quality")
def recompute_quality(self: "Task[Any, None]") -> None:
    _again_if_it_dies(self, jobs.recompute_quality(timezone.now()))


@_nightly("kb.backfill_embeddings")
def backfill_embeddings(self: "Task[Any, None]") -> None:
    now = timezone.now()
    try:
        run = jobs.run_once(
            jobs.BACKFILL,
            now.date(),
            lambda: embedding.backfill(BACKFILL_SECONDS),
            now=now,
        )
    except EmbeddingUnavailable:
        return  # kept as the run's outcome; the sweeps go on trying
    _again_if_it_dies(self, run)


@_nightly("kb.find_duplicates")
def find_duplicates(self: "Task[Any, None]") -> None:
    """What it has not reached by then, the next night goes on with."""
    now = timezone.now()

    def work() -> dict[str, int]:
        return asdict(duplicates.find(now, until=time.monotonic() + COMPARING_SECONDS))

    try:
        _again_if_it_dies(
            self, jobs.run_once(jobs.DUPLICATES, now.date(), work, now=now)
        )
    except EmbeddingUnavailable:
        return  # kept as the run's outcome


@_nightly("kb.generate_summaries")
def generate_summaries(self: "Task[Any, None]", ids: list[str] | None = None) -> None:
    """After an import all that wait, a slice a time; or those that somebody chose."""
    now = timezone.now()

    def work() -> dict[str, int]:
        until = time.monotonic() + SUMMARY_SECONDS
        return asdict(summaries.generate(now, ids=ids, until=until))

    try:
        if ids is not None:
            work()
            return
        run = jobs.run_once(jobs.SUMMARIES, now.date(), work, now=now, again=True)
    except SummariesUnavailable as error:
        log.warning("no summaries", extra={"detail": error.detail})
        return  # kept as the run's outcome
    _again_if_it_dies(self, run)
    if run.counts["left"] > run.counts["failed"]:
        enqueue("kb.generate_summaries")


@_nightly("kb.weekly_digest")
def weekly_digest(self: "Task[Any, None]") -> None:
    _digest(self, DigestKind.WEEKLY)


@_nightly("kb.daily_digest")
def daily_digest(self: "Task[Any, None]") -> None:
    _digest(self, DigestKind.DAILY)


def _digest(task: "Task[Any, None]", kind: DigestKind) -> None:
    """Mails that failed are tried again, less and less often, for some hours."""
    try:
        run = digests.send(kind, timezone.now())
    except digests.MailFailed as error:
        wait = MAIL_AGAIN_SECONDS * 2 ** (task.request.retries or 0)
        raise task.retry(exc=error, countdown=wait) from error
    _again_if_it_dies(task, run)


@contextmanager
def _alone(key: str) -> Iterator[bool]:
    """Whether no other process does this now, as far as the cache can tell."""
    try:
        alone = cache.add(key, 1, _LOCK_SECONDS)
    except Exception:
        yield True
        return
    try:
        yield alone
    finally:
        if alone:
            _release(key)


def _release(key: str) -> None:
    try:
        cache.delete(key)
    except Exception:
        return  # it expires
