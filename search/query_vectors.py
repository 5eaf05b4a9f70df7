"""Vectors of queries, kept so that a repeated query costs no call.

In front a small memory of this process, behind it the shared cache, which may be down.
A failure is never kept.
"""

import hashlib
import logging
import threading
import unicodedata
from collections import OrderedDict

import numpy as np
from django.core.cache import cache

from kb import embedding
from kb.embeddings.base import Embedder, Vector
from kb.models.index import DIMENSIONS

log = logging.getLogger("hub.search")

KEPT_SECONDS = 24 * 3600
REMEMBERED = 1_000


class _Memory:
    """The most recent vectors of one embedder."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def get(self, embedder: Embedder, key: str) -> Vector | None:
        with self._lock:
            if self._embedder is not embedder or key not in self._vectors:
                return None
            self._vectors.move_to_end(key)
            return self._vectors[key]

    def put(self, embedder: Embedder, key: str, vector: Vector) -> None:
        with self._lock:
            if self._embedder is not embedder:
                self._embedder = embedder
                self._vectors.clear()
            self._vectors[key] = vector
            if len(self._vectors) > REMEMBERED:
                self._vectors.popitem(last=False)


_memory = _Memory()


def query_vector(text: str) -> Vector:
    """Raises `EmbeddingUnavailable`."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    embedder = embedding.embedder()
    key = _key(text)
    vector = _memory.get(embedder, key)
    if vector is None:
        vector = _shared(key)
        if vector is None:
            vector = embedding.embed_query(text)
            _share(key, vector)
        # One array for all who ask.
        vector.flags.writeable = False
        _memory.put(embedder, key, vector)
    return vector


def _key(text: str) -> str:
    """Of text and recipe; a digest, since texts are people's words and may be long."""
    read = f"{embedding.recipe().name}\x1e{text}".encode("utf-8", "ignore")
    return f"query-vector:{hashlib.sha256(read).hexdigest()}"


def _shared(key: str) -> Vector | None:
    try:
        stored = cache.get(key)
    except Exception as error:
        log.warning("cache unreachable", extra={"error": type(error).__name__})
        return None
    if not isinstance(stored, bytes) or len(stored) != 4 * DIMENSIONS:
        return None
    return np.frombuffer(stored, dtype="<f4").copy()


def _share(key: str, vector: Vector) -> None:
    try:
        cache.set(key, vector.astype("<f4").tobytes(), KEPT_SECONDS)
    except Exception as error:
        log.warning("cache unreachable", extra={"error": type(error).__name__})
