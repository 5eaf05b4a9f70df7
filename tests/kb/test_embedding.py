"""Embedding what is missing: nothing twice, nothing lost, nothing of an older text."""

import logging
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest
from django.db import connection
from pytest_django import Settings

from accounts.viewer import Viewer
from kb import embedding
from kb.domain.lifecycle import archive, edit_item
from kb.domain.vectors import forget_vectors
from kb.embeddings import outage
from kb.embeddings.base import EmbeddingUnavailable
from kb.embeddings.local import LocalEmbedder
from kb.embeddings.openai import OpenAIEmbedder
from kb.models import ContentChunk, ContentItem, ItemIndex
from tests.embedder import HashEmbedder
from tests.factories.library import NOW, item
from tests.kb.embedders import Interrupted, Picky, Switched

pytestmark = pytest.mark.django_db

TWO_SECTIONS = "# Restore\nFrom the copies.\n# Keep\nFor a year."


@pytest.fixture
def switched(settings: Settings) -> Iterator[type[Switched]]:
    settings.EMBEDDER = "tests.kb.embedders.Switched"
    Switched.down, Switched.asked = False, []
    yield Switched
    Switched.down = False


def _searchable() -> set[str]:
    found = ContentItem.objects.searchable(embedding.recipe().name)
    return set(found.values_list("title", flat=True))


def _edit(made: ContentItem, **changes: str) -> None:
    edit_item(Viewer.system(), made.pk, changes, NOW)


def test_each_section_and_the_item_have_vectors_of_the_recipe_in_force() -> None:
    made = item("Backup policy", TWO_SECTIONS)

    index = ItemIndex.objects.get(item=made)
    chunks = list(made.chunks.all())
    assert [chunk.heading_path for chunk in chunks] == ["Restore", "Keep"]
    assert {chunk.recipe for chunk in chunks} == {"hashed-terms:512"}
    assert (index.recipe, index.embedded_hash) == ("hashed-terms:512", index.text_hash)
    read = HashEmbedder().embed_passages(
        [
            "Backup policy\nRestore\nFrom the copies.",
            "Backup policy\nKeep\nFor a year.",
        ]
    )
    mean = np.mean(read, axis=0)
    made_of = 0.6 * mean / np.linalg.norm(mean) + 0.4 * read[0]
    assert [np.allclose(c.embedding, v) for c, v in zip(chunks, read, strict=True)] == [
        True,
        True,
    ]
    assert np.allclose(index.embedding, made_of / np.linalg.norm(made_of), atol=1e-6)


def test_only_the_items_asked_for_are_embedded() -> None:
    one, other = item("One", embedded=False), item("Other", embedded=False)

    assert embedding.embed_items([str(one.pk)]) == 1

    assert _searchable() == {"One"}
    assert embedding.embed_items([str(other.pk), str(one.pk)]) == 1


def test_an_item_whose_text_did_not_change_is_not_embedded_again(
    switched: type[Switched],
) -> None:
    made = item("Backup policy", TWO_SECTIONS)
    switched.asked = []

    _edit(made, author_name="Alice")
    counts = embedding.embed_missing()

    assert (switched.asked, counts.items) == ([], 0)


def test_of_an_edited_item_only_the_changed_section_is_read_again(
    switched: type[Switched],
) -> None:
    made = item("Backup policy", TWO_SECTIONS)
    switched.asked = []

    _edit(made, content=TWO_SECTIONS.replace("a year", "two years"))
    counts = embedding.embed_missing()

    assert switched.asked == ["Backup policy\nKeep\nFor two years."]
    assert (counts.items, counts.sections) == (1, 1)


def test_an_edit_that_is_undone_before_it_was_read_leaves_no_section_without_vector(
    switched: type[Switched],
) -> None:
    made = item("Backup policy", "First text.")
    _edit(made, content="Second text.")
    _edit(made, content="First text.")
    assert made.chunks.filter(embedding=None).count() == 1

    embedding.embed_missing()

    assert made.chunks.filter(embedding=None).count() == 0
    assert embedding.missing().count() == 0


