"""The seam to embedding models: what makes a vector, and what can go wrong."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.errors import Unavailable
from kb.models.index import DIMENSIONS

Vector = npt.NDArray[np.float32]

RECIPE_NAME = 120  # length of the columns that hold it


class EmbeddingUnavailable(Unavailable):
    """The provider did not answer, or not usefully; the text is not the cause."""

    code = "EMBEDDING_FAILED"

    def __init__(self, detail: str) -> None:
        super().__init__("Search is temporarily unavailable. Please try again shortly.")
        self.detail = detail


class EmbeddingRefused(Exception):
    """The provider will never embed this (a text it cannot read, wrong model, wrong
    key, too many dimensions): repeating the call does not help."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


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
        """Stored with each vector; at most RECIPE_NAME characters, and unlike that of
        any other recipe."""
        prefixes = f"{self.query_prefix}|{self.passage_prefix}".strip("|")
        parts = (self.model, str(self.dimensions), prefixes)
        name = re.sub(r"\s+", " ", ":".join(filter(None, parts)))
        if len(name) <= RECIPE_NAME:
            return name
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        return f"{name[: RECIPE_NAME - 17]}:{digest}"


class Embedder(Protocol):
    """One model. Vectors are unit length, float32, zero-padded to DIMENSIONS."""

    @property
    def recipe(self) -> Recipe: ...

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """One vector a text, in order. Raises `EmbeddingUnavailable` when trying again
        later may help, `EmbeddingRefused` when not."""
        ...

    def embed_query(self, text: str) -> Vector:
        """The vector of a query, within seconds and without retries. Raises nothing but
        `EmbeddingUnavailable`."""
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
