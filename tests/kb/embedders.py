"""Embedders that fail in the ways that providers do."""

from collections.abc import Callable, Sequence

from kb.embeddings.base import (
    EmbeddingRefused,
    EmbeddingUnavailable,
    Recipe,
    Vector,
)
from tests.embedder import HashEmbedder


class Switched(HashEmbedder):
    """Works while `down` is false; remembers what it was asked."""

    down = False
    asked: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if Switched.down:
            raise EmbeddingUnavailable("HTTP 503")
        Switched.asked.extend(texts)
        return super().embed_passages(texts)

    def embed_query(self, text: str) -> Vector:
        return self.embed_passages([text])[0]


class Picky(HashEmbedder):
    """Refuses any call with a text about poison."""

    calls = 0

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        Picky.calls += 1
        if any("poison" in text for text in texts):
            raise EmbeddingRefused("HTTP 400")
        return super().embed_passages(texts)


class WrongKey(HashEmbedder):
    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        raise EmbeddingRefused("HTTP 401")


class OtherModel(HashEmbedder):
    recipe = Recipe(model="other", dimensions=512)


class Interrupted(HashEmbedder):
    """Does something else while it works."""

    meanwhile: Callable[[], object] | None = None

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        act, Interrupted.meanwhile = Interrupted.meanwhile, None
        if act:
            act()
        return super().embed_passages(texts)
