"""The cells of a small table, CSV or XLSX: everything as text, nothing evaluated."""

import csv
import io
import itertools
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from openpyxl import load_workbook

from core.errors import BadInput
from core.text import clean
from kb.importers.text import decode

MAX_BYTES = 5 * 1024 * 1024
MAX_ROWS = 2_000
MAX_COLUMNS = 50
MAX_CELL = 10_000
# A workbook is a zip: what it unpacks to is bounded before it is opened.
_MAX_UNPACKED = 60 * 1024 * 1024
_MAX_PARTS = 1_000
# Blank rows count: one cell at the foot of a sheet stands below a million of them.
_MAX_WALKED = 2_200_000
_ZIP = b"PK\x03\x04"
_DELIMITERS = ",;\t"


@dataclass(frozen=True)
class Sheet:
    """`rows` carry the number that a spreadsheet shows; all are as long as `header`."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]


def read(name: str, data: bytes) -> list[Sheet]:
    """The sheets that hold anything. What it is follows from the content, not from the
    name. `BadInput` when nothing can be read."""
    if not data.strip():
        raise BadInput("The file is empty.", field="file")
    if len(data) > MAX_BYTES:
        most = MAX_BYTES // 1024**2
        raise BadInput(f"The file is larger than {most} MB.", field="file")
    sheets = _workbook(data) if data.startswith(_ZIP) else [_text(name, data)]
    found = [each for each in sheets if each is not None]
    if not found:
        raise BadInput("The file holds no rows.", field="file")
    return found


def _text(name: str, data: bytes) -> Sheet | None:
    try:
        text, _ = decode(data)
    except BadInput as error:
        raise BadInput(f"{error.message} Use CSV or XLSX.", field="file") from error
    first = text.lstrip().partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return _sheet(name, enumerate(reader, start=1))
    except csv.Error as error:
        reason = f"Line {reader.line_num} cannot be read: {error}."
        raise BadInput(reason, field="file") from error


def _workbook(data: bytes) -> Iterator[Sheet | None]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            parts = packed.infolist()
        unpacked = sum(each.file_size for each in parts)
        if unpacked > _MAX_UNPACKED or len(parts) > _MAX_PARTS:
            raise BadInput("The workbook is too large.", field="file")
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except BadInput:
        raise
    except Exception as error:  # openpyxl raises whatever a broken file makes it
        raise BadInput("This is not a workbook that can be read.", field="file") from (
            error
        )
    walked = itertools.count()
    try:
        for sheet in book.worksheets:
            yield _sheet(sheet.title, _cells(sheet, walked))
    finally:
        book.close()


def _cells(sheet: Any, walked: Iterator[int]) -> Iterator[tuple[int, Sequence[Any]]]:
    """The rows that are not blank. The extent that a sheet claims is not believed: some
    programs write A1 whatever there is, and rows beyond it would be lost."""
    sheet.reset_dimensions()
    try:
        rows = sheet.iter_rows(max_col=MAX_COLUMNS, values_only=True)
        for number, row in enumerate(rows, start=1):
            if next(walked) >= _MAX_WALKED:
                raise BadInput("The workbook has too many rows.", field="file")
            if row.count(None) < len(row):
                yield number, row
    except BadInput:
        raise
    except Exception as error:
        reason = f"The sheet {sheet.title} cannot be read."
        raise BadInput(reason, field="file") from error


def _sheet(name: str, rows: Iterable[tuple[int, Sequence[Any]]]) -> Sheet | None:
    """The first row with anything in it is the header."""
    header: tuple[str, ...] = ()
    found: list[tuple[int, tuple[str, ...]]] = []
    for number, row in rows:
        cells = tuple(_shown(each) for each in row[:MAX_COLUMNS])
        if not any(cells):
            continue
        if not header:
            header = _trimmed(cells)
            continue
        if len(found) == MAX_ROWS:
            raise BadInput(f"{name} has more than {MAX_ROWS} rows.", field="file")
        width = len(header)
        found.append((number, (cells + ("",) * width)[:width]))
    return Sheet(name, header, tuple(found)) if header else None


def _trimmed(cells: tuple[str, ...]) -> tuple[str, ...]:
    last = max(place for place, cell in enumerate(cells) if cell)
    return tuple(
        cell or f"Column {place}" for place, cell in enumerate(cells[: last + 1], 1)
    )


def _shown(value: Any) -> str:
    """A cell as a person reads it. (A leading apostrophe before a formula's sign is
    how exports keep it a text.)"""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.isoformat(" ", "minutes").removesuffix(" 00:00")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = clean(str(value)).strip()
    if text[:1] == "'" and text[1:2] in tuple("=+-@"):
        return text[1:]
    return text
