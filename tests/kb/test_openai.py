"""The OpenAI path against a real HTTP server, healthy and not."""

import logging
import time
from collections.abc import Iterator

import numpy as np
import pytest

from kb.embeddings.base import EmbeddingRefused, EmbeddingUnavailable, Recipe
from kb.embeddings.openai import OpenAIEmbedder
from kb.embeddings.openai import Provider as Configuration
from kb.models.index import DIMENSIONS
from tests.kb.provider import Answer, Body, Provider, embedded, refusal, running

KEY = "sk-secret-of-the-test"
TEXT = "a text that nobody may log"


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running() as provider:
        yield provider


@pytest.fixture
def embedder(provider: Provider) -> Iterator[OpenAIEmbedder]:
    made = _embedder(provider)
    yield made
    provider.released.set()
    made.close()


def _embedder(
    provider: Provider, recipe: Recipe | None = None, api_key: str = KEY
) -> OpenAIEmbedder:
    recipe = recipe or Recipe("text-embedding-3-large", 1024)
    return OpenAIEmbedder(Configuration(recipe, provider.url, api_key))


def _hangs(request: Body) -> Answer:
    return Answer(hangs=True)


def test_vectors_are_unit_length_padded_and_in_the_order_of_the_texts(
    provider: Provider, embedder: OpenAIEmbedder
) -> None:
    def backwards(request: Body) -> Answer:
        answer = embedded(request)
        assert isinstance(answer.body, dict)
        answer.body["data"].reverse()
        return answer

    provider.behaviour = backwards

    vectors = embedder.embed_passages(["a", "bbb"])

    assert [vector.shape for vector in vectors] == [(DIMENSIONS,)] * 2
    assert [float(v[1] / v[0]) for v in vectors] == pytest.approx([1.0, 3.0])
    assert [float(np.linalg.norm(v)) for v in vectors] == pytest.approx([1.0, 1.0])
    assert not np.any(vectors[0][8:])


def test_dimensions_are_sent_only_to_models_that_take_them(provider: Provider) -> None:
    for model in ("text-embedding-3-large", "nomic-embed-text"):
        embedder = _embedder(provider, Recipe(model, 512))
        embedder.embed_passages(["a"])
        embedder.close()

    assert [r.get("dimensions") for r in provider.requests] == [512, None]


def test_a_server_without_a_key_gets_a_placeholder(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    embedder = _embedder(provider, api_key="")
    embedder.embed_query("a")
    embedder.close()

    assert provider.keys == ["Bearer not-needed"]


def test_prefixes_of_the_recipe_go_before_queries_and_passages(
    provider: Provider,
) -> None:
    embedder = _embedder(provider, Recipe("e5", 384, "query: ", "passage: "))
    embedder.embed_query("a")
    embedder.embed_passages(["b"])
    embedder.close()

    assert provider.inputs == [["query: a"], ["passage: b"]]


def test_empty_texts_and_stray_characters_are_made_readable(
    provider: Provider, embedder: OpenAIEmbedder
) -> None:
    embedder.embed_passages(["", " \n", "a\x00b\ud800"])
    assert provider.inputs == [["-", "-", "ab"]]


def test_no_texts_cost_no_call(provider: Provider, embedder: OpenAIEmbedder) -> None:
    assert embedder.embed_passages([]) == []
    assert provider.requests == []


def test_input_is_cut_at_24000_characters(
    provider: Provider, embedder: OpenAIEmbedder
) -> None:
    embedder.embed_passages(["x" * 30_000])
    assert [len(text) for text in provider.inputs[0]] == [24_000]


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 512 tokens. You requested 900."),
        (400, "the input length exceeds the context length"),
        (413, "Payload Too Large"),
        (413, "`inputs` must have less than 512 tokens. Given: 900"),
        (500, "input is too large to process. increase the physical batch size"),
    ],
)
def test_a_text_too_long_is_halved_and_costs_its_neighbours_nothing(
    provider: Provider, embedder: OpenAIEmbedder, status: int, message: str
) -> None:
    def small(request: Body) -> Answer:
        if any(len(text) > 300 for text in request["input"]):
            return refusal(status, message)
        return embedded(request)

    provider.behaviour = small

    vectors = embedder.embed_passages(["x" * 200, "y" * 1000, "z" * 100])

    assert [round(float(v[1] / v[0])) for v in vectors] == [200, 250, 100]


def test_a_text_that_is_too_long_however_short_is_refused(
    provider: Provider, embedder: OpenAIEmbedder
) -> None:
    provider.behaviour = lambda _: refusal(413, "Too large")

    with pytest.raises(EmbeddingRefused):
        embedder.embed_passages(["x" * 1000])
    assert len(provider.requests) < 10


def test_a_long_query_is_halved_within_its_time(
    provider: Provider, embedder: OpenAIEmbedder
) -> None:
    provider.script = [lambda _: refusal(413, "Too large")]
    vector = embedder.embed_query("x" * 1000)
    assert round(float(vector[1] / vector[0])) == 500


def test_passages_wait_as_long_as_a_busy_provider_asks(
    provider: Provider, embedder: OpenAIEmbedder
) -> None:
    provider.script = [lambda _: refusal(429, "Busy", Retry_After="1")]
    started = time.monotonic()

    assert len(embedder.embed_passages(["a"])) == 1

    assert 1.0 <= time.monotonic() - started < 3.0
    assert len(provider.requests) == 2


