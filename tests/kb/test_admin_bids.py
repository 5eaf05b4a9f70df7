"""Bids, domains and citations in admin."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from kb.domain.citations import cite
from kb.domain.lifecycle import supersede
from kb.models import Citation, ContentItem, Domain, FormQuestion, Workspace
from tests.factories.library import NOW, domain, item


@pytest.fixture
def desk(client: Client, bob: User) -> Client:
    client.force_login(bob)
    return client


def bid_form(bid: dict[str, Any], questions: list[dict[str, Any]]) -> dict[str, Any]:
    kept = sum("id" in question for question in questions)
    data = {
        **bid,
        "questions-TOTAL_FORMS": len(questions),
        "questions-INITIAL_FORMS": kept,
        "citations-TOTAL_FORMS": 0,
        "citations-INITIAL_FORMS": 0,
    }
    for place, question in enumerate(questions):
        data |= {f"questions-{place}-{name}": v for name, v in question.items()}
    return data


def test_a_bid_is_written_with_its_questions_and_answers(
    desk: Client, bob: User
) -> None:
    answer = desk.post(
        reverse("admin:kb_workspace_add"),
        bid_form(
            {"name": "Harbour", "client": "Lyme", "status": "open"},
            [
                {"text": "Who are you?", "answer": "We are us."},
                {"text": "How fast?", "answer": ""},
            ],
        ),
    )
    assert answer.status_code == 302
    bid = Workspace.objects.get()
    assert bid.created_by == bob
    first, second = bid.questions.all()
    assert (first.position, second.position) == (1, 2)
    assert (first.response.text, first.response.author) == ("We are us.", bob)
    assert not hasattr(second, "response")
    assert [each.history_user for each in bid.history.all()] == [bob]

    desk.post(
        reverse("admin:kb_workspace_change", args=[bid.pk]),
        bid_form(
            {"name": "Harbour", "client": "Lyme", "status": "open"},
            [
                {
                    "id": first.pk,
                    "workspace": bid.pk,
                    "position": 1,
                    "text": first.text,
                    "answer": "We are we.",
                }
            ],
        ),
    )
    first = FormQuestion.objects.get(pk=first.pk)
    assert first.response.text == "We are we."
    assert [each.text for each in first.response.history.all()] == [
        "We are we.",
        "We are us.",
    ]
    assert bid.history.count() == 1


def test_an_outcome_set_in_admin_counts_in_win_rates(desk: Client, bob: User) -> None:
    made = item()
    for name in ("One", "Two"):
        bid = Workspace.objects.create(name=name)
        cite(bob.viewer(), made.pk, workspace=bid)
        desk.post(
            reverse("admin:kb_workspace_change", args=[bid.pk]),
            bid_form({"name": name, "client": "", "status": "won"}, []),
        )
    made.refresh_from_db()
    assert (made.bids_won, made.bids_decided) == (2, 2)
    assert Workspace.objects.filter(decided_on=None).count() == 0
    page = desk.get(reverse("admin:kb_contentitem_change", args=[made.pk]))
    assert "2 won of 2 (100%)" in page.text


def test_a_clash_of_positions_is_an_error_in_the_form(desk: Client) -> None:
    bid = Workspace.objects.create(name="Harbour")
    for position in (1, 2):
        FormQuestion.objects.create(workspace=bid, position=position, text="?")
    answer = desk.post(
        reverse("admin:kb_formquestion_add"),
        {"workspace": bid.pk, "position": "2", "text": "Again?", "answer": ""},
    )
    assert answer.status_code == 200
    assert FormQuestion.objects.count() == 2


@pytest.mark.parametrize("position", ["99999999999999", "-1", "x"])
def test_a_position_out_of_range_is_an_error_in_the_form(
    desk: Client, position: str
) -> None:
    bid = Workspace.objects.create(name="Harbour")
    answer = desk.post(
        reverse("admin:kb_formquestion_add"),
        {"workspace": bid.pk, "position": position, "text": "?", "answer": ""},
    )
    assert answer.status_code == 200
    assert list(answer.context["adminform"].form.errors) == ["position"]


def test_a_citation_is_by_exactly_one_and_only_once(desk: Client, bob: User) -> None:
    made, other = item("A"), item("B")
    bid = Workspace.objects.create(name="Harbour")
    add = reverse("admin:kb_citation_add")

    both = desk.post(
        add, {"item": made.pk, "workspace": bid.pk, "citing_item": other.pk}
    )
    assert both.context["adminform"].form.errors == {
        "workspace": ["Choose exactly one: a bid, an answer or another item."]
    }
    for _ in range(2):
        desk.post(add, {"item": made.pk, "workspace": bid.pk})
    citation = Citation.objects.get()
    assert (citation.item, citation.created_by) == (made, bob)
    page = desk.get(reverse("admin:kb_citation_change", args=[citation.pk]))
    assert page.status_code == 200


def test_a_new_cadence_of_a_domain_moves_its_items(client: Client, alice: User) -> None:
    client.force_login(alice)
    where = domain(cadence_days=30)
    follows = item("Follows", primary_domain=where)
    own = item("Own", primary_domain=where, cadence="period", review_cadence_days=5)

    answer = client.post(
        reverse("admin:kb_domain_change", args=[where.pk]),
        {"name": where.name, "cadence_days": "90", "moderation": "hide"},
    )

    assert answer.status_code == 302
    due = dict(ContentItem.objects.values_list("title", "next_review_date"))
    assert due["Follows"] == follows.content_changed_at.date() + timedelta(days=90)
    assert due["Own"] == own.content_changed_at.date() + timedelta(days=5)
    assert Domain.objects.get().history.latest().history_user == alice
    assert follows.history.latest().history_change_reason == (
        "Cadence of Information security"
    )


def test_editors_see_domains_and_cannot_post_to_their_history(desk: Client) -> None:
    where = domain(cadence_days=30)
    where.history.create(
        id=where.pk, name="Old", history_type="~", history_date="2026-01-01T00:00Z"
    )
    version = where.history.earliest("history_date").pk
    url = reverse("admin:kb_domain_simple_history", args=[where.pk, version])
    assert desk.post(url, {"name": "Old", "moderation": "keep"}).status_code == 403
    where.refresh_from_db()
    assert where.name == "Information security"


def test_a_second_citation_by_the_same_bid_is_named_in_the_form(desk: Client) -> None:
    made = item(embedded=False)
    bid = Workspace.objects.create(name="Harbour")
    add = reverse("admin:kb_citation_add")
    values = {"item": str(made.pk), "workspace": bid.pk}
    assert desk.post(add, values).status_code == 302
    page = desk.post(add, values)
    assert page.context["adminform"].form.non_field_errors() == [
        "This bid cites this item already."
    ]
    assert Citation.objects.count() == 1


def test_citing_a_replaced_item_says_what_is_cited_instead(
    desk: Client, bob: User
) -> None:
    old, new = item("Old", embedded=False), item("New", embedded=False)
    supersede(bob.viewer(), old.pk, new.pk, NOW, "Newer")
    bid = Workspace.objects.create(name="Harbour")
    add = reverse("admin:kb_citation_add")
    answer = desk.post(add, {"item": str(old.pk), "workspace": bid.pk}, follow=True)
    assert "Old was replaced: New is cited instead." in answer.text
    assert Citation.objects.get().item == new
