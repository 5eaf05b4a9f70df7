"""Embeds what is missing: sections by the provider, items as the mean of theirs.

No transaction is open while the provider works. Vectors are stored only where the text
is still the one that was read, so a run may stop anywhere, be started again, and share
the work with other processes.
"""

import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from kb.domain import scores
from kb.domain.indexing import section_text
from kb.domain.vectors import (
    SectionVector,
    store_item_vectors,
    store_section_vectors,
)
from kb.embeddings import outage
from kb.embeddings.base import (
    Embedder,
    EmbeddingRefused,
    EmbeddingUnavailable,
    Recipe,
    Vector,
)
from kb.embeddings.local import LocalEmbedder
from kb.embeddings.openai import OpenAIEmbedder, Provider
from kb.models import ContentChunk, ItemIndex
from kb.querysets import ItemIndexQuerySet

log = logging.getLogger("hub.embedding")

PAGE = 32  # items whose sections are in memory at once
_CONFIGURATION = (
    "EMBEDDER",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "EMBEDDING_MODEL",
    "EMBEDDING_DIMENSIONS",
    "EMBEDDING_QUERY_PREFIX",
    "EMBEDDING_PASSAGE_PREFIX",
    "EMBEDDING_THRESHOLD",
    "EMBEDDING_QUERY_TIMEOUT",
    "LOCAL_MODEL_DIR",
)
_lock = threading.Lock()

Progress = Callable[[int], object]


@dataclass
class Counts:
    """What a run did. `refused` are sections that the provider will not read."""

    items: int = 0
    sections: int = 0
    refused: int = 0


def embedder() -> Embedder:
    """The one in force, one a process: a model or client is not shared by a fork."""
    configuration = [getattr(settings, name) for name in _CONFIGURATION]
    with _lock:
        return _built(os.getpid(), *configuration)


@lru_cache(maxsize=1)
def _built(*configuration: Any) -> Embedder:
    if settings.EMBEDDER:
        chosen: Embedder = import_string(settings.EMBEDDER)()
        return chosen
    prefixes = (settings.EMBEDDING_QUERY_PREFIX, settings.EMBEDDING_PASSAGE_PREFIX)
    if not (settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL):
        return LocalEmbedder(settings.LOCAL_MODEL_DIR, *prefixes)
    recipe = Recipe(
        settings.EMBEDDING_MODEL,
        settings.EMBEDDING_DIMENSIONS,
        *prefixes,
        threshold=settings.EMBEDDING_THRESHOLD,
    )
    return OpenAIEmbedder(
        Provider(
            recipe,
            base_url=settings.OPENAI_BASE_URL,
            api_key=settings.OPENAI_API_KEY,
            query_timeout=settings.EMBEDDING_QUERY_TIMEOUT,
        )
    )


def recipe() -> Recipe:
    """Of the embedder in force. `EmbeddingUnavailable` if its model is not there."""
    try:
        return embedder().recipe
    except EmbeddingRefused as error:
        raise EmbeddingUnavailable(error.detail) from error


def embed_query(text: str) -> Vector:
    """The vector of a query. `EmbeddingUnavailable` within seconds if there is none."""
    try:
        vector = embedder().embed_query(text)
    except EmbeddingUnavailable as error:
        log.warning("query not embedded", extra={"detail": error.detail})
        outage.failed(error.detail)
        raise
    if outage.noticed():
        outage.recovered()
    return vector


def missing() -> ItemIndexQuerySet:
    """Items that the recipe in force has still to read."""
    return ItemIndex.objects.missing(recipe().name)


def embed_items(ids: Sequence[str], until: float | None = None) -> int:
    """Embed those of `ids` that need it; how many are now embedded anew."""
    wanted = [uuid.UUID(each) for each in ids]
    return _embed([missing().filter(pk__in=wanted)], Counts(), until=until).items


def embed_missing(
    limit: int | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    *,
    until: float | None = None,
    model_changed: bool = False,
) -> Counts:
    """Embed all that is missing, or `limit` items, or until the monotonic time `until`.

    `batch` sections go to the provider at once. `progress` hears of items as they are
    done. With `model_changed`, items that another model embedded come first. Raises
    `EmbeddingUnavailable` when the provider fails; what was done stays done.
    """
    queues = [missing()]
    if model_changed:
        queues.insert(0, missing().exclude(recipe__in=["", recipe().name]))
    return _embed(queues, Counts(), limit, batch, progress, until)


