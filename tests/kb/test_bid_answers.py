"""Answers of a bid: their writes and history, and the table to take away."""

import csv
import io
from typing import Any

import pytest
from openpyxl import load_workbook

from accounts.viewer import Viewer
from core.errors import BadInput, Conflict, NotAllowed, NotFound
from kb.domain import responses
from kb.domain.bids import add_questions, open_bid
from kb.exporters import answers
from kb.importers.sheets import read
from kb.models import Citation, FormQuestion, FormResponse, Workspace
from tests.factories.library import NOW, item

pytestmark = pytest.mark.django_db
DANGEROUS = ["=1+1", "+1", "-8a", "@SUM(A1)", "\t=1", "\r=1", " =1"]


@pytest.fixture
def question(editor: Viewer) -> FormQuestion:
    bid = open_bid(editor, Workspace(name="Desk"), NOW.date())
    return add_questions(editor, bid.pk, [FormQuestion(text="=cmd|' /C calc'!A0")])[0]


def test_each_new_text_is_one_line_of_history(
    editor: Viewer, question: FormQuestion
) -> None:
    for text in ("One", "One", "Two"):
        responses.answer(editor, question, text, NOW)
    written = FormResponse.objects.get()
    assert list(written.history.values_list("text", "history_user__username")) == [
        ("Two", "bob"),
        ("One", "bob"),
    ]


def test_a_version_that_is_not_the_last_one_is_a_conflict(
    editor: Viewer, question: FormQuestion
) -> None:
    first = responses.answer(editor, question, "One", NOW)
    with pytest.raises(Conflict):
        responses.answer(editor, question, "Two", NOW, seen="")
    responses.answer(editor, question, "Two", NOW, seen=responses.version(first))
    assert FormResponse.objects.get().text == "Two"


def test_an_insert_that_meets_a_conflict_cites_nothing(
    editor: Viewer, question: FormQuestion
) -> None:
    responses.answer(editor, question, "One", NOW)
    made = item(embedded=False)
    with pytest.raises(Conflict):
        responses.insert(editor, question, made.pk, "Two", NOW, seen="")
    assert not Citation.objects.exists()


def test_viewers_write_nothing(reader: Viewer, question: FormQuestion) -> None:
    made = item(embedded=False)
    for write in (
        lambda: responses.answer(reader, question, "x", NOW),
        lambda: responses.insert(reader, question, made.pk, "x", NOW),
        lambda: responses.cite_in_answer(reader, question, made.pk, NOW.date()),
        lambda: add_questions(reader, question.workspace_id, []),
    ):
        with pytest.raises(NotAllowed):
            write()


def test_a_question_that_is_gone_is_not_found(editor: Viewer) -> None:
    gone = FormQuestion(pk=999)
    with pytest.raises(NotFound):
        responses.answer(editor, gone, "x", NOW)


# --- The table to take away -------------------------------------------------------


def rows(kind: str, editor: Viewer) -> list[list[Any]]:
    data = answers.export(editor, Workspace.objects.get(), kind)
    if kind == "csv":
        return list(csv.reader(io.StringIO(data.decode("utf-8-sig"))))[1:]
    sheet = load_workbook(io.BytesIO(data)).active
    assert all(cell.data_type != "f" for row in sheet for cell in row)
    return [list(row) for row in sheet.iter_rows(min_row=2, values_only=True)]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("text", DANGEROUS)
def test_no_cell_is_a_formula(
    text: str, kind: str, editor: Viewer, question: FormQuestion
) -> None:
    responses.answer(editor, question, text, NOW)
    row = rows(kind, editor)[0]
    assert row[2].startswith("'=")
    assert row[3].startswith("'")


def test_a_table_says_who_answered_in_how_many_words_and_what_it_cites(
    editor: Viewer, question: FormQuestion
) -> None:
    made = item("Backup policy", embedded=False)
    responses.answer(editor, question, "**We** restore.\x1b[31m", NOW)
    responses.cite_in_answer(editor, question, made.pk, NOW.date())
    row = rows("xlsx", editor)[0]
    assert row[3:] == ["**We** restore.[31m", 2, None, "Bob", "Backup policy"]


def test_what_was_exported_can_be_imported_again(
    editor: Viewer, question: FormQuestion
) -> None:
    responses.answer(editor, question, "-8a", NOW)
    for kind in ("csv", "xlsx"):
        data = answers.export(editor, Workspace.objects.get(), kind)
        [sheet] = read("x", data)
        assert sheet.rows[0][1][2:4] == (question.text, "-8a")


def test_a_text_longer_than_a_cell_is_cut_and_says_so(
    editor: Viewer, question: FormQuestion
) -> None:
    responses.answer(editor, question, "word " * 8_000 + "end", NOW)
    assert rows("xlsx", editor)[0][3].endswith("the CSV has the whole)")
    assert rows("csv", editor)[0][3].endswith("end")


def test_an_unknown_format_is_refused(editor: Viewer, question: FormQuestion) -> None:
    with pytest.raises(BadInput):
        answers.export(editor, question.workspace, "pdf")
