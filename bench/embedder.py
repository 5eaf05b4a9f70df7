"""The local embedder with its vectors kept on disk, so that reruns cost nothing."""

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from django.conf import settings

from bench.settings import CACHE
from kb.embeddings.base import EmbeddingUnavailable, Recipe, Vector, fitted
from kb.embeddings.local import LocalEmbedder
from kb.models.index import DIMENSIONS


class CachedEmbedder:
    """Same recipe, same vectors; a text is embedded once."""

    def __init__(self) -> None:
        self._local = LocalEmbedder(settings.LOCAL_MODEL_DIR)
        self._lock = threading.Lock()
        CACHE.mkdir(parents=True, exist_ok=True)
        self._store = sqlite3.connect(
            CACHE / "vectors.sqlite", check_same_thread=False, timeout=60
        )
        self._store.execute(
            "CREATE TABLE IF NOT EXISTS vector (key BLOB PRIMARY KEY, value BLOB)"
        )

    @property
    def recipe(self) -> Recipe:
        return self._local.recipe

    def embed_query(self, text: str) -> Vector:
        return self.embed_passages([text])[0]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        with self._lock:
            known = {text: self._read(text) for text in texts}
            new = [text for text, vector in known.items() if vector is None]
            if new:
                made = self._local.embed_passages(new)
                for text, read in zip(new, made, strict=True):
                    self._write(text, read)
                    known[text] = read
                self._store.commit()
        return [vector for text in texts if (vector := known[text]) is not None]

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.recipe.name}\x1e{text}".encode()).digest()

    def _read(self, text: str) -> Vector | None:
        query = "SELECT value FROM vector WHERE key = ?"
        row = self._store.execute(query, [self._key(text)]).fetchone()
        return fitted(np.frombuffer(row[0], dtype="<f4")) if row else None

    def _write(self, text: str, vector: Vector) -> None:
        used = vector[: self.recipe.dimensions].astype("<f4").tobytes()
        self._store.execute(
            "INSERT OR REPLACE INTO vector VALUES (?, ?)", [self._key(text), used]
        )


class GivenEmbedder:
    """Vectors of queries that were given beforehand, at no cost."""

    given: ClassVar[dict[str, Vector]] = {}
    recipe = Recipe(model="clustered-synthetic", dimensions=DIMENSIONS, threshold=0.35)

    def embed_query(self, text: str) -> Vector:
        return self.given[text]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        raise EmbeddingUnavailable("Only queries have vectors here.")
