"""A provider that has just gone away."""

from kb.embeddings.base import EmbeddingUnavailable, Vector
from tests.embedder import HashEmbedder

MESSAGE = "Search is temporarily unavailable. Please try again shortly."


class Unreachable(HashEmbedder):
    def embed_query(self, text: str) -> Vector:
        raise EmbeddingUnavailable("connection refused")
