"""Vectors of queries are kept: a repeated query costs no call; a failure is not."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from django.core.cache import cache
from pytest_django import Settings

from kb.embeddings.base import EmbeddingUnavailable
from search import query_vectors
from search.query_vectors import query_vector
from tests.embedder import HashEmbedder
from tests.kb.embedders import Switched


@pytest.fixture(autouse=True)
def provider(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[type[Switched]]:
    settings.EMBEDDER = "tests.kb.embedders.Switched"
    monkeypatch.setattr(query_vectors, "_memory", query_vectors._Memory())
    Switched.down, Switched.asked = False, []
    yield Switched
    Switched.down = False


def _another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_vectors, "_memory", query_vectors._Memory())


def test_a_repeated_query_costs_no_call_however_it_is_spaced_or_composed() -> None:
    first = query_vector("backup café")
    again = query_vector("  backup \n cafe\u0301 ")
    assert Switched.asked == ["backup café"]
    assert np.array_equal(first, again)


def test_case_and_accents_make_another_query() -> None:
    query_vector("US")
    query_vector("us")
    assert Switched.asked == ["US", "us"]


def test_another_process_finds_the_vector_in_the_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = query_vector("backup")
    _another_process(monkeypatch)
    assert np.array_equal(query_vector("backup"), first)
    assert Switched.asked == ["backup"]


def test_a_failure_is_not_kept() -> None:
    Switched.down = True
    with pytest.raises(EmbeddingUnavailable):
        query_vector("backup")
    Switched.down = False
    expected = HashEmbedder().embed_query("backup")
    assert np.array_equal(query_vector("backup"), expected)


def test_vectors_of_another_model_are_not_taken(settings: Settings) -> None:
    query_vector("backup")
    settings.EMBEDDER = "tests.kb.embedders.OtherModel"
    query_vector("backup")
    settings.EMBEDDER = "tests.kb.embedders.Switched"
    query_vector("backup")
    assert len([key for key in cache._cache if "query-vector" in key]) == 2  # type: ignore[attr-defined]


def test_with_the_cache_down_a_process_remembers_by_itself(settings: Settings) -> None:
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:9/0",
        }
    }
    query_vector("backup")
    query_vector("backup")
    assert Switched.asked == ["backup"]


def test_what_the_cache_cannot_hold_is_embedded_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query_vector("backup")
    for key in list(cache._cache):  # type: ignore[attr-defined]
        if "query-vector" in key:
            cache.set(key.split(":", 2)[2], b"broken")
    _another_process(monkeypatch)
    query_vector("backup")
    assert Switched.asked == ["backup", "backup"]


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_vectors, "REMEMBERED", 2)
    for text in ("a", "b", "a", "c", "a"):
        query_vector(text)
    assert list(query_vectors._memory._vectors) == [
        query_vectors._key("c"),
        query_vectors._key("a"),
    ]


def test_many_threads_get_the_same_vector() -> None:
    with ThreadPoolExecutor(8) as threads:
        vectors = list(threads.map(query_vector, ["backup"] * 40))
    assert {vector.tobytes() for vector in vectors} == {vectors[0].tobytes()}


def test_a_query_of_stray_characters_has_a_vector() -> None:
    assert query_vector("\ud800 \x00").shape == query_vector("a").shape
