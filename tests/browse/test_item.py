"""`/items/<id>`: one item, for those who may see it."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.citations import cite
from kb.domain.lifecycle import archive, supersede
from kb.domain.review import set_state, verify
from kb.enums import BidStatus, ReviewStatus
from kb.models import Citation, ContentItem, ReadMark, Workspace
from tests.browse.pages import HTMX, links, text
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db


def test_markdown_is_rendered_and_cleaned(as_reader: Client) -> None:
    made = item("Policy", "## Scope\n\n**All** staff <script>alert(1)</script>")
    body = as_reader.get(f"/items/{made.pk}").content.decode()
    assert "<strong>All</strong>" in body
    assert "<script>alert" not in body


def test_headings_make_an_outline(as_reader: Client) -> None:
    made = item("Policy", "## Scope\n\na\n\n## Rules\n\nb")
    page = as_reader.get(f"/items/{made.pk}")
    assert links(page, "Scope") == ["#s-scope"]
    assert 'id="s-scope"' in page.content.decode()


def test_opening_an_item_marks_it_read_once(as_reader: Client, charlie: User) -> None:
    made = item()
    for _ in range(2):
        as_reader.get(f"/items/{made.pk}")
    assert list(ReadMark.objects.values_list("user", "item")) == [(charlie.pk, made.pk)]


@pytest.mark.parametrize(
    "header", [{"Sec-Purpose": "prefetch;prerender"}, {"HX-Preloaded": "true"}]
)
def test_what_is_only_loaded_ahead_is_not_read(
    header: dict[str, str], as_reader: Client
) -> None:
    as_reader.get(f"/items/{item().pk}", headers=header)
    assert not ReadMark.objects.exists()


def test_an_unseen_item_answers_like_one_that_does_not_exist(
    as_reader: Client, as_editor: Client
) -> None:
    draft = item("Secret merger", governance_review_status=ReviewStatus.DRAFT)
    unseen = as_reader.get(f"/items/{draft.pk}")
    nowhere = as_reader.get(f"/items/{uuid.uuid4()}")
    assert (unseen.status_code, unseen.content) == (404, nowhere.content)
    assert not ReadMark.objects.exists()
    assert "Draft" in text(as_editor.get(f"/items/{draft.pk}"))


def test_archived_items_are_shown_to_editors_with_a_banner(
    as_reader: Client, as_editor: Client, editor: Viewer
) -> None:
    made = item()
    archive(editor, [made.pk], NOW)
    assert as_reader.get(f"/items/{made.pk}").status_code == 404
    assert "Only editors and admins see it." in text(as_editor.get(f"/items/{made.pk}"))


def test_a_replaced_item_leads_on_and_its_successor_back(
    as_reader: Client, editor: Viewer
) -> None:
    old, new = item("Old answer"), item("New answer")
    supersede(editor, old.pk, new.pk, NOW, "The figures changed.")
    page = as_reader.get(f"/items/{old.pk}")
    assert "Replaced by New answer The figures changed." in text(page)
    assert links(page, "Open the current item") == [f"/items/{new.pk}"]
    assert links(as_reader.get(f"/items/{new.pk}"), "Old answer") == [
        f"/items/{old.pk}"
    ]


def test_a_successor_in_draft_is_not_named_to_readers(
    as_reader: Client, editor: Viewer
) -> None:
    old = item("Old answer")
    new = item("Secret answer")
    supersede(editor, old.pk, new.pk, NOW, "")
    set_state(editor, [new.pk], ReviewStatus.DRAFT, NOW)
    page = as_reader.get(f"/items/{old.pk}")
    assert "Replaced" in text(page)
    assert "Secret" not in text(page)


def test_who_verified_it_and_when_stands_on_top(
    as_reader: Client, editor: Viewer
) -> None:
    made = item()
    verify(editor, [made.pk], NOW)
    assert "Verified by Bob, 15 Jun 2026" in text(as_reader.get(f"/items/{made.pk}"))


def test_a_late_review_says_since_when(as_reader: Client) -> None:
    made = item(next_review_date=(NOW - timedelta(days=400)).date())
    page = text(as_reader.get(f"/items/{made.pk}"))
    assert "Review was due on 11 May 2025" in page
    assert "Never reviewed." in page


@pytest.mark.parametrize(("decided", "shown"), [(1, False), (2, True)])
def test_a_win_rate_shows_from_two_decided_bids_on(
    decided: int, shown: bool, as_reader: Client, editor: Viewer
) -> None:
    made = item()
    for number in range(decided):
        status = BidStatus.LOST if number else BidStatus.WON
        bid = Workspace.objects.create(name=f"Bid {number}", status=status)
        cite(editor, made.pk, workspace=bid)
    page = text(as_reader.get(f"/items/{made.pk}"))
    assert f"Cited in {decided} bid" in page
    assert ("1 of 2 decided bids won (50 %)" in page) is shown


def test_an_editor_cites_it_in_the_bid_and_comes_back(as_editor: Client) -> None:
    made = item()
    bid = Workspace.objects.create(name="Managed IT")
    for _ in range(2):
        answer = as_editor.post(f"/items/{made.pk}/cite?from_bid={bid.pk}")
        assert answer["Location"] == f"/items/{made.pk}?from_bid={bid.pk}"
    assert list(Citation.objects.values_list("item", "workspace")) == [
        (made.pk, bid.pk)
    ]
    said = as_editor.post(f"/items/{made.pk}/cite?from_bid={bid.pk}", headers=HTMX)
    assert said.status_code == 204
    assert "Cited in Managed IT." in said["HX-Trigger"]


def test_a_reader_cannot_cite(as_reader: Client) -> None:
    bid = Workspace.objects.create(name="Managed IT")
    answer = as_reader.post(f"/items/{item().pk}/cite?from_bid={bid.pk}")
    assert answer.status_code == 403
    assert not Citation.objects.exists()


def test_links_out_keep_the_bid(as_editor: Client) -> None:
    made = item(primary_domain=domain("People"), ai_keywords=["vetting"])
    bid = Workspace.objects.create(name="Managed IT")
    page = as_editor.get(f"/items/{made.pk}?from_bid={bid.pk}")
    assert f"/browse?from_bid={bid.pk}" in links(page, "Library")
    assert links(page, "People") == [f"/browse?domain=People&from_bid={bid.pk}"]
    assert links(page, "vetting") == [f"/browse?q=vetting&from_bid={bid.pk}"]
    assert links(page, "Leave") == [f"/items/{made.pk}"]


@pytest.mark.parametrize("count", [1, 3])
def test_the_page_takes_the_same_queries_however_much_cites_it(
    count: int, as_reader: Client, editor: Viewer, django_assert_num_queries: Any
) -> None:
    made = item()
    for number in range(count):
        cite(editor, made.pk, workspace=Workspace.objects.create(name=f"B{number}"))
        ContentItem.objects.filter(pk=item(f"Old {number}").pk).update(
            superseded_by=made
        )
    # session, user, item, read marks, citations, openings, replaced, bids, history,
    # what is similar (thirteen), mark as read; the limit's three
    with django_assert_num_queries(26):
        as_reader.get(f"/items/{made.pk}")


@pytest.mark.parametrize("query", ["from_bid=99", "from_bid=x", "review=x&from_bid=9"])
def test_an_item_is_shown_though_the_bid_of_its_address_is_gone(
    query: str, as_reader: Client
) -> None:
    page = as_reader.get(f"/items/{item('Policy').pk}?{query}")
    assert page.status_code == 200
    assert "The bid of this address does not exist any more" in text(page)
    assert set(links(page, "Library")) == {"/browse"}


def test_what_an_address_says_besides_is_passed_over(as_reader: Client) -> None:
    page = as_reader.get(f"/items/{item('Policy').pk}?review=x&utm_source=mail")
    assert page.status_code == 200
    assert "does not exist any more" not in text(page)


def test_links_to_a_replaced_item_lead_to_the_one_in_use(
    as_reader: Client, editor: Viewer
) -> None:
    old, new = item("Old"), item("New")
    supersede(editor, old.pk, new.pk, NOW, "Newer")
    made = item("Policy", f"See [the rule](/items/{old.pk}).")
    page = as_reader.get(f"/items/{made.pk}")
    assert links(page, "the rule") == [f"/items/{new.pk}"]


def test_citing_a_replaced_item_says_which_one_is_cited(
    as_editor: Client, editor: Viewer
) -> None:
    old, new = item("Old"), item("New")
    supersede(editor, old.pk, new.pk, NOW, "Newer")
    bid = Workspace.objects.create(name="Harbour")
    page = as_editor.post(f"/items/{old.pk}/cite?from_bid={bid.pk}", follow=True)
    assert "New, which replaced it, is cited in Harbour." in page.content.decode()
    assert Citation.objects.get().item == new
