"""A buyer's table of questions becomes the questions of a bid: read, shown, kept."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.errors import BadInput
from core.text import fold
from kb.importers.sheets import MAX_CELL, Sheet
from kb.models import FormQuestion

# Names of columns in order of preference, folded.
COLUMNS: dict[str, tuple[str, ...]] = {
    "text": (
        "question",
        "questions",
        "question text",
        "requirement",
        "requirements",
        "text",
        "description",
        "q",
        "title",
        "prompt",
    ),
    "section": ("section", "category", "part", "theme", "topic", "heading", "lot"),
    "word_limit": (
        "word limit",
        "words",
        "max words",
        "maximum words",
        "limit",
        "word count",
        "wordlimit",
    ),
}
LABELS = {"text": "Question", "section": "Section", "word_limit": "Word limit"}
_MAX_SECTION = 200
_MAX_WORDS = 1_000_000
_NUMBER = re.compile(r"\d[\d,.'’ ]*")


@dataclass(frozen=True)
class Row:
    """`problem` says why a row becomes no question, `notice` what it goes without."""

    number: int
    text: str
    section: str = ""
    word_limit: int | None = None
    problem: str = ""
    notice: str = ""


@dataclass(frozen=True)
class Plan:
    columns: Mapping[str, int]
    rows: Sequence[Row]

    @property
    def good(self) -> list[Row]:
        return [row for row in self.rows if not row.problem]

    @property
    def bad(self) -> list[Row]:
        return [row for row in self.rows if row.problem]

    def questions(self) -> list[FormQuestion]:
        return [
            FormQuestion(text=row.text, section=row.section, word_limit=row.word_limit)
            for row in self.good
        ]


def plan(
    sheet: Sheet,
    by_hand: Mapping[str, str] | None = None,
    asked: Sequence[tuple[str, str]] = (),
) -> Plan:
    """What an import would do. `by_hand` maps a field to the place of its column, or to
    "" for none; `asked` are section and text of the questions the bid has already."""
    columns = _by_hand(sheet, by_hand) if by_hand else recognised(sheet.header)
    if "text" not in columns:
        return Plan(columns, ())
    seen = {_key(section, text): "the bid has" for section, text in asked}
    rows = []
    for number, cells in sheet.rows:
        row = _row(number, {name: cells[at] for name, at in columns.items()})
        if not row.problem:
            first = seen.setdefault(_key(row.section, row.text), f"row {number} has")
            if first != f"row {number} has":
                row = Row(number, row.text, row.section, problem=f"{first} it already.")
        rows.append(row)
    return Plan(columns, rows)


def recognised(header: Sequence[str]) -> dict[str, int]:
    """Field → place of its column, by the column's name."""
    places: dict[str, int] = {}
    for place, name in enumerate(header):
        plain = fold(name).replace("_", " ").replace("-", " ").strip(" .:*#")
        places.setdefault(plain, place)
    return {
        name: places[alias]
        for name, aliases in COLUMNS.items()
        if (alias := next((each for each in aliases if each in places), None))
    }


def _by_hand(sheet: Sheet, chosen: Mapping[str, str]) -> dict[str, int]:
    columns = {}
    for name in COLUMNS:
        place = chosen.get(name, "")
        if not place:
            continue
        if not (place.isascii() and place.isdigit() and len(place) < 4):
            raise BadInput("Choose a column of the table.", field=name)
        if int(place) >= len(sheet.header):
            raise BadInput("The table has no such column.", field=name)
        columns[name] = int(place)
    return columns


def _row(number: int, cells: Mapping[str, str]) -> Row:
    text, section = cells["text"], " ".join(cells.get("section", "").split())
    if not text:
        return Row(number, "", section, problem="It has no question.")
    if len(text) > MAX_CELL:
        reason = f"The question is longer than {MAX_CELL:,} characters."
        return Row(number, text[:200], section, problem=reason)
    if len(section) > _MAX_SECTION:
        reason = f"The section is longer than {_MAX_SECTION} characters."
        return Row(number, text, section[:80], problem=reason)
    limit, notice = _limit(cells.get("word_limit", ""))
    return Row(number, text, section, limit, notice=notice)


def _limit(cell: str) -> tuple[int | None, str]:
    """The one number in "Max. 1,000 words"; none when it says nothing of the kind."""
    found = _NUMBER.findall(cell)
    digits = re.sub(r"\D", "", found[0]) if len(found) == 1 else ""
    if digits and len(digits) < 10 and 0 < int(digits) <= _MAX_WORDS:
        return int(digits), ""
    return None, f"No word limit can be read in “{cell[:40]}”." if cell else ""


def _key(section: str, text: str) -> tuple[str, str]:
    return fold(section), fold(text)
