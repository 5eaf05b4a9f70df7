"""The model in process: right, repeatable, and from any export."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from kb.embeddings.base import EmbeddingRefused, EmbeddingUnavailable
from kb.embeddings.local import Export, LocalEmbedder, ModelMissing
from kb.models.index import DIMENSIONS

TEXTS = [
    "We make a copy of all data every night.",
    "Backups are taken daily.",
    "Our office has a table tennis room.",
    "",
    "word " * 2_000,
    "Ünïcödé 测试 😀 \x00 \ud800",
]


@pytest.fixture(scope="module")
def model() -> LocalEmbedder:
    return LocalEmbedder()


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A directory as sentence-transformers writes it."""
    packaged = Export.packaged()
    folder = tmp_path / "my-model"
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    shutil.copy(packaged.weights, folder / "onnx" / "model_quantized.onnx")
    shutil.copy(packaged.tokenizer, folder / "tokenizer.json")
    _write(folder / "config.json", {"hidden_size": 384})
    _write(folder / "sentence_bert_config.json", {"max_seq_length": 256})
    _write(folder / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    return folder


def _write(path: Path, content: dict[str, object]) -> None:
    path.write_text(json.dumps(content))


def test_a_paraphrase_is_nearer_than_an_unrelated_sentence(
    model: LocalEmbedder,
) -> None:
    copy, backup, tennis = model.embed_passages(TEXTS[:3])
    query = model.embed_query("How often do you back up?")
    assert copy @ backup > 0.6 > 0.25 > copy @ tennis
    assert query @ backup > query @ copy > query @ tennis


def test_vectors_are_unit_length_and_padded(model: LocalEmbedder) -> None:
    vectors = model.embed_passages(TEXTS)
    assert [v.shape for v in vectors] == [(DIMENSIONS,)] * len(TEXTS)
    assert [float(np.linalg.norm(v)) for v in vectors] == pytest.approx([1.0] * 6)
    assert not any(np.any(v[384:]) for v in vectors)


def test_a_text_has_one_vector_alone_in_a_batch_and_from_many_threads(
    model: LocalEmbedder,
) -> None:
    together = np.array(model.embed_passages(TEXTS))
    alone = np.array([model.embed_passages([text])[0] for text in TEXTS])
    with ThreadPoolExecutor(4) as threads:
        at_once = np.array(list(threads.map(model.embed_query, TEXTS)))

    assert np.abs(together - alone).max() < 1e-5
    assert np.array_equal(at_once, alone)
    assert np.array_equal(np.array(model.embed_passages(TEXTS)), together)


def test_only_the_first_256_tokens_are_read(model: LocalEmbedder) -> None:
    long, longer = model.embed_passages(["word " * 254, "word " * 400])
    assert long @ longer == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_no_vectors(model: LocalEmbedder) -> None:
    assert model.embed_passages([]) == []


def test_an_export_in_a_directory_gives_the_same_vectors_under_its_own_recipe(
    model: LocalEmbedder, export: Path
) -> None:
    own = LocalEmbedder(str(export))
    assert np.array_equal(
        own.embed_passages(TEXTS[:2]), model.embed_passages(TEXTS[:2])
    )
    assert own.recipe.model.startswith("my-model@")
    assert own.recipe.dimensions == 384


def test_an_export_that_pools_by_its_first_token_is_read_so(
    model: LocalEmbedder, export: Path
) -> None:
    _write(export / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True})
    by_first = LocalEmbedder(str(export)).embed_query(TEXTS[0])
    assert by_first @ model.embed_query(TEXTS[0]) < 0.99


def test_an_export_that_cannot_be_read_rightly_is_refused(export: Path) -> None:
    _write(export / "1_Pooling" / "config.json", {"pooling_mode_lasttoken": True})
    with pytest.raises(ModelMissing, match="pools by lasttoken: not supported"):
        Export.in_directory(export)


@pytest.mark.parametrize("missing", ["tokenizer.json", "config.json", "onnx"])
def test_a_missing_file_is_named(export: Path, missing: str) -> None:
    path = export / missing
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(ModelMissing, match=missing):
        Export.configured(str(export))


def test_a_model_that_is_not_there_fails_in_both_ways_clearly(tmp_path: Path) -> None:
    absent = LocalEmbedder(str(tmp_path / "nothing"))
    with pytest.raises(EmbeddingRefused, match="LOCAL_MODEL_DIR"):
        absent.embed_passages(["a"])
    with pytest.raises(EmbeddingUnavailable) as failure:
        absent.embed_query("a")
    assert "LOCAL_MODEL_DIR" in failure.value.detail


def test_weights_that_are_no_model_are_refused(export: Path) -> None:
    (export / "onnx" / "model_quantized.onnx").write_bytes(b"broken")
    with pytest.raises(EmbeddingRefused, match="the local model fails"):
        LocalEmbedder(str(export)).embed_passages(["a"])
