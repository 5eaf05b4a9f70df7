from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from operational.domain import versions
from operational.models import Entity, Failure, Pathway, Relationship, Symptom


def address(model: str, page: str, *args: Any) -> str:
    return reverse(f"admin:operational_{model}_{page}", args=args)


@pytest.fixture
def editing(client: Client, bob: User, sample: int) -> Client:
    client.force_login(bob)
    return client


def filled(page: Any) -> dict[str, Any]:
    """What the form of a change page would post unchanged."""
    posted: dict[str, Any] = {}
    forms = [page.context["adminform"].form]
    for inline in page.context["inline_admin_formsets"]:
        forms += [inline.formset.management_form, *inline.formset.forms]
    for form in forms:
        for field in form:
            value = field.value()
            if value is True:
                value = "on"
            if value is not None and value is not False:
                posted[field.html_name] = value
    return posted


def test_editors_make_a_failure_with_its_messages(editing: Client) -> None:
    before = versions.current()
    entity = {
        "type": "failure",
        "slug": "new-one",
        "title": "New one",
        "is_public": "on",
    }
    assert editing.post(address("entity", "add"), entity).status_code == 302
    failure = Failure.objects.get(entity__slug="new-one")
    page = editing.get(address("failure", "change", failure.pk))
    posted = filled(page) | {
        "evidence": '[{"type": "log", "path": "a.log"}]',
        "symptoms-TOTAL_FORMS": "2",
        "symptoms-0-text": "The flux was reversed",
        "symptoms-1-text": "flux capacitor: {reason}",
    }
    answer = editing.post(address("failure", "change", failure.pk), posted)
    assert answer.status_code == 302
    failure.refresh_from_db()
    assert [each.text for each in failure.symptoms.all()] == [
        "The flux was reversed",
        "flux capacitor: {reason}",
    ]
    assert failure.confidence_score == 10
    assert versions.current() > before
    found = editing.get("/api/operational-search", {"q": "flux capacitor: empty!"})
    assert found.json()["matchedEntity"]["slug"] == "new-one"


def test_a_change_is_kept_with_who_made_it(editing: Client, bob: User) -> None:
    entity = Entity.objects.get(slug="edge-network")
    page = editing.get(address("entity", "change", entity.pk))
    posted = filled(page) | {"title": "Edge network and names"}
    assert (
        editing.post(address("entity", "change", entity.pk), posted).status_code == 302
    )
    newest = Entity.history.filter(id=entity.pk).first()
    assert newest is not None
    assert (newest.title, newest.history_user) == ("Edge network and names", bob)


def test_the_score_is_explained(editing: Client) -> None:
    failure = Failure.objects.get(entity__slug="server-module-client-bundle")
    text = editing.get(address("failure", "change", failure.pk)).text
    assert "Two or more instances: 30 of 30" in text
    assert "A playbook that resolves it: 0 of 15" in text


def test_a_message_can_be_taken_out(editing: Client) -> None:
    failure = Failure.objects.get(entity__slug="server-module-client-bundle")
    page = editing.get(address("failure", "change", failure.pk))
    posted = filled(page) | {"symptoms-0-DELETE": "on"}
    answer = editing.post(address("failure", "change", failure.pk), posted)
    assert answer.status_code == 302
    texts = Symptom.objects.filter(failure=failure).values_list("text", flat=True)
    assert texts[0] == "Module not found: Can't resolve 'fs'"


def test_steps_of_a_pathway_are_changed_in_place(editing: Client) -> None:
    pathway = Pathway.objects.get(entity__slug="move-to-a-new-domain")
    page = editing.get(address("pathway", "change", pathway.pk))
    posted = filled(page) | {
        "steps-0-description": "Lower it",
        "steps-1-DELETE": "on",
    }
    answer = editing.post(address("pathway", "change", pathway.pk), posted)
    assert answer.status_code == 302
    assert [step.description for step in pathway.steps.all()] == [
        "Lower it",
        "Ask for certificates",
    ]


def test_two_entities_are_related_once(editing: Client) -> None:
    one = Entity.objects.get(slug="edge-network")
    other = Entity.objects.get(slug="database")
    pair = {"source": one.pk, "kind": "related-to", "target": other.pk}
    assert editing.post(address("relationship", "add"), pair).status_code == 302
    again = editing.post(address("relationship", "add"), pair)
    assert "already exists" in again.text
    itself = editing.post(address("relationship", "add"), pair | {"target": one.pk})
    assert "An entity is not related to itself." in itself.text


@pytest.mark.parametrize(
    ("model", "action", "name"),
    [("entity", "archive", "archived"), ("relationship", "remove", "removed")],
)
def test_bulk_actions_are_confirmed(
    editing: Client, model: str, action: str, name: str
) -> None:
    rows = (Entity if model == "entity" else Relationship)._default_manager
    chosen = {"action": action, "_selected_action": [rows.order_by("pk")[0].pk]}
    page = editing.post(address(model, "changelist"), chosen)
    assert page.status_code == 200
    confirmed = chosen | {"selection": page.context["selection"]}
    done = editing.post(address(model, "changelist"), confirmed, follow=True)
    assert f"1 {name}." in done.text


def test_evidence_must_have_its_shape(editing: Client) -> None:
    failure = Failure.objects.all()[0]
    page = editing.get(address("failure", "change", failure.pk))
    posted = filled(page) | {"evidence": '[{"type": 1}]'}
    answer = editing.post(address("failure", "change", failure.pk), posted)
    assert "A list of objects with the texts type, path and descriptor." in answer.text