def embed_in_background(seconds: float, ids: Sequence[str] | None = None) -> int:
    """For tasks: `embed_items(ids)`, else all that is missing, for about `seconds`.
    Does nothing while the provider rests; the next sweep takes up what failed."""
    if outage.resting():
        return 0
    until = time.monotonic() + seconds
    try:
        if ids is not None:
            return embed_items(ids, until)
        return embed_missing(until=until).items
    except EmbeddingUnavailable:
        return 0  # logged where it was noticed, once an outage


def backfill(seconds: float) -> dict[str, int]:
    """What the sweeps left, for about `seconds`; raises `EmbeddingUnavailable`."""
    counts = embed_missing(until=time.monotonic() + seconds)
    return {**asdict(counts), "left": missing().count()}


def _embed(
    queues: Sequence[ItemIndexQuerySet],
    counts: Counts,
    limit: int | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    until: float | None = None,
) -> Counts:
    unfinished: set[uuid.UUID] = set()  # changed meanwhile: for another run
    for queue in queues:
        while not _over(until):
            size = PAGE if limit is None else min(PAGE, limit - counts.items)
            page = _page(queue.exclude(pk__in=unfinished), size)
            if not page:
                break
            _embed_sections(list(page), counts, batch, until)
            done = store_item_vectors(page, recipe().name)
            scores.rescore(done, timezone.now().date())
            unfinished |= page.keys() - done
            counts.items += len(done)
            if progress:
                progress(len(done))
    return counts


def _over(until: float | None) -> bool:
    return until is not None and time.monotonic() >= until


def _page(queue: ItemIndexQuerySet, size: int) -> dict[uuid.UUID, str]:
    """Up to `size` items with the hash of their text, from a random place on: processes
    that work at the same time rarely take the same."""
    start = uuid.uuid4()
    rows = queue.order_by("pk").values_list("pk", "text_hash")
    found = list(rows.filter(pk__gte=start)[:size])
    if len(found) < size:
        found += rows.filter(pk__lt=start)[: size - len(found)]
    return dict(found)


def _embed_sections(
    items: list[uuid.UUID], counts: Counts, batch: int | None, until: float | None
) -> None:
    name = recipe().name
    rows = ContentChunk.objects.unread(name).filter(item__in=items)
    found = [
        (section_text(title, path, text), pk, hash_)
        for pk, hash_, title, path, text in rows.values_list(
            "pk", "text_hash", "item__title", "heading_path", "text"
        )
    ]
    found.sort(key=lambda row: len(row[0]))
    for call in _batches(found, batch or settings.EMBEDDING_BATCH_SIZE):
        if _over(until):
            return
        vectors = _read([text for text, _, _ in call])
        read = [
            SectionVector(pk, hash_, vector)
            for (_, pk, hash_), vector in zip(call, vectors, strict=True)
        ]
        store_section_vectors(read, name)
        refused = [each.pk for each in read if each.vector is None]
        counts.sections += len(read) - len(refused)
        counts.refused += len(refused)
        if refused:
            log.warning("the provider refuses sections", extra={"sections": refused})


def _batches(rows: list[Any], size: int) -> Iterator[list[Any]]:
    rest = iter(rows)
    while found := list(islice(rest, size)):
        yield found


def _read(texts: list[str]) -> list[Vector | None]:
    """One vector a text; None for one that the provider refuses though it reads
    others."""
    try:
        vectors = _read_or_isolate(texts)
    except EmbeddingUnavailable as error:
        outage.failed(error.detail)
        raise
    outage.recovered()
    return vectors


def _read_or_isolate(texts: list[str]) -> list[Vector | None]:
    try:
        return list(embedder().embed_passages(texts))
    except EmbeddingRefused as refusal:
        try:
            embedder().embed_passages(["test"])
        except EmbeddingRefused:
            # It refuses anything: the key, the model or the settings are wrong.
            raise EmbeddingUnavailable(refusal.detail) from refusal
    return _isolate(texts)


def _isolate(texts: list[str]) -> list[Vector | None]:
    """Halve until what is refused stands alone."""
    try:
        return list(embedder().embed_passages(texts))
    except EmbeddingRefused:
        middle = len(texts) // 2
        if not middle:
            return [None]
        return _isolate(texts[:middle]) + _isolate(texts[middle:])
