"""Good places to start: shown while nothing is asked, made of what one may see."""

from typing import Any

import pytest
from django.test import Client

from accounts.enums import Focus, Role
from accounts.models import User
from browse.checks import cards_are_complete
from browse.prompts import (
    BY_FOCUS,
    FALLBACK,
    FilterPrompt,
    SearchPrompt,
    faults,
    prompts_for,
)
from browse.recents import recents
from core.errors import BadInput
from tests.browse.pages import HTMX, links, text
from tests.factories.library import domain, item

pytestmark = pytest.mark.django_db
HEAD = "Good places to start"


def shows(client: Client, query: str = "") -> bool:
    return HEAD in text(client.get(f"/browse{query}"))


def test_it_shows_while_nothing_is_asked_of_a_library_with_items(
    as_reader: Client,
) -> None:
    assert not shows(as_reader)  # empty
    item(content_type="policy")
    assert shows(as_reader)
    for query in ("?q=backup", "?content_type=policy", "?unread=true", "?q=backup&x=1"):
        assert not shows(as_reader, query)
    assert shows(as_reader, "?sort=title")


def test_cards_say_what_they_will_do_and_keep_the_order(as_reader: Client) -> None:
    item()
    page = as_reader.get("/browse?sort=title")
    said = "Look up a policy What we hold ourselves to, and who answers for it."
    assert f"{said} Content type: Policy" in text(page)
    assert "/browse?content_type=policy&amp;sort=title" in page.content.decode()


def test_a_search_card_is_remembered_and_a_filter_card_is_not(
    as_reader: Client, charlie: User
) -> None:
    as_reader.get("/browse?q=how+do+we+keep+customer+data+safe")
    as_reader.get("/browse?content_type=policy")
    assert recents(charlie.viewer()) == ["how do we keep customer data safe"]


def test_the_largest_domains_are_offered_and_more_of_them(as_reader: Client) -> None:
    for number, name in enumerate("ABCD"):
        for count in range(4 - number):
            item(f"{name} {count}", primary_domain=domain(name))
    page = as_reader.get("/browse")
    assert links(page, "A 4") == ["/browse?domain=A"]
    assert links(page, "D 1") == []
    assert 'data-filters-at="domain"' in page.content.decode()


def test_without_domains_the_way_to_more_stays(as_reader: Client) -> None:
    item()
    assert "More domains…" in text(as_reader.get("/browse"))


def test_a_domain_that_only_drafts_have_is_not_named_to_readers(
    as_reader: Client, as_editor: Client
) -> None:
    item()
    item("M", primary_domain=domain("Merger"), governance_review_status="draft")
    assert links(as_editor.get("/browse"), "Merger 1") == ["/browse?domain=Merger"]
    assert "Merger" not in text(as_reader.get("/browse"))


def test_cards_follow_the_focus_but_for_viewers() -> None:
    for focus in Focus:
        assert prompts_for(Role.EDITOR, focus) == BY_FOCUS[focus]
        assert prompts_for(Role.VIEWER, focus) == FALLBACK
    assert prompts_for(Role.ADMIN, "") == FALLBACK


def test_an_editor_is_asked_once_for_a_focus(
    as_editor: Client, as_reader: Client, bob: User
) -> None:
    item()
    question = "What do you mostly do here?"
    assert question not in text(as_reader.get("/browse"))
    assert question in text(as_editor.get("/browse"))
    answer = {"primary_focus": "", "next": "/browse?sort=title"}
    assert as_editor.post("/settings/focus", answer)["Location"] == answer["next"]
    assert question not in text(as_editor.get("/browse"))
    as_editor.post("/settings/focus", {"primary_focus": "marketing"})
    bob.refresh_from_db()
    assert bob.primary_focus == "marketing"
    assert "Find proof for a claim" in text(as_editor.get("/browse"))


def test_it_goes_with_the_list_it_belongs_to(as_reader: Client) -> None:
    item()
    assert HEAD in text(as_reader.get("/browse", headers=HTMX))
    assert HEAD not in text(as_reader.get("/browse?q=x", headers=HTMX))


def test_definitions_are_checked_at_start() -> None:
    assert cards_are_complete() == []
    short: Any = {**BY_FOCUS, Focus.MARKETING: BY_FOCUS[Focus.MARKETING][:2]}
    assert faults(short, [*FALLBACK[:3], "nothing"]) == [
        "The focus 'Marketing' has 2 cards, not 3.",
        "'nothing' searches nothing, filters nothing, names nothing.",
    ]


@pytest.mark.parametrize(
    "params", [{"quality_min": "70"}, {}, {"freshness": ""}], ids=str
)
def test_a_card_with_a_filter_that_cards_may_not_use_cannot_be_written(
    params: Any,
) -> None:
    with pytest.raises(ValueError, match="filter"):
        FilterPrompt("Wrong", "", params)


def test_a_card_with_a_value_that_is_none_cannot_be_written() -> None:
    with pytest.raises(BadInput):
        FilterPrompt("Wrong", "", {"freshness": "ripe"})
    with pytest.raises(ValueError, match="needs words"):
        SearchPrompt("Wrong", "", " ")
