"""Settings that must fit together, told at start rather than in a search."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, Error

from kb.embeddings.local import Export, ModelMissing
from kb.models.index import DIMENSIONS

# A failed search is answered within this.
ANSWER_SECONDS = 5
# What OpenAI takes in one call.
MAX_BATCH = 2048


def check_embeddings(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    if settings.EMBEDDER:
        return list(_limits())
    remote = bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)
    return [*_limits(), *(_remote() if remote else _local())]


def _limits() -> Iterator[CheckMessage]:
    if not 0 < settings.EMBEDDING_QUERY_TIMEOUT < ANSWER_SECONDS:
        yield Error(
            "EMBEDDING_QUERY_TIMEOUT must be above 0 and below "
            f"{ANSWER_SECONDS} seconds: a search answers within that.",
            id="kb.E001",
        )
    if not 1 <= settings.EMBEDDING_BATCH_SIZE <= MAX_BATCH:
        yield Error(
            f"EMBEDDING_BATCH_SIZE must be from 1 to {MAX_BATCH}.", id="kb.E002"
        )


def _remote() -> Iterator[CheckMessage]:
    if not settings.EMBEDDING_MODEL.strip():
        yield Error("EMBEDDING_MODEL names no model.", id="kb.E003")
    if not 0 <= settings.EMBEDDING_THRESHOLD <= 1:
        yield Error("EMBEDDING_THRESHOLD must be from 0 to 1.", id="kb.E008")
    if not 1 <= settings.EMBEDDING_DIMENSIONS <= DIMENSIONS:
        yield Error(
            f"EMBEDDING_DIMENSIONS must be from 1 to {DIMENSIONS}: more do not fit.",
            id="kb.E004",
        )
    url = settings.OPENAI_BASE_URL
    if url and not (
        urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname
    ):
        yield Error(
            "OPENAI_BASE_URL is not an address such as http://localhost:11434/v1.",
            id="kb.E005",
        )
    if settings.LOCAL_MODEL_DIR:
        yield checks.Warning(
            "LOCAL_MODEL_DIR is not used: OPENAI_API_KEY or OPENAI_BASE_URL is set.",
            id="kb.W001",
        )


def _local() -> Iterator[CheckMessage]:
    try:
        export = Export.configured(settings.LOCAL_MODEL_DIR)
    except ModelMissing as error:
        yield Error(f"Nothing can be embedded. {error}", id="kb.E006")
        return
    if export.dimensions > DIMENSIONS:
        yield Error(
            f"{export.name} has {export.dimensions} dimensions; at most {DIMENSIONS} "
            "fit. Choose another model for LOCAL_MODEL_DIR.",
            id="kb.E007",
        )


def check_summaries(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> Iterator[CheckMessage]:
    if settings.CHAT_TIMEOUT <= 0:
        yield Error("CHAT_TIMEOUT must be above 0 seconds.", id="kb.E011")
    if settings.CHAT_MODEL and not (settings.CHAT_API_KEY or settings.CHAT_BASE_URL):
        yield Error(
            "CHAT_MODEL is set, but neither CHAT_API_KEY nor CHAT_BASE_URL: nobody "
            "would answer.",
            id="kb.E010",
        )
