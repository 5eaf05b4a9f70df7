"""A table of questions and answers: one row, one item."""

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.errors import BadInput
from core.text import fold
from kb.enums import ContentType
from kb.importers import fields
from kb.importers.base import (
    MAX_FILE_BYTES,
    Draft,
    ImportProblem,
    Options,
    SourceFile,
    digest,
)
from kb.importers.text import decode

VERSION = 1
_DELIMITERS = ",;\t"
# Names of columns in order of preference, folded.
COLUMNS: dict[str, tuple[str, ...]] = {
    "question": ("question", "questions", "q", "title", "prompt"),
    "answer": ("answer", "answers", "a", "response", "content"),
    "domain": ("domain", "category", "topic"),
    "subtopic": ("subtopic", "subcategory"),
    "tags": ("tags", "keywords"),
    "author": ("author", "owner"),
    "updated": ("updated", "last updated", "date", "modified"),
    "content_type": ("content type", "type"),
    "summary": ("summary",),
    "state": ("state",),
    "source": ("source",),
    "layer": ("layer",),
    "platform": ("platform",),
    "suggested_title": ("suggested title",),
    "cadence": ("cadence",),
    "next_review": ("next review",),
}

# The reader's own limit of 128 KB a cell is for the whole process.
csv.field_size_limit(MAX_FILE_BYTES)


@dataclass(frozen=True)
class Row:
    """A row by the number that a spreadsheet shows. `cells` are by field, `rest` by
    the name of the column."""

    number: int
    cells: Mapping[str, str]
    rest: Mapping[str, str]


class CsvImporter:
    suffixes = (".csv", ".tsv")

    def read(
        self, file: SourceFile, data: bytes, options: Options, now: datetime
    ) -> Iterator[Draft | ImportProblem]:
        text, notices = decode(data)
        if not text.strip():
            raise BadInput("The file is empty.")
        number, header, rows = _table(text)
        columns = columns_of(header, options.columns)
        found = _rows(header, columns, enumerate(rows, start=number + 1))
        yield from drafts_of(file, found, notices, now)


def drafts_of(
    file: SourceFile,
    rows: Iterator[Row | ImportProblem],
    notices: Sequence[str],
    now: datetime,
) -> Iterator[Draft | ImportProblem]:
    """Drafts of the rows of any table, and the problem of each row that is none."""
    seen: dict[str, int] = {}
    for row in rows:
        if isinstance(row, ImportProblem):
            yield ImportProblem(f"{file.name}, {row.path}", row.reason)
            continue
        where = f"{file.name}, row {row.number}"
        key = _key(row.cells.get("question", ""))
        first = seen.setdefault(key, row.number)
        if row.cells.get("question") and first != row.number:
            yield ImportProblem(where, f"It repeats the question of row {first}.")
            continue
        try:
            yield _draft(file, row, key, notices, now)
            notices = ()  # of the file: said once
        except BadInput as error:
            yield ImportProblem(where, error.message)


def columns_of(header: Sequence[str], by_hand: Mapping[str, str]) -> dict[str, int]:
    """Field → place of its column. `BadInput` if question or answer has none."""
    places: dict[str, int] = {}
    for place, name in enumerate(header):
        places.setdefault(_folded(name), place)
    found = {
        name: places[alias]
        for name, aliases in COLUMNS.items()
        if (alias := next((each for each in aliases if each in places), None))
    }
    for name, column in by_hand.items():
        if _folded(column) not in places:
            raise BadInput.unknown("column", column, list(header))
        found[name] = places[_folded(column)]
    for name in ("question", "answer"):
        if name not in found:
            raise BadInput(
                f"No column for the {name} among {', '.join(header)[:200]}. "
                f"Name it: --columns {name}=COLUMN",
                field="columns",
            )
    return found


def _table(text: str) -> tuple[int, list[str], Iterator[list[str]]]:
    """Number and cells of the header, and the rows below it. The delimiter is the one
    that makes out most of the known columns."""
    if text[:4].casefold() == "sep=":
        text = "\n" + text.partition("\n")[2]
    known = {alias for aliases in COLUMNS.values() for alias in aliases}

    def fitness(delimiter: str) -> tuple[int, int]:
        try:
            _, names = _header(_reader(text, delimiter))
        except csv.Error:
            return -1, 0
        return sum(_folded(name) in known for name in names), len(names)

    reader = _reader(text, max(_DELIMITERS, key=fitness))
    try:
        return *_header(reader), reader
    except csv.Error as error:
        raise BadInput(f"The first row cannot be read: {error}.") from error


def _reader(text: str, delimiter: str) -> Iterator[list[str]]:
    # Strict: a quotation mark that is never closed would swallow all other rows.
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def _header(reader: Iterator[list[str]]) -> tuple[int, list[str]]:
    for number, row in enumerate(reader, start=1):
        if any(cell.strip() for cell in row):
            return number, [cell.strip() for cell in row]
    return 0, []


def _rows(
    header: list[str],
    columns: Mapping[str, int],
    rows: Iterator[tuple[int, list[str]]],
) -> Iterator[Row | ImportProblem]:
    number = 0
    try:
        for number, cells in rows:
            if any(cell.strip() for cell in cells):
                yield _row(number, header, columns, cells)
    except csv.Error as error:
        where = f"after row {number}" if number else "row 2"
        yield ImportProblem(where, f"The rest of the table cannot be read: {error}.")


def _row(
    number: int, header: list[str], columns: Mapping[str, int], cells: list[str]
) -> Row | ImportProblem:
    if any(cell.strip() for cell in cells[len(header) :]):
        reason = (
            f"It has {len(cells)} cells and the header {len(header)}: "
            "a delimiter or a quotation mark is out of place."
        )
        return ImportProblem(f"row {number}", reason)
    padded = [cell.strip() for cell in cells] + [""] * len(header)
    used = set(columns.values())
    rest = {n: padded[i] for i, n in enumerate(header) if i not in used and padded[i]}
    return Row(number, {name: padded[i] for name, i in columns.items()}, rest)


def _draft(
    file: SourceFile, row: Row, key: str, notices: Sequence[str], now: datetime
) -> Draft:
    cells = dict(row.cells)
    question, answer = cells.pop("question"), cells.pop("answer")
    for name, value in (("question", question), ("answer", answer)):
        if not value:
            raise BadInput(f"It has no {name}.", field=name)
    stated = fields.parse(cells, now)
    title, content, cut = fields.titled(question, answer)
    values = {**stated.values, "title": title, "content": content}
    once = {"content_type": ContentType.QA_PAIR, **stated.once}
    state = repr((sorted(row.cells.items()), sorted(row.rest.items())))
    return Draft(
        source_path=f"{file.name}#{key}",
        source_hash=digest(VERSION, state.encode()),
        values=values,
        once=once,
        domain=stated.domain,
        folder=file.folder,
        owner=stated.owner,
        extra={**stated.extra, **row.rest},
        notices=(*notices, *stated.notices, *cut),
    )


def _key(question: str) -> str:
    """The same for a question that moves to another row."""
    return hashlib.sha256(fold(question).encode()).hexdigest()[:16]


def _folded(name: str) -> str:
    return fold(name).replace("_", " ").replace("-", " ")
