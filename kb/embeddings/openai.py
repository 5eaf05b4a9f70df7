"""OpenAI, and any server that speaks its embeddings API (Ollama, vLLM, TEI, …).

Retries live here and nowhere else. Neither a key nor a text ever reaches a log or a
message.
"""

import random
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from core.text import clean
from kb.embeddings.base import (
    EmbeddingRefused,
    EmbeddingUnavailable,
    Recipe,
    Vector,
    fitted,
)

MAX_CHARACTERS = 24_000
# A provider that finds even this too long will not read the text at all.
MIN_CHARACTERS = 32
PASSAGE_TIMEOUT = 60.0
ATTEMPTS = 4
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
_NO_KEY = "not-needed"

_TOO_LONG = re.compile(
    r"context.?(length|window|size)|max\w* (model|input|sequence) len|n_ctx"
    r"|too (long|large|many tokens)|max\w*\b.{0,60}\btokens"
    r"|(less|fewer) than \d+ tokens|exceeds?\b.{0,60}\b(tokens|length)",
    re.IGNORECASE,
)


class _TooLong(Exception):
    """For what the provider reads in one call, or for the model."""


class _TryAgain(Exception):
    def __init__(self, detail: str, after: float | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.after = after


@dataclass(frozen=True)
class Provider:
    """Where the model is, and its recipe."""

    recipe: Recipe
    base_url: str = ""
    api_key: str = ""
    query_timeout: float = 3.0


class OpenAIEmbedder:
    """Safe to call from many threads, which share one client."""

    def __init__(self, provider: Provider) -> None:
        self.recipe = provider.recipe
        self._provider = provider
        self._client = openai.OpenAI(
            api_key=provider.api_key or _NO_KEY,
            base_url=provider.base_url or None,
            max_retries=0,
        )
        self._threads = ThreadPoolExecutor(32, thread_name_prefix="embedding")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._client.close()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        prefix = self.recipe.passage_prefix
        return self._whole([_readable(prefix + text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        """All of it, name look-up and slow bodies included, within the time-out: the
        client's own limits only cover each step."""
        timeout = self._provider.query_timeout
        text = _readable(self.recipe.query_prefix + text)
        future = self._threads.submit(self._query, text, time.monotonic() + timeout)
        try:
            return future.result(timeout)
        except TimeoutError as error:
            future.cancel()
            raise EmbeddingUnavailable("no answer in time") from error
        except (EmbeddingRefused, _TryAgain) as error:
            raise EmbeddingUnavailable(error.detail) from error

    def _query(self, text: str, deadline: float) -> Vector:
        while True:
            try:
                return self._call([text], max(0.1, deadline - time.monotonic()))[0]
            except _TooLong:
                text = _halved(text)

    def _whole(self, texts: list[str]) -> list[Vector]:
        """All vectors. Too long a call is split, too long a text is halved, so that
        one long text costs the others nothing."""
        if not texts:
            return []
        try:
            return self._patiently(texts)
        except _TooLong:
            middle = len(texts) // 2
            if not middle:
                return self._whole([_halved(texts[0])])
            return self._whole(texts[:middle]) + self._whole(texts[middle:])

    def _patiently(self, texts: list[str]) -> list[Vector]:
        for attempt in range(ATTEMPTS):
            try:
                return self._call(texts, PASSAGE_TIMEOUT)
            except _TryAgain as problem:
                if attempt + 1 == ATTEMPTS:
                    raise EmbeddingUnavailable(problem.detail) from problem
                time.sleep(_pause(attempt, problem.after))
        raise AssertionError

    def _call(self, texts: list[str], timeout: float) -> list[Vector]:
        extra: dict[str, Any] = {}
        if takes_dimensions(self.recipe.model):
            extra["dimensions"] = self.recipe.dimensions
        try:
            answer = self._client.embeddings.create(
                model=self.recipe.model,
                input=texts,
                encoding_format="float",  # not every server knows base64
                timeout=timeout,
                **extra,
            )
        except openai.APIStatusError as error:
            # Not chained: a provider's own words may repeat the key or the text.
            raise _translated(error) from None
        except openai.APITimeoutError as error:
            raise _TryAgain("no answer in time") from error
        except openai.APIConnectionError as error:
            raise _TryAgain("not reachable") from error
        except (openai.OpenAIError, ValueError) as error:
            raise EmbeddingUnavailable("the answer is not valid") from error
        return _vectors(answer, len(texts))


def takes_dimensions(model: str) -> bool:
    return "text-embedding-3" in model


def _readable(text: str) -> str:
    """What a provider accepts: cut, and never empty."""
    return clean(text)[:MAX_CHARACTERS].strip() or "-"


def _halved(text: str) -> str:
    if len(text) < 2 * MIN_CHARACTERS:
        raise EmbeddingRefused("too long for the model, however short")
    return text[: len(text) // 2]


def _vectors(answer: Any, count: int) -> list[Vector]:
    """The vectors in the order of the texts, whatever order they came in."""
    try:
        rows = list(answer.data)
        if all(isinstance(row.index, int) for row in rows):
            rows.sort(key=lambda row: row.index)
        vectors = [fitted(row.embedding) for row in rows]
    except (AttributeError, TypeError, ValueError) as error:
        raise EmbeddingUnavailable("the answer is not valid") from error
    if len(vectors) != count:
        raise EmbeddingUnavailable(f"{len(vectors)} vectors for {count} texts")
    return vectors


def _translated(error: openai.APIStatusError) -> Exception:
    status, code = error.status_code, error.code or ""
    detail = f"HTTP {status}" + (
        f" {code}" if re.fullmatch(r"[\w.-]{1,60}", code) else ""
    )
    if code == "insufficient_quota":
        return EmbeddingUnavailable(detail)
    if status == 429:
        return _TryAgain(detail, _retry_after(error.response.headers))
    # llama.cpp and older Ollama say it with a 500.
    said_by = status in (400, 422, 500) and f"{code} {error.message}"
    if status == 413 or (said_by and _TOO_LONG.search(said_by)):
        return _TooLong(detail)
    if status >= 500 or status in (408, 409, 425):
        return _TryAgain(detail, _retry_after(error.response.headers))
    return EmbeddingRefused(detail)


def _retry_after(headers: Any) -> float | None:
    value = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (at.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def _pause(attempt: int, asked: float | None) -> float:
    """Seconds before the next attempt: as asked, else doubling, with jitter so that
    many workers do not return together."""
    jitter = random.uniform(0.0, FIRST_PAUSE)  # noqa: S311
    wait = FIRST_PAUSE * 2**attempt if asked is None else asked
    return min(wait + jitter, LONGEST_PAUSE)