def test_archived_items_wait_until_they_are_restored() -> None:
    made = item("Old", embedded=False)
    archive(Viewer.system(), [made.pk], NOW)
    assert embedding.embed_missing().items == 0


def test_drafts_are_embedded_for_the_day_they_are_approved() -> None:
    made = item("Draft", governance_review_status="draft")
    assert ItemIndex.objects.get(item=made).embedding is not None


def test_a_limit_counts_items_and_the_rest_stays_missing() -> None:
    for number in range(5):
        item(f"Item {number}", embedded=False)
    heard: list[int] = []

    counts = embedding.embed_missing(limit=2, progress=heard.append)

    assert (counts.items, sum(heard)) == (2, 2)
    assert embedding.missing().count() == 3


def test_a_run_stops_at_its_time_and_another_goes_on() -> None:
    item("One", embedded=False)
    assert embedding.embed_missing(until=time.monotonic()).items == 0
    assert embedding.embed_missing(until=time.monotonic() + 60).items == 1


def test_items_saved_while_the_provider_is_down_are_embedded_once_it_is_back(
    switched: type[Switched],
) -> None:
    switched.down = True
    item("Saved meanwhile", embedded=False)
    with pytest.raises(EmbeddingUnavailable):
        embedding.embed_missing()
    assert _searchable() == set()

    switched.down = False
    assert embedding.embed_missing().items == 1
    assert _searchable() == {"Saved meanwhile"}


