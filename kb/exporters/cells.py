"""Tables for spreadsheets whose cells are never taken for formulas."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

# What a spreadsheet reads as the start of a formula; tab and return lead to one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_MAX_CELL = 32_767
_CUT = " … (cut here: a cell holds no more; the CSV has the whole)"

Cell = str | int | None


def safe(value: Cell) -> Cell:
    """A text that stays a text; the apostrophe is what a person would type."""
    if not isinstance(value, str):
        return value
    text = _UNPRINTABLE.sub("", value)
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text


def to_csv(header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """UTF-8 with the mark by which Excel knows it."""
    written = io.StringIO(newline="")
    table = csv.writer(written)
    table.writerow(header)
    table.writerows([safe(each) for each in row] for row in rows)
    return b"\xef\xbb\xbf" + written.getvalue().encode()


def to_xlsx(title: str, header: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    book = Workbook(write_only=True)
    sheet = book.create_sheet(title=re.sub(r"[\[\]:*?/\\]", " ", safe_title(title)))
    for row in (header, *rows):
        cells = []
        for value in row:
            cell = WriteOnlyCell(sheet, value=_fitting(safe(value)))
            if isinstance(value, str):
                cell.data_type = "s"
            cells.append(cell)
        sheet.append(cells)
    written = io.BytesIO()
    book.save(written)
    return written.getvalue()


def safe_title(title: str) -> str:
    return (_UNPRINTABLE.sub("", title).strip("' ") or "Sheet")[:31]


def _fitting(value: Cell) -> Cell:
    if isinstance(value, str) and len(value) > _MAX_CELL:
        return value[: _MAX_CELL - len(_CUT)] + _CUT
    return value
