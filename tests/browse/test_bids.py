"""`/bids`: the list, the working page of a bid, and who may do what there."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.viewer import Viewer
from kb.domain.bids import open_bid
from kb.domain.citations import cite, set_bid_status
from kb.domain.lifecycle import archive, supersede
from kb.domain.responses import answer, cite_in_answer
from kb.enums import BidStatus, ReviewStatus
from kb.models import Citation, FormQuestion, FormResponse, Workspace
from tests.browse.outage import MESSAGE
from tests.browse.pages import HTMX, links, text
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db
TODAY = NOW.date()


def bid(name: str = "Managed IT", questions: int = 0, **values: Any) -> Workspace:
    made = open_bid(Viewer.system(), Workspace(name=name, **values), TODAY)
    for n in range(1, questions + 1):
        FormQuestion.objects.create(workspace=made, position=n, text=f"Question {n}?")
    return made


def first(made: Workspace) -> FormQuestion:
    return FormQuestion.objects.filter(workspace=made).earliest("position")


def path(question: FormQuestion, action: str = "answer") -> str:
    return f"/bids/{question.workspace_id}/questions/{question.pk}/{action}"


def seen(response: Any) -> str:
    found = re.search(r'name="seen" value="([^"]*)"', response.content.decode())
    assert found
    return found[1]


# --- The list ---------------------------------------------------------------------


def test_open_bids_come_first_with_their_progress_and_the_win_rate_has_its_n(
    as_reader: Client, editor: Viewer
) -> None:
    for name, status in (("One", "won"), ("Two", "lost"), ("Three", "won")):
        set_bid_status(editor, bid(name).pk, BidStatus(status), TODAY)
    current = bid("Now", 3, due_date=TODAY)
    answer(editor, first(current), "Yes.", NOW)
    page = text(as_reader.get("/bids"))
    assert "Won 2 of 3 decided bids (67 %)." in page
    assert "1 of 3" in page
    assert page.index("Now") < page.index("Three")


def test_a_status_nobody_knows_is_refused(as_reader: Client) -> None:
    assert as_reader.get("/bids?status=wn").status_code == 400


@pytest.mark.parametrize("where", ["/bids", "/bids/{}", "/bids/{}?question={}"])
def test_pages_cost_the_same_however_many_rows(
    where: str, as_editor: Client, editor: Viewer
) -> None:
    counts = []
    made = bid(questions=1)
    for rows in (1, 3):
        for n in range(rows):
            bid(f"Other {rows} {n}")
            asked = FormQuestion.objects.create(
                workspace=made, position=10 * rows + n, text="And?"
            )
            answer(editor, asked, f"Text {n}", NOW)
            new = item(f"Cited {rows} {n}", embedded=False)
            cite_in_answer(editor, asked, new.pk, TODAY)
            cite(editor, new.pk, workspace=made)
        address = where.format(made.pk, first(made).pk)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert as_editor.get(address).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


# --- A bid's own facts ------------------------------------------------------------


def test_an_editor_opens_and_changes_a_bid(as_editor: Client) -> None:
    made = as_editor.post("/bids/new", {"name": "Desk\x00", "status": "open"})
    bid = Workspace.objects.get()
    assert (made["Location"], bid.name) == (f"/bids/{bid.pk}", "Desk")
    as_editor.post(
        f"/bids/{bid.pk}/edit",
        {
            "name": "Desk",
            "client": "Linfold",
            "due_date": "2026-07-01",
            "status": "won",
        },
    )
    bid.refresh_from_db()
    assert (bid.client, bid.status, bid.decided_on is not None) == (
        "Linfold",
        "won",
        True,
    )
    assert bid.history.count() == 3


def test_what_is_wrong_comes_back_beside_what_was_typed(as_editor: Client) -> None:
    answered = as_editor.post("/bids/new", {"name": "", "client": "L", "status": "x"})
    assert answered.status_code == 422
    assert 'value="L"' in answered.content.decode()
    assert not Workspace.objects.exists()


# --- Questions and answers --------------------------------------------------------


def test_the_first_question_without_an_answer_is_at_hand(
    as_editor: Client, editor: Viewer
) -> None:
    made = bid(questions=2)
    answer(editor, first(made), "Done.", NOW)
    assert "2. Question 2?" in text(as_editor.get(f"/bids/{made.pk}"))


def test_an_answer_is_saved_and_the_list_and_the_progress_come_along(
    as_editor: Client,
) -> None:
    made = bid(questions=2)
    sent = {"text": "We do.\r\n\r\nDaily.", "seen": ""}
    saved = as_editor.post(path(first(made)), sent, headers=HTMX)
    body = saved.content.decode()
    assert FormResponse.objects.get().text == "We do.\n\nDaily."
    assert seen(saved) != ""
    assert body.count('hx-swap-oob="true"') == 2
    assert "1 of 2 answered" in text(saved)


def test_without_a_script_saving_leads_back_to_the_question(as_editor: Client) -> None:
    question = first(bid(questions=1))
    saved = as_editor.post(path(question), {"text": "Yes.", "seen": ""})
    assert saved["Location"] == f"/bids/{question.workspace_id}?question={question.pk}"


def test_saving_over_another_text_is_refused_and_both_are_shown(
    as_editor: Client, governor: Viewer
) -> None:
    question = first(bid(questions=1))
    before = as_editor.get(f"/bids/{question.workspace_id}")
    theirs = answer(governor, question, "Theirs", NOW)
    sent = {"text": "Mine & more", "seen": seen(before)}
    for headers in ({}, HTMX):
        refused = as_editor.post(path(question), sent, headers=headers)
        assert refused.status_code == 409
        assert "Alice saved another answer" in text(refused)
    assert "Theirs" in text(refused)
    assert refused["HX-Reswap"] == "outerHTML"
    assert "Mine &amp; more" in as_editor.post(path(question), sent).content.decode()
    assert theirs is not None
    over = {"over": theirs.updated_at.isoformat()}
    assert as_editor.post(path(question), sent | over, headers=HTMX).status_code == 200
    assert FormResponse.objects.get().text == "Mine & more"


def test_an_answer_over_its_limit_says_so(as_editor: Client, editor: Viewer) -> None:
    question = first(bid(questions=1))
    question.word_limit = 2
    question.save()
    answer(editor, question, "**Three** little words", NOW)
    page = text(as_editor.get(f"/bids/{question.workspace_id}"))
    assert "Over the limit 3 of 2 words" in page


def test_a_question_is_added_at_the_end(as_editor: Client) -> None:
    made = bid(questions=1)
    as_editor.post(f"/bids/{made.pk}/questions", {"text": "Why?", "section": "B"})
    assert FormQuestion.objects.get(position=2).text == "Why?"
    refused = as_editor.post(f"/bids/{made.pk}/questions", {"text": " "})
    assert refused.status_code == 422


def test_a_question_is_changed_and_keeps_its_answer(
    as_editor: Client, as_reader: Client, editor: Viewer
) -> None:
    question = first(bid(questions=1))
    answer(editor, question, "Because.", NOW)
    assert "Question 1?" in as_editor.get(path(question, "edit")).content.decode()
    sent = {"text": "Why so?", "section": "", "word_limit": "50"}
    assert as_reader.post(path(question, "edit"), sent).status_code == 403
    as_editor.post(path(question, "edit"), sent)
    question.refresh_from_db()
    assert (question.text, question.word_limit) == ("Why so?", 50)
    assert question.response.text == "Because."
    wrong = sent | {"word_limit": "-1"}
    assert as_editor.post(path(question, "edit"), wrong).status_code == 422


# --- Finding and citing -----------------------------------------------------------


def test_an_answer_is_found_inserted_and_cited(as_editor: Client) -> None:
    found = item("Backup policy", "We restore each quarter.")
    question = first(bid(questions=1))
    page = as_editor.get(f"/bids/{question.workspace_id}?find=backup+policy")
    assert links(page, "Backup policy") != []
    sent = {"text": "First.", "seen": "", "item": str(found.pk)}
    inserted = as_editor.post(path(question, "insert"), sent, headers=HTMX)
    written = FormResponse.objects.get()
    assert written.text == "First.\n\nWe restore each quarter."
    assert Citation.objects.get().response == written
    assert "We restore each quarter." in inserted.content.decode()
    assert inserted.content.decode().count('id="bid-progress"') == 1


def test_citing_alone_keeps_what_is_typed_and_is_no_answer(as_editor: Client) -> None:
    found = item(embedded=False)
    question = first(bid(questions=1))
    sent = {"text": "", "seen": "", "item": str(found.pk)}
    as_editor.post(path(question, "cite"), sent)
    assert [each.text for each in FormResponse.objects.all()] == [""]
    assert Citation.objects.get().response == FormResponse.objects.get()
    page = as_editor.get(f"/bids/{question.workspace_id}")
    assert "0 of 1 answered" in text(page)
    assert "Cited in this answer Backup policy" in text(page)


def test_a_replaced_item_leads_to_its_successor(
    as_reader: Client, editor: Viewer
) -> None:
    old, new, draft, hidden = (
        item(t, embedded=False) for t in ("Old", "New", "D", "H")
    )
    made = bid()
    for each in (old, draft):
        cite(editor, each.pk, workspace=made)
    supersede(editor, old.pk, new.pk, NOW, "Newer")
    supersede(editor, draft.pk, hidden.pk, NOW, "Newer")
    archive(editor, [hidden.pk], NOW)
    page = text(as_reader.get(f"/bids/{made.pk}"))
    assert "Old Replaced by New" in page
    assert " H " not in page


def test_titles_of_drafts_are_not_shown_to_viewers(
    as_reader: Client, as_editor: Client, editor: Viewer
) -> None:
    secret = item("Merger", embedded=False, governance_review_status=ReviewStatus.DRAFT)
    made = bid(questions=1)
    cite_in_answer(editor, first(made), secret.pk, TODAY)
    cite(editor, secret.pk, workspace=made)
    for where in (f"/bids/{made.pk}", f"/bids/{made.pk}/answers.csv"):
        assert "Merger" not in as_reader.get(where).content.decode()
        assert "Merger" in as_editor.get(where).content.decode()


def test_a_search_that_fails_says_so_in_its_place(
    as_editor: Client, settings: Any
) -> None:
    settings.EMBEDDER = "tests.browse.outage.Unreachable"
    cache.clear()
    made = bid(questions=1)
    failed = as_editor.get(f"/bids/{made.pk}?find=backup", headers=HTMX)
    assert (failed.status_code, failed["HX-Reswap"]) == (503, "outerHTML")
    assert MESSAGE in text(failed)
    assert links(failed, "Search by words only") != []


# --- Who may ----------------------------------------------------------------------


def test_viewers_read_and_change_nothing(as_reader: Client, editor: Viewer) -> None:
    made = bid(questions=1)
    answer(editor, first(made), "**Bold** claim", NOW)
    page = as_reader.get(f"/bids/{made.pk}?question={first(made).pk}")
    assert "<strong>Bold</strong>" in page.content.decode()
    assert (
        "textarea" not in page.content.decode().split("bid__work")[1].split("find-h")[0]
    )
    sent = {"text": "x", "seen": "", "item": str(item(embedded=False).pk)}
    for action in ("answer", "insert", "cite"):
        assert as_reader.post(path(first(made), action), sent).status_code == 403
    for where in ("new", f"{made.pk}/edit", f"{made.pk}/import"):
        assert as_reader.get(f"/bids/{where}").status_code == 403
        assert as_reader.post(f"/bids/{where}", {"name": "x"}).status_code == 403
    added = as_reader.post(f"/bids/{made.pk}/questions", {"text": "x"})
    assert added.status_code == 403
    assert FormResponse.objects.get().text == "**Bold** claim"


@pytest.mark.parametrize(
    "where", ["", "/new", "/1", "/1/edit", "/1/import", "/1/answers.csv"]
)
def test_strangers_are_sent_to_sign_in(client: Client, where: str) -> None:
    assert client.get(f"/bids{where}")["Location"].startswith("/sign-in?next=/bids")


@pytest.mark.parametrize(
    ("where", "status"),
    [
        ("/bids/999", 404),
        ("/bids/99999999999999999999999", 404),
        ("/bids/{}?question=999", 404),
        ("/bids/{}?question=x", 400),
        ("/bids/{}?find=%00", 200),
        ("/bids/{}?find=" + "x" * 2001, 400),
        ("/bids/{}?find=x&mode=y", 400),
        ("/bids/{}/answers.pdf", 400),
        ("/bids?page=x", 200),
    ],
)
def test_no_address_breaks_a_page(where: str, status: int, as_editor: Client) -> None:
    made = bid(questions=1)
    assert as_editor.get(where.format(made.pk)).status_code == status


def test_nonsense_sent_is_refused_in_words(as_editor: Client) -> None:
    question = first(bid(questions=1))
    for sent in (
        {},
        {"text": "x" * 100_001},
        {"text": "a", "seen": "\x00"},
        {"text": "a\x00b", "seen": "", "item": "x"},
    ):
        for action in ("answer", "insert", "cite"):
            refused = as_editor.post(path(question, action), sent)
            assert refused.status_code in (302, 400, 409)
    assert as_editor.post(path(question, "cite"), {"text": "", "item": ""}).status_code


def test_a_bid_due_is_said_in_days(as_reader: Client) -> None:
    from django.utils import timezone

    today = timezone.now().date()
    bid("Soon", due_date=today + timedelta(days=1))
    bid("Late", due_date=today - timedelta(days=2))
    page = text(as_reader.get("/bids"))
    assert "Due in 1 day" in page
    assert "Late by 2 days" in page
