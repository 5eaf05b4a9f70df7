from collections.abc import Iterator, Sequence

import pytest
from django.test import override_settings

from kb.embeddings.base import EmbeddingUnavailable, Recipe, Vector
from tests.embedder import HashEmbedder


class BrokenEmbedder:
    """A provider that is down."""

    recipe: Recipe = HashEmbedder.recipe

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        raise EmbeddingUnavailable("down")

    def embed_query(self, text: str) -> Vector:
        raise EmbeddingUnavailable("down")


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits count in fixed windows: a test must not cross the edge of one."""
    monkeypatch.setattr("django_ratelimit.core.time.time", lambda: 1_780_000_000.0)


@pytest.fixture
def broken_embedder() -> Iterator[None]:
    with override_settings(EMBEDDER="tests.search.conftest.BrokenEmbedder"):
        yield
