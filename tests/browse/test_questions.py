"""Questions nobody could answer: asked, taken on, closed with an item."""

import json
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from accounts.viewer import Viewer
from browse import questions
from browse.enums import QuestionState
from browse.models import Question
from core.errors import BadInput, Conflict, NotAllowed, NotFound
from kb.models import ContentItem, Workspace
from tests.browse.pages import HTMX, links, text
from tests.factories.library import NOW, domain, item

pytestmark = pytest.mark.django_db


def asked(viewer: Viewer, words: str = "Do you test backups?") -> Question:
    return questions.ask(viewer, words, NOW)


def test_a_search_in_vain_offers_to_ask_the_owners(
    as_reader: Client, bob: User
) -> None:
    item("Policy", primary_domain=domain("People", owner=bob))
    bid = Workspace.objects.create(name="Managed IT")
    query = f"q=zebra&domain=People&from_bid={bid.pk}"
    page = as_reader.get(f"/browse?{query}&mode=keyword")
    [form] = links(page, "Ask the owners")
    assert "zebra" in text(as_reader.get(form))
    sent = {"text": "Do you keep zebras?", "note": "For Brackenshaw"}
    answer = as_reader.post(form, sent, headers=HTMX)
    assert json.loads(answer["HX-Location"])["target"] == "#results"
    made = Question.objects.get()
    assert (made.text, made.note, made.bid, made.owner, made.state) == (
        "Do you keep zebras?",
        "For Brackenshaw",
        bid,
        bob,
        QuestionState.OPEN,
    )


def test_what_is_found_needs_no_owner(as_reader: Client) -> None:
    item("Backup policy", "We test backups.")
    assert "Ask the owners" not in text(as_reader.get("/browse?q=backup+policy"))


def test_asking_the_same_twice_is_asking_once(reader: Viewer) -> None:
    assert asked(reader) == asked(reader, "do you test BACKUPS? ")


@pytest.mark.parametrize("words", ["", " ", "\x00", "x" * 2001])
def test_a_question_has_words(words: str, as_reader: Client) -> None:
    answer = as_reader.post("/questions/ask", {"text": words})
    assert answer.status_code == 422
    assert not Question.objects.exists()


def test_an_editor_takes_it_and_closes_it_with_an_item(
    as_editor: Client, as_reader: Client, bob: User, reader: Viewer
) -> None:
    made = asked(reader)
    found = item("Backup tests", "Do you test backups? Yes, each quarter.")
    as_editor.post(f"/questions/{made.pk}/take")
    assert "Bob is on it" in text(as_reader.get("/questions"))
    form = as_editor.get(f"/questions/{made.pk}/answer")
    assert "Backup tests" in text(form)
    sent = {"by": str(found.pk), "note": "See the second part."}
    as_editor.post(f"/questions/{made.pk}/answer", sent)
    made.refresh_from_db()
    assert (made.state, made.item, made.closed_by) == ("answered", found, bob)
    front = as_reader.get("/")
    assert "Your question is answered: Do you test backups?" in text(front)
    assert "Bob: See the second part." in text(front)
    opened = as_reader.post(f"/questions/{made.pk}/seen", {"open": "true"})
    assert opened["Location"] == f"/items/{found.pk}"
    assert "Your question is answered" not in text(as_reader.get("/"))


def test_writing_the_answer_closes_the_question(
    as_editor: Client, reader: Viewer
) -> None:
    made = asked(reader)
    page = as_editor.get(f"/items/new?question={made.pk}")
    assert 'value="Do you test backups?"' in page.content.decode()
    values = {"title": made.text, "content": "Yes.", "content_type": "qa_pair"}
    as_editor.post(f"/items/new?question={made.pk}", values)
    made.refresh_from_db()
    assert made.item == ContentItem.objects.get()
    assert made.state == QuestionState.ANSWERED


def test_the_asker_must_be_able_to_open_the_answer(
    editor: Viewer, reader: Viewer
) -> None:
    made = asked(reader)
    draft = item("Draft", governance_review_status="draft")
    with pytest.raises(BadInput, match="Charlie cannot open this item yet"):
        questions.answer(editor, made.pk, draft.pk, NOW)


def test_closing_without_an_answer_says_why(
    as_editor: Client, as_reader: Client, reader: Viewer
) -> None:
    made = asked(reader)
    refused = as_editor.post(f"/questions/{made.pk}/close", {"note": " "})
    assert refused.status_code == 422
    as_editor.post(f"/questions/{made.pk}/close", {"note": "We never will."})
    assert "Bob: We never will." in text(as_reader.get("/"))


def test_two_do_not_close_the_same(editor: Viewer, reader: Viewer) -> None:
    made = asked(reader)
    questions.close(editor, made.pk, NOW, "No.")
    with pytest.raises(Conflict):
        questions.take(editor, made.pk)


def test_readers_see_and_touch_their_own_alone(
    as_reader: Client, editor: Viewer, reader: Viewer
) -> None:
    other = asked(editor, "Of Bob?")
    mine = asked(reader, "Of Charlie?")
    page = text(as_reader.get("/questions?show=waiting"))
    assert "Of Charlie?" in page
    assert "Of Bob?" not in page
    for path in ("take", "answer", "close"):
        assert as_reader.post(f"/questions/{mine.pk}/{path}").status_code == 403
    assert as_reader.post(f"/questions/{other.pk}/seen").status_code == 404
    with pytest.raises(NotFound):
        questions.question(reader, other.pk)
    with pytest.raises(NotAllowed):
        questions.close(reader, mine.pk, NOW, "No.")


def test_the_queue_counts_each_kind(editor: Viewer, reader: Viewer) -> None:
    first, second = asked(reader, "One?"), asked(reader, "Two?")
    questions.take(editor, first.pk)
    questions.close(editor, second.pk, NOW, "No.")
    found = questions.queue(editor, "mine")
    assert [each.text for each in found.questions] == ["One?"]
    assert found.counts == {"waiting": 1, "mine": 1, "asked": 0, "closed": 1}
    questions.release(editor, first.pk)
    assert questions.queue(editor, "mine").questions == []


@pytest.mark.parametrize("count", [1, 3])
def test_the_queue_takes_the_same_queries_however_long(
    count: int, as_editor: Client, reader: Viewer, django_assert_num_queries: Any
) -> None:
    for number in range(count):
        asked(reader, f"Question {number}?")
    # session, user; four counts, the list; the limit's three
    with django_assert_num_queries(10):
        as_editor.get("/questions")