@pytest.mark.parametrize("status", [500, 502, 503])
def test_passages_are_tried_again_after_a_server_error(
    provider: Provider, embedder: OpenAIEmbedder, status: int
) -> None:
    provider.script = [lambda _: refusal(status, "Oops")]
    assert len(embedder.embed_passages(["a"])) == 1
    assert len(provider.requests) == 2


def test_tries_of_passages_are_bounded(
    provider: Provider, embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.embeddings.openai.FIRST_PAUSE", 0.01)
    provider.behaviour = lambda _: refusal(500, "Oops")

    with pytest.raises(EmbeddingUnavailable) as failure:
        embedder.embed_passages([TEXT])

    assert failure.value.detail == "HTTP 500"
    assert len(provider.requests) == 4


def test_a_used_up_quota_is_not_tried_again(
    provider: Provider, embedder: OpenAIEmbedder
) -> None:
    error = {"message": "You exceeded your quota", "code": "insufficient_quota"}
    provider.behaviour = lambda _: Answer(429, {"error": error})

    with pytest.raises(EmbeddingUnavailable) as failure:
        embedder.embed_passages(["a"])

    assert failure.value.detail == "HTTP 429 insufficient_quota"
    assert len(provider.requests) == 1


def test_passages_survive_a_connection_that_breaks(
    provider: Provider, embedder: OpenAIEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.embeddings.openai.PASSAGE_TIMEOUT", 0.3)
    provider.script = [_hangs]
    assert len(embedder.embed_passages(["a"])) == 1
    assert len(provider.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_refusal_is_final_for_passages_and_an_outage_for_queries(
    provider: Provider, embedder: OpenAIEmbedder, status: int
) -> None:
    provider.behaviour = lambda _: refusal(status, f"Wrong: {KEY} {TEXT}")

    with pytest.raises(EmbeddingRefused) as final:
        embedder.embed_passages([TEXT])
    with pytest.raises(EmbeddingUnavailable) as outage:
        embedder.embed_query(TEXT)

    assert (final.value.detail, outage.value.detail) == (f"HTTP {status}",) * 2
    assert (outage.value.status, outage.value.code) == (503, "EMBEDDING_FAILED")
    assert len(provider.requests) == 2


@pytest.mark.parametrize(
    "behaviour",
    [
        _hangs,
        lambda _: refusal(429, "Busy", Retry_After="30"),
        lambda _: refusal(500, "Oops"),
        lambda _: Answer(body="{not json"),
        lambda _: Answer(body="<html>A proxy's page</html>"),
        lambda _: Answer(body={"object": "list"}),
        lambda _: Answer(body={"data": [{"index": 0, "embedding": "x"}]}),
        lambda _: Answer(body='{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'),
        lambda _: Answer(body={"data": [{"index": 0, "embedding": [0.0, 0.0]}]}),
        lambda _: embedded({"input": ["a", "b"]}),
        lambda r: embedded(r, 2000),
    ],
    ids=[
        "hangs",
        "busy",
        "error",
        "broken",
        "page",
        "empty",
        "text",
        "nan",
        "zero",
        "two",
        "wide",
    ],
)
def test_a_query_fails_within_three_and_a_half_seconds_after_one_call(
    provider: Provider,
    embedder: OpenAIEmbedder,
    caplog: pytest.LogCaptureFixture,
    behaviour: object,
) -> None:
    provider.behaviour = behaviour  # type: ignore[assignment]
    started = time.monotonic()

    with caplog.at_level(logging.DEBUG, "hub"), pytest.raises(EmbeddingUnavailable):
        embedder.embed_query(TEXT)

    assert time.monotonic() - started < 3.5
    assert len(provider.requests) == 1
    assert KEY not in caplog.text
    assert TEXT not in caplog.text


@pytest.mark.parametrize(
    "behaviour",
    [
        lambda _: Answer(body="{not json"),
        lambda _: Answer(body='{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'),
        lambda _: embedded({"input": ["a", "b"]}),
    ],
    ids=["broken", "nan", "two"],
)
def test_passages_do_not_take_an_answer_that_does_not_fit(
    provider: Provider, embedder: OpenAIEmbedder, behaviour: object
) -> None:
    provider.behaviour = behaviour  # type: ignore[assignment]
    with pytest.raises(EmbeddingUnavailable):
        embedder.embed_passages(["a"])


def test_vectors_that_do_not_fit_are_refused_in_clear_words(
    provider: Provider, embedder: OpenAIEmbedder
) -> None:
    provider.behaviour = lambda request: embedded(request, 2000)
    with pytest.raises(EmbeddingRefused) as failure:
        embedder.embed_passages(["a"])
    assert failure.value.detail == (
        "The model returns 2000 dimensions; at most 1024 fit. "
        "Set EMBEDDING_DIMENSIONS or choose another model."
    )


def test_a_provider_that_is_not_there_fails_at_once(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.embeddings.openai.FIRST_PAUSE", 0.01)
    with running() as gone:
        pass
    embedder = _embedder(gone)
    started = time.monotonic()

    with pytest.raises(EmbeddingUnavailable) as query:
        embedder.embed_query("a")
    with pytest.raises(EmbeddingUnavailable):
        embedder.embed_passages(["a"])

    assert query.value.detail == "not reachable"
    assert time.monotonic() - started < 3.0
    embedder.close()
