"""`get_item`, `search` and `fetch`, and the library's resource."""

import json
from typing import Any

import pytest
from django.utils import timezone

from accounts.assistants import Caller
from accounts.viewer import Viewer
from core.errors import NotFound
from kb.domain.lifecycle import archive, supersede
from kb.domain.review import set_state
from kb.enums import ReviewStatus
from kb.models import ReadMark
from search.mcp import DOCUMENTS
from tests.factories.library import domain, item
from tests.mcp.calls import BASE, answer, refusal

pytestmark = pytest.mark.django_db

UNKNOWN = "This item does not exist, or you may not see it."
TEXT = "# Restore\n\n1. Fetch the tape.\n2. Call [the desk](https://desk.example)."


def document(viewer: Viewer, name: object) -> str:
    return DOCUMENTS[0].read(Caller(viewer, BASE), str(name))


def test_an_item_is_read_whole_in_every_form(reader: Viewer) -> None:
    made = item(
        "Restores",
        TEXT,
        primary_domain=domain("Hosting"),
        summary="How to restore.",
        author_name="Ada Okoro",
        ai_keywords=["tape", "restore"],
    )
    whole = answer(reader, "get_item", id=str(made.pk))
    assert whole.text.endswith(TEXT)
    assert whole.data["content"] == TEXT
    for told in ("Approved", "How to restore.", "Ada Okoro", "tape, restore"):
        assert told in whole.text
    fetched = answer(reader, "fetch", id=str(made.pk))
    assert json.loads(fetched.text) == fetched.data
    assert fetched.data["text"] == whole.text == document(reader, made.pk)
    assert fetched.data["url"] == f"{BASE}/items/{made.pk}"
    assert fetched.data["metadata"]["review_status"] == "approved"
    assert not ReadMark.objects.exists()


def test_search_gives_the_connector_form_in_text_too(reader: Viewer) -> None:
    made = item("Restores", TEXT)
    found = answer(reader, "search", query="restore the tape")
    assert json.loads(found.text) == found.data
    assert found.data["results"] == [
        {"id": str(made.pk), "title": "Restores", "url": f"{BASE}/items/{made.pk}"}
    ]


def test_a_draft_opens_for_editors_and_never_for_viewers(
    reader: Viewer, editor: Viewer
) -> None:
    draft = item("Merger", governance_review_status=ReviewStatus.DRAFT)
    for name in ("get_item", "fetch"):
        assert "Draft" in answer(editor, name, id=str(draft.pk)).text
        assert refusal(reader, name, id=str(draft.pk)) == UNKNOWN
    assert "Draft" in document(editor, draft.pk)
    with pytest.raises(NotFound):
        document(reader, draft.pk)


def test_what_was_replaced_or_archived_says_so(editor: Viewer) -> None:
    old, new = item("Old"), item("New")
    supersede(editor, old.pk, new.pk, timezone.now(), "Newer")
    archive(editor, [new.pk], timezone.now())
    told = answer(editor, "get_item", id=str(old.pk))
    assert f"REPLACED by item {new.pk}" in told.text
    assert told.data["superseded_by"] == str(new.pk)
    assert "ARCHIVED" in answer(editor, "get_item", id=str(new.pk)).text


def test_a_replacement_that_the_caller_may_not_see_is_not_named(
    reader: Viewer, editor: Viewer
) -> None:
    old = item("Old")
    draft = item("New")
    supersede(editor, old.pk, draft.pk, timezone.now(), "Newer")
    set_state(editor, [draft.pk], ReviewStatus.DRAFT, timezone.now())
    assert f"REPLACED by item {draft.pk}" in document(editor, old.pk)
    assert str(draft.pk) not in document(reader, old.pk)
    for name in ("get_item", "fetch"):
        assert str(draft.pk) not in str(answer(reader, name, id=str(old.pk)))


@pytest.mark.parametrize("name", ["get_item", "fetch"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"id": "00000000-0000-4000-8000-000000000000"}, UNKNOWN),
        ({"id": "7"}, "id must be an item's id."),
        ({"id": ""}, "id must be an item's id."),
        ({"id": 7}, "id: 7 is not of type 'string'"),
        ({}, "'id' is a required property"),
    ],
)
def test_what_is_not_there_is_said(
    name: str, arguments: dict[str, Any], said: str, reader: Viewer
) -> None:
    assert said in refusal(reader, name, **arguments)


def test_a_chain_of_replacements_and_links_lead_to_the_item_in_use(
    reader: Viewer, editor: Viewer
) -> None:
    first, second, third = item("One"), item("Two"), item("Three")
    supersede(editor, first.pk, second.pk, timezone.now(), "Too long")
    supersede(editor, second.pk, third.pk, timezone.now(), "Too short")
    told = answer(reader, "get_item", id=str(first.pk))
    assert told.data["superseded_by"] == str(third.pk)
    assert told.data["superseded_reason"] == "Too long"
    assert "- Replaced because: Too long" in told.text
    linking = item("Four", f"See [it](/items/{first.pk}).")
    told = answer(reader, "get_item", id=str(linking.pk))
    assert told.data["content"] == f"See [it](/items/{third.pk})."