def test_what_was_embedded_before_a_failure_is_kept(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    item("Sections", "\n".join(f"# H{n}\nText {n}." for n in range(6)), embedded=False)
    done = HashEmbedder.embed_passages
    answers = iter([done, done])

    def fails_later(self: HashEmbedder, texts: list[str]) -> object:
        step = next(answers, None)
        if step is None:
            raise EmbeddingUnavailable("down")
        return step(self, texts)

    with monkeypatch.context() as patch:
        patch.setattr(HashEmbedder, "embed_passages", fails_later)
        with pytest.raises(EmbeddingUnavailable):
            embedding.embed_missing(batch=2)

    assert ContentChunk.objects.filter(embedding__isnull=False).count() == 4
    assert embedding.embed_missing().sections == 2


def test_a_text_that_changes_while_it_is_read_does_not_get_the_old_vector(
    settings: Settings,
) -> None:
    settings.EMBEDDER = "tests.kb.embedders.Interrupted"
    made = item("Backup policy", "Old text.", embedded=False)
    Interrupted.meanwhile = lambda: _edit(made, content="New text.")

    assert embedding.embed_missing(limit=1).items == 0
    assert ItemIndex.objects.get(item=made).embedding is None
    assert made.chunks.get().embedding is None

    assert embedding.embed_missing().items == 1
    expected = HashEmbedder().embed_query("Backup policy\nNew text.")
    assert np.allclose(ItemIndex.objects.get(item=made).embedding, expected)


def test_an_item_that_is_deleted_while_it_is_read_disturbs_nobody(
    settings: Settings,
) -> None:
    settings.EMBEDDER = "tests.kb.embedders.Interrupted"
    made, _ = item("Gone", embedded=False), item("Stays", embedded=False)
    Interrupted.meanwhile = lambda: ContentItem.objects.filter(pk=made.pk).delete()
    assert embedding.embed_missing().items == 1
    assert _searchable() == {"Stays"}


def test_no_transaction_is_open_while_the_provider_works(
    settings: Settings, transactional_db: None
) -> None:
    settings.EMBEDDER = "tests.kb.embedders.Interrupted"
    item("One", embedded=False)
    seen: list[bool] = []
    Interrupted.meanwhile = lambda: seen.append(connection.in_atomic_block)
    embedding.embed_missing()
    assert seen == [False]


@pytest.mark.django_db(transaction=True)
def test_two_runs_at_once_do_no_harm() -> None:
    for number in range(80):
        item(f"Item {number}", f"About {number}.", embedded=False)
    failures: list[Exception] = []

    def run() -> None:
        try:
            embedding.embed_missing(batch=4)
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    embedding.embed_missing()
    assert embedding.missing().count() == 0
    assert len(_searchable()) == 80


def test_a_refused_text_does_not_hold_up_the_others_and_is_asked_once(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMBEDDER = "tests.kb.embedders.Picky"
    for number in range(6):
        item(f"Good {number}", embedded=False)
    half = item("Half", "# A\nFine.\n# B\nThis is poison.", embedded=False)
    whole = item("All poison", embedded=False)

    with caplog.at_level(logging.WARNING, "hub"):
        counts = embedding.embed_missing()

    assert (counts.items, counts.refused) == (8, 2)
    assert "poison" not in caplog.text
    assert _searchable() == {f"Good {n}" for n in range(6)} | {"Half"}
    assert half.chunks.filter(embedding=None).count() == 1
    assert ItemIndex.objects.get(item=whole).embedding is None
    before = Picky.calls
    assert embedding.missing().count() == 0
    assert embedding.embed_missing().items == 0
    assert Picky.calls == before

    _edit(whole, title="Cured", content="Fine.")
    assert embedding.embed_missing().items == 1
    assert "Cured" in _searchable()


def test_a_refused_text_is_asked_again_on_request(settings: Settings) -> None:
    settings.EMBEDDER = "tests.kb.embedders.Picky"
    made = item("poison")
    settings.EMBEDDER = "tests.embedder.HashEmbedder"
    assert embedding.embed_missing().items == 0

    forget_vectors(Viewer.system(), [made.pk])

    assert embedding.embed_missing().items == 1
    assert _searchable() == {"poison"}


def test_a_wrong_key_is_an_outage_and_condemns_no_text(settings: Settings) -> None:
    settings.EMBEDDER = "tests.kb.embedders.WrongKey"
    item("One", embedded=False)

    with pytest.raises(EmbeddingUnavailable) as failure:
        embedding.embed_missing()

    assert failure.value.detail == "HTTP 401"
    settings.EMBEDDER = "tests.embedder.HashEmbedder"
    assert embedding.embed_missing().items == 1


def test_nothing_of_another_model_is_searchable_until_it_is_embedded_again(
    settings: Settings,
) -> None:
    made = item("Backup policy")
    settings.EMBEDDER = "tests.kb.embedders.OtherModel"
    assert _searchable() == set()
    assert embedding.missing().count() == 1

    embedding.embed_missing()

    assert _searchable() == {"Backup policy"}
    assert ItemIndex.objects.get(item=made).recipe == "other:512"
    assert {chunk.recipe for chunk in made.chunks.all()} == {"other:512"}


def test_items_of_another_model_come_first_when_asked(settings: Settings) -> None:
    old = [item(f"Old {number}") for number in range(3)]
    for number in range(3):
        item(f"New {number}", embedded=False)
    settings.EMBEDDER = "tests.kb.embedders.OtherModel"

    embedding.embed_missing(limit=3, model_changed=True)

    assert _searchable() == {made.title for made in old}
    assert embedding.embed_missing(model_changed=True).items == 3


def test_a_vector_that_is_lost_counts_as_missing() -> None:
    item("One")
    ItemIndex.objects.update(embedding=None)
    assert embedding.embed_missing().items == 1
    assert _searchable() == {"One"}


def test_background_work_rests_while_the_provider_is_down_and_comes_back_by_itself(
    switched: type[Switched], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1_780_000_000.0
    monkeypatch.setattr("kb.embeddings.outage.time.time", lambda: now)
    item("One", embedded=False)
    switched.down = True
    assert embedding.embed_in_background(50) == 0
    switched.down = False

    assert embedding.embed_in_background(50) == 0
    now += outage.FIRST_REST
    assert embedding.embed_in_background(50) == 1
    assert outage.current() is None


def test_the_embedder_follows_the_settings(settings: Settings) -> None:
    assert embedding.embedder() is embedding.embedder()
    settings.EMBEDDER = ""
    assert isinstance(embedding.embedder(), LocalEmbedder)
    assert embedding.recipe().name == "all-MiniLM-L6-v2-int8:384"
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    assert isinstance(embedding.embedder(), OpenAIEmbedder)
    assert embedding.recipe().name == "text-embedding-3-large:1024"
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = "", "sk-x"
    assert isinstance(embedding.embedder(), OpenAIEmbedder)
