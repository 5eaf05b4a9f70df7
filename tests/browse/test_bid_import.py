"""A buyer's table of questions: looked at, mapped, and only then kept."""

import io
import re
import zipfile
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from openpyxl import Workbook as Book

from kb.importers import sheets
from kb.models import FormQuestion
from tests.browse.pages import text
from tests.browse.test_bids import bid

pytestmark = pytest.mark.django_db
CSV = (
    b"Section,Question,Word limit\nA,How fast?,Max. 1'000 words\nA,,5\nA,how  fast?,\n"
)


def upload(client: Client, pk: int, data: bytes, name: str = "q.csv") -> Any:
    file = SimpleUploadedFile(name, data)
    return client.post(f"/bids/{pk}/import", {"file": file})


def carried(page: Any) -> dict[str, str]:
    """The form as the page sends it again."""
    body = page.content.decode()
    form = body[body.index('name="carried"') - 40 :]
    hidden = re.search(r'name="carried" value="([^"]*)"', form)
    assert hidden
    fields = {"carried": hidden[1]}
    for name, inner in re.findall(
        r'<select[^>]*name="([^"]*)">(.*?)</select>', form, re.DOTALL
    ):
        chosen = re.search(r'value="([^"]*)" selected', inner)
        fields[name] = unescape(chosen[1]) if chosen else ""
    return fields


def workbook(*named: tuple[str, list[list[Any]]]) -> bytes:
    book = Book()
    book.remove(book.active)
    for name, rows in named:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def test_a_table_is_shown_first_and_kept_on_request(as_editor: Client) -> None:
    made = bid()
    look = upload(as_editor, made.pk, CSV)
    page = text(look)
    assert not FormQuestion.objects.exists()
    assert "1 question to import, 2 rows left out" in page
    assert "It has no question." in page
    assert "Row 2 has it already." in page
    kept = as_editor.post(f"/bids/{made.pk}/import", carried(look) | {"keep": "1"})
    assert kept["Location"] == f"/bids/{made.pk}"
    question = FormQuestion.objects.get()
    assert (question.section, question.text, question.word_limit) == (
        "A",
        "How fast?",
        1000,
    )


def test_a_limit_that_cannot_be_read_is_said_and_left_out(as_editor: Client) -> None:
    made = bid()
    look = upload(as_editor, made.pk, b"Question,Word limit\nWhy?,2 or 3\nHow?,none\n")
    assert text(look).count("No word limit can be read in") == 2
    as_editor.post(f"/bids/{made.pk}/import", carried(look) | {"keep": "1"})
    assert set(FormQuestion.objects.values_list("word_limit")) == {(None,)}


def test_importing_twice_adds_nothing(as_editor: Client) -> None:
    made = bid()
    look = upload(as_editor, made.pk, CSV)
    for _ in range(2):
        as_editor.post(f"/bids/{made.pk}/import", carried(look) | {"keep": "1"})
    assert FormQuestion.objects.count() == 1
    assert "The bid has it already." in text(upload(as_editor, made.pk, CSV))


def test_columns_are_mapped_by_hand_when_no_name_says_it(as_editor: Client) -> None:
    made = bid()
    look = upload(as_editor, made.pk, b"Lfd.;Frage\n1;Wie schnell?\n")
    assert "Which column holds the questions?" in text(look)
    again = as_editor.post(f"/bids/{made.pk}/import", carried(look) | {"text": "1"})
    assert "1 question to import" in text(again)
    kept = carried(again) | {"keep": "1"}
    as_editor.post(f"/bids/{made.pk}/import", kept)
    assert FormQuestion.objects.get().text == "Wie schnell?"


def test_a_workbook_has_sheets_to_choose_from(as_editor: Client) -> None:
    made = bid()
    data = workbook(
        ("Intro", [["Welcome"]]),
        ("Lot 1", [[], ["Requirement", "Max words"], ["Who are you?", 250.0]]),
    )
    look = upload(as_editor, made.pk, data, "q.xlsx")
    sent = carried(look) | {"sheet": "1", "text": "0", "word_limit": "1", "keep": "1"}
    as_editor.post(f"/bids/{made.pk}/import", sent)
    question = FormQuestion.objects.get()
    assert (question.text, question.word_limit) == ("Who are you?", 250)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "The file is empty"),
        (b"  \n ", "The file is empty"),
        (b"\x89PNG\r\n\x1a\n", "This is not a text file"),
        (b"PK\x03\x04 broken", "not a workbook"),
        (b'Question\n"never closed', "Line 2 cannot be read"),
        (b"Question\n" + b"x\n" * 2_001, "more than 2000 rows"),
    ],
)
def test_what_cannot_be_read_is_said(data: bytes, said: str, as_editor: Client) -> None:
    refused = upload(as_editor, bid().pk, data)
    assert refused.status_code == 422
    assert re.search(said, text(refused))


def test_a_file_is_judged_by_its_content(as_editor: Client) -> None:
    data = workbook(("S", [["Question"], ["Why?"]]))
    assert "1 question to import" in text(upload(as_editor, bid().pk, data, "q.csv"))


def test_a_workbook_that_unpacks_to_too_much_is_not_opened(
    monkeypatch: pytest.MonkeyPatch, as_editor: Client
) -> None:
    monkeypatch.setattr(sheets, "_MAX_UNPACKED", 1_000_000)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/workbook.xml", b" " * 2_000_000)
    assert "too large" in text(upload(as_editor, bid().pk, packed.getvalue(), "q.xlsx"))


def test_a_table_that_was_changed_on_its_way_is_refused(as_editor: Client) -> None:
    made = bid()
    sent = carried(upload(as_editor, made.pk, CSV))
    for wrong in (
        sent | {"carried": sent["carried"] + "x"},
        sent | {"text": "99"},
        sent | {"text": "-1"},
        sent | {"sheet": "7"},
        sent | {"sheet": "x"},
        {},
    ):
        refused = as_editor.post(f"/bids/{made.pk}/import", wrong | {"keep": "1"})
        assert refused.status_code == 422
    assert not FormQuestion.objects.exists()


def rewritten(data: bytes, sheet: bytes, replaced: bytes | None = None) -> bytes:
    """A workbook with its first sheet's XML changed, or written anew."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(written, "w") as new:
        for each in old.infolist():
            part = old.read(each)
            if each.filename == "xl/worksheets/sheet1.xml":
                part = sheet if replaced is None else part.replace(replaced, sheet)
            new.writestr(each, part)
    return written.getvalue()


def test_a_workbook_that_claims_a_wrong_extent_is_read_whole() -> None:
    data = workbook(("A", [["Question", "Section"], ["How?", "S"], ["Why?", "T"]]))
    claims = rewritten(data, b'<dimension ref="A1"/>', b'<dimension ref="A1:B3"/>')
    (sheet,) = sheets.read("q.xlsx", claims)
    assert sheet.header == ("Question", "Section")
    assert sheet.rows == ((2, ("How?", "S")), (3, ("Why?", "T")))


def test_blank_rows_without_end_are_refused_in_time(as_editor: Client) -> None:
    made = bid()
    foot = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        b'<dimension ref="A1:XFD2000000000"/><sheetData><row r="2000000000">'
        b'<c r="A2000000000"><v>1</v></c></row></sheetData></worksheet>'
    )
    data = rewritten(workbook(("A", [["Question"]])), foot)
    refused = upload(as_editor, made.pk, data, "q.xlsx")
    assert refused.status_code == 422
    assert "The workbook has too many rows." in text(refused)
