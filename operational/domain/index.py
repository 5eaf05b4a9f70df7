"""The library of the process: loaded once, then kept level with the graph's version.

Each web process has its own. Under its lock a query takes milliseconds, and Python
would let no two of them run at once anyway. Millions of small objects that stay would
be looked at by every full garbage collection (25,000 entities: half the time of a
query), so they are put out of its sight.
"""

import gc
import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.models import Q

from operational.domain import versions
from operational.domain.confidence import PLAYBOOK
from operational.models import Entity, Failure, Pattern, Symptom
from operational.pipeline.library import Library
from operational.pipeline.records import MAX_BODY, Record

log = logging.getLogger("hub.operational")

_BATCH = 5_000
# So many are built anew within a question; of more, beside it.
AT_ONCE = 3_000


class _Index:
    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.version = -1
        self.library = Library()
        self.tidying = False

    def refresh(self) -> None:
        version = versions.current()
        if version == self.version:
            return
        if self.version < 0 or version < self.version:
            self.library = _built(_records(Q(archived_at=None)))
        else:
            changed = Q(version__gt=self.version)
            gone = Entity.objects.filter(changed).exclude(archived_at=None)
            self.library.remove(gone.values_list("pk", flat=True))
            self.library.update(_records(changed & Q(archived_at=None)))
        self.version = version
        if self.library.stale and self.library.live < AT_ONCE:
            self.library = _built(filter(None, self.library.records))
        elif self.library.stale and not self.tidying:
            self.tidying = True
            threading.Thread(target=self.tidy, name="tidy-library", daemon=True).start()

    def tidy(self) -> None:
        """Build anew beside the one in use; what changes meanwhile comes with the next
        refresh, since the new one keeps the version that it was made from."""
        try:
            with self.lock:
                version = self.version
                records = [record for record in self.library.records if record]
            fresh = _built(records)
            with self.lock:
                if self.version >= version >= 0:
                    self.library, self.version = fresh, version
        finally:
            self.tidying = False


def _built(records: Iterable[Record]) -> Library:
    gc.disable()
    try:
        built = Library(records)
    finally:
        gc.enable()
    if built.live >= AT_ONCE:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
    return built


_index = _Index()


@contextmanager
def library() -> Iterator[tuple[Library, int]]:
    """The library and the version that it is of; use it inside only."""
    with _index.lock:
        _index.refresh()
        yield _index.library, _index.version


def warm() -> threading.Thread:
    """Load the library in the background, so that no question waits for it."""

    def load() -> None:
        try:
            with library():
                pass
        except Exception as error:
            # The first question tries again, and says what is wrong.
            log.warning("library not loaded", extra={"error": type(error).__name__})
        finally:
            connection.close()

    thread = threading.Thread(target=load, name="operational-library", daemon=True)
    thread.start()
    return thread


def forget() -> None:
    """Load anew at the next use."""
    with _index.lock:
        _index.version = -1


def _records(which: Q) -> Iterator[Record]:
    """Records of these entities, in order of id: the same graph gives the same
    library in every process."""
    last = 0
    while True:
        batch = list(
            Entity.objects.filter(which, pk__gt=last)
            .order_by("pk")
            .only("type", "slug", "title", "tags", "body", "source", "is_public")[
                :_BATCH
            ]
        )
        if not batch:
            return
        last = batch[-1].pk
        yield from _batch(batch)


def _batch(entities: list[Entity]) -> Iterator[Record]:
    pks = [entity.pk for entity in entities]
    failures = Failure.objects.filter(pk__in=pks).annotate(playbook=PLAYBOOK).in_bulk()
    patterns = Pattern.objects.in_bulk(pks)
    symptoms: dict[int, list[str]] = {}
    rows = Symptom.objects.filter(failure_id__in=pks).order_by("failure_id", "position")
    for pk, text in rows.values_list("failure_id", "text"):
        symptoms.setdefault(pk, []).append(text)
    for entity in entities:
        failure, pattern = failures.get(entity.pk), patterns.get(entity.pk)
        yield Record(
            pk=entity.pk,
            type=entity.type,
            slug=entity.slug,
            title=entity.title,
            tags=tuple(entity.tags),
            body=entity.body[:MAX_BODY],
            source=entity.source,
            is_public=entity.is_public,
            keywords=tuple(pattern.keywords) if pattern else (),
            **(_facts(failure, symptoms.get(entity.pk, [])) if failure else {}),
        )


def _facts(failure: Failure, symptoms: list[str]) -> dict[str, Any]:
    return {
        "failure_type": failure.failure_type,
        "fix": failure.verified_fix[:MAX_BODY],
        "symptoms": tuple(symptoms),
        "instances": failure.instance_count,
        "last_occurrence": failure.last_occurrence,
        "playbook": failure.playbook,  # type: ignore[attr-defined]
        "pattern": failure.pattern_id,
        "score": failure.confidence_score,
    }
