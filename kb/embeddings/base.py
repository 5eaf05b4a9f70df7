"""The seam to embedding models: what makes a vector, and what can go wrong."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.errors import Unavailable
from kb.models.index import DIMENSIONS

Vector = npt.NDArray[np.float32]


class EmbeddingUnavailable(Unavailable):
    """The provider did not answer, or not usefully; the text is not the cause."""

    code = "EMBEDDING_FAILED"

    def __init__(self, detail: str) -> None:
        super().__init__("Search is temporarily unavailable. Please try again shortly.")
        self.detail = detail


class EmbeddingRefused(Exception):
    """The provider will never embed this (wrong model, wrong key, too many
    dimensions): repeating the call does not help."""


@dataclass(frozen=True)
class Recipe:
    """All that decides a vector besides the text. Vectors of two recipes never meet.

    `threshold` is the least cosine that search counts as a match by default.
    """

    model: str
    dimensions: int
    query_prefix: str = ""
    passage_prefix: str = ""
    threshold: float = 0.35

    @property
    def name(self) -> str:
        """Stored with each vector; at most 120 characters."""
        prefixes = f"{self.query_prefix}|{self.passage_prefix}".strip("|")
        parts = (self.model, str(self.dimensions), prefixes)
        return re.sub(r"\s+", " ", ":".join(filter(None, parts)))[:120]


class Embedder(Protocol):
    """One model. Vectors are unit length, float32, zero-padded to DIMENSIONS."""

    @property
    def recipe(self) -> Recipe: ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order. Raises `EmbeddingUnavailable` when trying again
        later may help, `EmbeddingRefused` when not."""
        ...

    def embed_query(self, text: str) -> Vector:
        """As `embed_passages`, for a query, within seconds and without retries."""
        ...


def fitted(vector: npt.ArrayLike) -> Vector:
    """Unit length and zero-padded to DIMENSIONS: cosines stay what they were."""
    array = np.asarray(vector, dtype=np.float32)
    if array.ndim != 1 or array.size > DIMENSIONS:
        raise EmbeddingRefused(
            f"The model returns {array.size} dimensions; at most {DIMENSIONS} fit. "
            "Set EMBEDDING_DIMENSIONS or choose another model."
        )
    norm = float(np.linalg.norm(array))
    if not np.isfinite(norm) or norm == 0.0:
        raise EmbeddingUnavailable("the model returned an empty vector")
    padded = np.zeros(DIMENSIONS, dtype=np.float32)
    padded[: array.size] = array / norm
    return padded
