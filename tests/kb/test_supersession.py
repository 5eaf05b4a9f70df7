"""From a replaced item to the one in use: chains, circles, permission, links."""

from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.viewer import Viewer
from core.errors import BadInput, NotFound
from kb.domain.citations import cite
from kb.domain.lifecycle import archive, supersede
from kb.domain.links import follow_links, linked_items
from kb.domain.responses import insert
from kb.domain.supersession import current_of, current_versions, in_use
from kb.enums import ReviewStatus
from kb.models import Citation, ContentItem, FormQuestion, Workspace
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db


def chain(*titles: str) -> list[ContentItem]:
    """Each replaced by the next."""
    items = [item(title, embedded=False) for title in titles]
    for old, new in pairwise(items):
        supersede(Viewer.system(), old.pk, new.pk, NOW, f"{old} was short")
    return items


def test_a_chain_is_followed_to_its_end_with_the_reason(reader: Viewer) -> None:
    first, second, third = chain("A", "B", "C")
    found = current_of(reader, first.pk)
    assert found is not None
    assert (found.id, found.title, found.reason, found.steps, found.url) == (
        third.pk,
        "C",
        "A was short",
        2,
        f"/items/{third.pk}",
    )
    assert in_use(reader, second.pk) == in_use(reader, third.pk) == third.pk
    assert current_of(reader, third.pk) is None
    assert current_of(reader, uuid4()) is None


def test_many_are_followed_at_the_cost_of_one(reader: Viewer) -> None:
    items = [*chain("A", "B"), *chain("C", "D", "E")]
    costs = []
    for some in (items[:1], items):
        with CaptureQueriesContext(connection) as queries:
            found = current_versions(reader, [each.pk for each in some])
        costs.append(len(queries))
    assert {each.title for each in found.values()} == {"B", "E"}
    assert costs == [2, 2]
    with CaptureQueriesContext(connection) as queries:
        assert current_versions(reader, []) == {}
    assert len(queries) == 0


def test_a_circle_ends_before_it_comes_back(reader: Viewer) -> None:
    first, second, third = chain("A", "B", "C")
    ContentItem.objects.filter(pk=third.pk).update(superseded_by=first)
    assert in_use(reader, first.pk) == third.pk
    assert in_use(reader, second.pk) == first.pk


def test_a_very_long_chain_comes_to_an_end(reader: Viewer) -> None:
    items = [item(f"{n}", embedded=False) for n in range(60)]
    for old, new in pairwise(items):
        ContentItem.objects.filter(pk=old.pk).update(superseded_by=new)
    found = current_of(reader, items[0].pk)
    assert found is not None
    assert found.steps == 50


def test_what_one_may_not_see_is_not_led_to(reader: Viewer, editor: Viewer) -> None:
    first, second, third = chain("A", "B", "C")
    draft = {"governance_review_status": ReviewStatus.DRAFT}
    ContentItem.objects.filter(pk=third.pk).update(**draft)
    assert (in_use(reader, first.pk), in_use(editor, first.pk)) == (
        second.pk,
        third.pk,
    )
    ContentItem.objects.filter(pk=second.pk).update(**draft)
    assert current_of(reader, first.pk) is None
    ContentItem.objects.filter(pk=first.pk).update(**draft)
    assert current_of(reader, first.pk) is None


def test_an_archived_successor_is_passed_over(editor: Viewer) -> None:
    first, second, third = chain("A", "B", "C")
    archive(editor, [second.pk], NOW)
    assert in_use(editor, first.pk) == third.pk
    archive(editor, [third.pk], NOW)
    assert in_use(editor, first.pk) == third.pk


def test_citing_a_replaced_item_cites_the_current_one(editor: Viewer) -> None:
    old, new = chain("A", "B")
    bid = Workspace.objects.create(name="Bid")
    assert cite(editor, old.pk, workspace=bid).item == new
    assert cite(editor, new.pk, workspace=bid).item == new
    assert Citation.objects.count() == 1
    assert cite(editor, old.pk, workspace=bid, as_is=True).item == old
    with pytest.raises(NotFound):
        cite(editor, uuid4(), workspace=bid)


def test_inserting_a_replaced_item_inserts_the_current_text(editor: Viewer) -> None:
    old, new = chain("A", "B")
    bid = Workspace.objects.create(name="Bid")
    question = FormQuestion.objects.create(workspace=bid, position=1, text="Who?")
    response = insert(editor, question, old.pk, "So far.", NOW)
    assert response.text == "So far.\n\nAbout B."
    assert response.citations.get().item == new


@pytest.mark.parametrize(
    "form",
    [
        "See [it](/items/{id}).",
        "See [it](</items/{id}> 'Title').",
        "See [it](/items/{id}#restore).",
        "See [it][1].\n\n[1]: /items/{id}",
        "<https://hub.example/items/{id}>",
        '<a href="https://hub.example/items/{id}?from_bid=1">it</a>',
    ],
)
def test_links_in_a_text_lead_to_the_item_in_use(reader: Viewer, form: str) -> None:
    old, new = chain("A", "B")
    text = form.format(id=old.pk)
    assert linked_items(text) == {old.pk}
    assert follow_links(text, reader) == form.format(id=new.pk)
    assert follow_links(form.format(id=new.pk), reader) == form.format(id=new.pk)


def test_an_id_that_is_no_link_stays_as_it_is(reader: Viewer) -> None:
    old, _ = chain("A", "B")
    text = f"`GET /items/{old.pk}` and {old.pk} and [x](/other/{old.pk})"
    assert linked_items(text) == set()
    assert follow_links(text, reader) == text


def test_a_draft_replaces_nothing_that_people_find(editor: Viewer) -> None:
    draft = ReviewStatus.DRAFT
    old, new = item("Old"), item("New", governance_review_status=draft)
    with pytest.raises(BadInput, match="Approve it first"):
        supersede(editor, old.pk, new.pk, NOW, "Newer")
    older = item("Older draft", governance_review_status=draft)
    assert supersede(editor, older.pk, new.pk, NOW, "").superseded_by == new
    archive(editor, [new.pk], NOW)
    with pytest.raises(BadInput, match="Restore it first"):
        supersede(editor, old.pk, new.pk, NOW, "Newer")
