"""Near-duplicates in admin: listed, shown side by side, merged, dismissed."""

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from kb import duplicates
from kb.domain.lifecycle import archive
from kb.enums import PairState
from kb.models import ContentItem, DuplicatePair
from tests.factories.library import NOW, item
from tests.kb.test_admin_moderation import act, said
from tests.kb.test_duplicates import BACKUP

LIST = reverse("admin:kb_duplicatepair_changelist")


@pytest.fixture
def desk(client: Client, bob: User) -> Client:
    client.force_login(bob)
    return client


@pytest.fixture
def pair(db: None) -> DuplicatePair:
    item("Backups", BACKUP.format(days=35))
    item("Copies", BACKUP.format(days=30))
    duplicates.find(NOW)
    return DuplicatePair.objects.get()


def test_a_pair_is_shown_with_what_differs(desk: Client, pair: DuplicatePair) -> None:
    rows = desk.get(LIST).text
    assert "days / 3" in rows
    assert "Backups" in rows
    page = desk.get(reverse("admin:kb_duplicatepair_change", args=[pair.pk]))
    assert "Copies are kept for 30 days and cannot be changed or deleted." in page.text
    assert [name for name, _ in page.context["action_choices"]] == [
        "keep_first",
        "keep_second",
        "dismiss",
    ]


@pytest.mark.parametrize("name", ["keep_first", "keep_second"])
def test_merging_keeps_the_one_that_was_named(
    desk: Client, pair: DuplicatePair, name: str
) -> None:
    page = act(desk, LIST, name, [pair], reason="")
    assert page.context["form"].errors == {"reason": ["This field is required."]}
    assert said(act(desk, LIST, name, [pair], reason="Same")) == ["1 merged."]
    kept = pair.first if name == "keep_first" else pair.second
    assert ContentItem.objects.get(superseded_by=None) == kept
    assert "0 near-duplicates" in desk.get(LIST).text
    assert "1 near-duplicate" in desk.get(f"{LIST}?items=all").text


def test_dismissing_keeps_both(desk: Client, pair: DuplicatePair, bob: User) -> None:
    assert said(act(desk, LIST, "dismiss", [pair], note="Two tiers")) == [
        "1 dismissed."
    ]
    pair.refresh_from_db()
    assert (pair.state, pair.decided_by, pair.note) == (
        PairState.DISMISSED,
        bob,
        "Two tiers",
    )
    page = act(desk, LIST, "dismiss", [pair])
    assert "decided already" in page.context["form"].non_field_errors()[0]


def test_pairs_of_items_out_of_use_are_set_aside(
    desk: Client, pair: DuplicatePair, bob: User
) -> None:
    archive(bob.viewer(), [pair.first_id], NOW)
    assert "0 near-duplicates" in desk.get(LIST).text
    assert desk.get(f"{LIST}?items=nonsense").status_code in (200, 302)
