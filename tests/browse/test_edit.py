"""Writing an item on its page: nothing that somebody wrote is lost."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.viewer import Viewer
from kb.domain.lifecycle import edit_item
from kb.domain.moderation import propose_edit
from kb.enums import ReviewStatus
from kb.models import ContentItem, Domain, Revision
from tests.browse.pages import HTMX, links, text
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db
DRAFT = ReviewStatus.IN_REVIEW  # an edit of it is in force at once


def fields(response: Any) -> dict[str, str]:
    """What the form would send as it stands."""
    body = response.content.decode()
    form = body[body.index('id="editor"') :]
    found = {
        name: unescape(value)
        for name, value in re.findall(
            r'<input\s[^>]*?name="([^"]+)"[^>]*?value="([^"]*)"', form
        )
    }
    areas = r'<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>'
    for name, value in re.findall(areas, form, re.DOTALL):
        found[name] = unescape(value)
    for name, inner in re.findall(
        r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL
    ):
        chosen = re.search(r'value="([^"]*)"\s+selected', inner)
        found[name] = chosen[1] if chosen else ""
    return found


def edit(client: Client, made: ContentItem, **values: Any) -> dict[str, Any]:
    """The fields of the form with some of them changed."""
    return fields(client.get(f"/items/{made.pk}/edit")) | values


def test_the_form_holds_the_item_and_sending_it_back_changes_nothing(
    as_editor: Client, bob: User
) -> None:
    made = item(
        "Backup <policy>",
        "## Scope\n\nAll & more",
        summary="Short",
        subtopic="Leave",
        ai_keywords=["a", "b c"],
        primary_domain=domain("People"),
        owner=bob,
    )
    before = made.history.count()
    sent = edit(as_editor, made)
    assert sent["content"] == "## Scope\n\nAll & more"
    assert sent["ai_keywords"] == "a, b c"
    answer = as_editor.post(f"/items/{made.pk}/edit", sent)
    assert answer["Location"] == f"/items/{made.pk}"
    assert made.history.count() == before


def test_an_edit_is_saved_with_its_author(as_editor: Client, bob: User) -> None:
    made = item("Old", governance_review_status=DRAFT)
    sent = edit(as_editor, made, title="New", content="Line\r\nends", ai_keywords="x,x")
    as_editor.post(f"/items/{made.pk}/edit", sent)
    made.refresh_from_db()
    assert (made.title, made.content, made.ai_keywords) == ("New", "Line\nends", ["x"])
    assert made.history.first().history_user == bob


def test_an_edit_of_an_approved_item_waits_and_says_for_whom(
    as_editor: Client, alice: User
) -> None:
    made = item("Old", primary_domain=domain("People", owner=alice))
    assert "Saving sends it to Alice for approval." in text(
        as_editor.get(f"/items/{made.pk}/edit")
    )
    sent = edit(as_editor, made, title="New", note="As agreed.")
    page = as_editor.post(f"/items/{made.pk}/edit", sent, follow=True)
    assert "Your edit waits for approval by Alice." in text(page)
    assert "As agreed." in text(page)
    assert "waits for approval What it changes Title" not in text(page)
    made.refresh_from_db()
    assert made.title == "Old"
    assert Revision.objects.get().changes == {"title": "New"}


def test_going_on_from_an_edit_that_waits_holds_both(
    as_editor: Client, editor: Viewer
) -> None:
    made = item("Old")
    propose_edit(editor, made.pk, {"title": "New"}, NOW)
    page = as_editor.get(f"/items/{made.pk}/edit")
    assert "An edit waits for approval" in text(page)
    assert fields(page)["title"] == "New"
    as_editor.post(f"/items/{made.pk}/edit", edit(as_editor, made, summary="Short"))
    waiting = Revision.objects.filter(status="waiting").get()
    assert waiting.changes == {"title": "New", "summary": "Short"}


def test_two_who_change_different_fields_lose_nothing(
    as_editor: Client, governor: Viewer
) -> None:
    made = item("Old", "Text", governance_review_status=DRAFT)
    sent = edit(as_editor, made, title="Mine")
    edit_item(governor, made.pk, {"content": "Theirs"}, NOW)
    as_editor.post(f"/items/{made.pk}/edit", sent)
    made.refresh_from_db()
    assert (made.title, made.content) == ("Mine", "Theirs")


def test_two_who_change_the_same_field_are_shown_both(
    as_editor: Client, governor: Viewer
) -> None:
    made = item("Old", "One two three", governance_review_status=DRAFT)
    sent = edit(as_editor, made, content="One two mine", summary="Mine too")
    edit_item(governor, made.pk, {"content": "One two theirs", "layer": "core"}, NOW)
    answer = as_editor.post(f"/items/{made.pk}/edit", sent, headers=HTMX)
    assert answer.status_code == 409
    assert answer["HX-Reswap"].startswith("outerHTML")
    assert "Somebody else changed content meanwhile" in text(answer)
    body = answer.content.decode()
    assert "<del>theirs</del>" in body
    assert "<ins>mine</ins>" in body
    again = fields(answer)
    assert (again["content"], again["summary"]) == ("One two mine", "Mine too")
    assert again["layer"] == "core"  # what only they changed stays theirs
    made.refresh_from_db()
    assert made.content == "One two theirs"
    as_editor.post(f"/items/{made.pk}/edit", again)
    made.refresh_from_db()
    assert (made.content, made.layer) == ("One two mine", "core")
    assert made.history.filter(content="One two theirs").exists()


def test_an_edit_that_somebody_proposed_meanwhile_is_shown(
    as_editor: Client, editor: Viewer
) -> None:
    made = item("Old")
    sent = edit(as_editor, made, title="Mine", note="Why mine")
    propose_edit(editor, made.pk, {"title": "Theirs"}, NOW)
    answer = as_editor.post(f"/items/{made.pk}/edit", sent)
    assert answer.status_code == 409
    again = fields(answer)
    assert (again["title"], again["note"]) == ("Mine", "Why mine")
    as_editor.post(f"/items/{made.pk}/edit", again)
    assert Revision.objects.get(status="waiting").changes == {"title": "Mine"}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"title": ""}, "cannot be blank"),
        ({"title": "x" * 501}, "at most 500 characters"),
        ({"primary_domain": "999"}, "Choose one from the list."),
        ({"content_type": "fax"}, "not a valid choice"),
    ],
)
def test_what_cannot_be_saved_stays_in_the_form(
    wrong: dict[str, str], said: str, as_editor: Client
) -> None:
    made = item("Old", governance_review_status=DRAFT)
    sent = edit(as_editor, made, summary="Typed for an hour", **wrong)
    answer = as_editor.post(f"/items/{made.pk}/edit", sent)
    assert answer.status_code == 422
    assert said in text(answer)
    assert fields(answer)["summary"] == "Typed for an hour"


def test_a_new_item_is_in_review(as_editor: Client) -> None:
    page = as_editor.get("/items/new?title=Do+you+test+backups%3F")
    sent = fields(page) | {"content": "Yes.", "content_type": "qa_pair"}
    answer = as_editor.post("/items/new", sent, follow=True)
    made = ContentItem.objects.get()
    assert (made.title, made.governance_review_status) == (
        "Do you test backups?",
        ReviewStatus.IN_REVIEW,
    )
    assert "It is in review until somebody approves it." in text(answer)


def test_a_look_shows_how_it_will_read_and_what_is_changed(as_editor: Client) -> None:
    made = item("Old", "One two", governance_review_status=DRAFT)
    sent = edit(as_editor, made, content="One **three**", look="true")
    page = as_editor.post(f"/items/{made.pk}/edit", sent)
    body = page.content.decode()
    assert "<strong>three</strong>" in body
    assert "<del>two</del>" in body
    made.refresh_from_db()
    assert made.content == "One two"


def test_the_live_preview_is_cleaned(as_editor: Client) -> None:
    written = {"content": "**a** <script>alert(1)</script>"}
    body = as_editor.post("/items/preview", written).content.decode()
    assert "<strong>a</strong>" in body
    assert "<script>" not in body


def test_items_much_alike_are_named_while_writing(as_editor: Client) -> None:
    made = item("How do you test backups?")
    near = {"title": "How do you test a backup?", "item": ""}
    page = as_editor.post("/items/alike", near)
    assert links(page, "How do you test backups?") == [f"/items/{made.pk}"]
    itself = near | {"title": made.title, "item": str(made.pk)}
    assert text(as_editor.post("/items/alike", itself)) == ""
    assert text(as_editor.post("/items/alike", {"title": "Exit plan"})) == ""
    assert as_editor.post("/items/alike", {"title": "\x00", "item": "x"}).content


def test_readers_write_nothing(as_reader: Client) -> None:
    made = item("Old")
    for path in ("/items/new", f"/items/{made.pk}/edit"):
        assert as_reader.get(path).status_code == 403
        assert as_reader.post(path, {"title": "New"}).status_code == 403
    for path in ("/items/preview", "/items/alike"):
        assert as_reader.post(path).status_code == 403
    assert ContentItem.objects.get().title == "Old"


def test_a_domain_that_left_meanwhile_is_no_server_error(as_editor: Client) -> None:
    made = item("Old", primary_domain=domain("Gone"), governance_review_status=DRAFT)
    sent = edit(as_editor, made, title="New")
    ContentItem.objects.update(primary_domain=None)
    Domain.objects.all().delete()
    answer = as_editor.post(f"/items/{made.pk}/edit", sent)
    assert answer.status_code in (302, 409, 422)
