"""Handing items on: to a person, a group, or back to the domain."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from accounts.models import User
from accounts.viewer import Viewer
from core.errors import BadInput, NotAllowed
from kb.domain.ownership import set_owner
from tests.factories.library import NOW, item
from tests.kb.test_admin_actions import perform, said

pytestmark = pytest.mark.django_db


def test_items_are_handed_on_with_their_history(editor: Viewer, alice: User) -> None:
    team = Group.objects.create(name="Hosting")
    made = item(embedded=False)
    for to in ({"person": alice}, {"group": team}, {}):
        assert set_owner(editor, [made.pk], NOW, **to) == 1
    reasons = made.history.values_list(
        "history_change_reason", "history_user__username"
    )
    assert list(reasons[:3]) == [
        ("Owner: nobody", "bob"),
        ("Owner: Hosting", "bob"),
        ("Owner: Alice", "bob"),
    ]


def test_an_owner_makes_an_item_more_complete(editor: Viewer, alice: User) -> None:
    made = item(embedded=False)
    made.refresh_from_db()
    before = made.quality_score
    set_owner(editor, [made.pk], NOW, person=alice)
    made.refresh_from_db()
    assert made.quality_score > before


def test_one_owner_at_most_and_editors_alone(
    editor: Viewer, reader: Viewer, alice: User
) -> None:
    made = item(embedded=False)
    with pytest.raises(BadInput):
        set_owner(editor, [made.pk], NOW, person=alice, group=Group(name="x"))
    with pytest.raises(NotAllowed):
        set_owner(reader, [made.pk], NOW, person=alice)


def test_admin_does_it_in_bulk(client: Client, bob: User, alice: User) -> None:
    client.force_login(bob)
    made = [item(f"Item {n}", embedded=False) for n in range(2)]
    done = perform(client, "set_owner", made, person=str(alice.pk), group="")
    assert said(done) == ["2 given the new owner."]
    made[0].refresh_from_db()
    assert made[0].owner == alice
