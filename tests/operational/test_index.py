"""The library of the process: level with the graph, anew when much of it is dead."""

import threading

import pytest

from accounts.viewer import Viewer
from operational.domain import entities, index, recording
from operational.domain.recording import NewFailure
from operational.models import Entity
from operational.service import OperationalQuery, operational_search
from tests.operational.test_recording import NOW

MESSAGE = "the ledger of the quux was sealed by its clerk"


def found(viewer: Viewer) -> str | None:
    matched = operational_search(OperationalQuery.of(MESSAGE), viewer).matched
    return matched.slug if matched else None


@pytest.fixture
def made(db: None, editor: Viewer) -> Entity:
    new = NewFailure(title="Quux is sealed", messages=(MESSAGE,))
    return recording.record(editor, new, NOW)


def stir(editor: Viewer, reader: Viewer) -> int:
    """Change all of the graph some times; how many places the library has then."""
    ids = list(Entity.objects.values_list("pk", flat=True))
    for _ in range(9):
        entities.archive(editor, ids)
        entities.restore(editor, ids)
        found(reader)
    for thread in threading.enumerate():
        if thread.name == "tidy-library":
            thread.join(10)
    with index.library() as (library, _version):
        return len(library.records)


def test_what_changes_is_known_to_the_next_question(
    made: Entity, editor: Viewer, reader: Viewer
) -> None:
    assert found(reader) == made.slug
    entities.archive(editor, [made.pk])
    assert found(reader) is None
    entities.restore(editor, [made.pk])
    assert found(reader) == made.slug


def test_a_library_with_many_dead_places_is_made_anew(
    sample: int, made: Entity, editor: Viewer, reader: Viewer
) -> None:
    found(reader)
    assert stir(editor, reader) < 300
    assert found(reader) == made.slug


def test_a_large_one_is_made_anew_beside_the_one_in_use(
    sample: int,
    made: Entity,
    editor: Viewer,
    reader: Viewer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found(reader)
    monkeypatch.setattr(index, "AT_ONCE", 0)
    assert stir(editor, reader) < 300
    assert found(reader) == made.slug


@pytest.mark.django_db(transaction=True)
def test_it_is_loaded_in_the_background_at_start(made: Entity, reader: Viewer) -> None:
    index.forget()
    index.warm().join(10)
    assert index._index.version == Entity.objects.get(pk=made.pk).version
    assert found(reader) == made.slug
