"""Reads labelled queries: CSV or JSON Lines of query, expected item and filters."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput
from core.text import clean
from kb.filters import ItemFilters
from search.types import query_text

_OWN = ("query", "expected", "filters")


@dataclass(frozen=True)
class Labelled:
    """`expected` are ids, titles or source paths of items that answer the query."""

    query: str
    expected: tuple[str, ...]
    filters: ItemFilters


def read(path: Path) -> list[Labelled]:
    """`BadInput` names the line that cannot be read. Lines with the same query and
    filters are one query with several expected items."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8.") from error
    rows = _json_lines(text) if text.lstrip().startswith("{") else _csv(text)
    found = _grouped(rows)
    if not found:
        raise BadInput(f"{path} holds no queries.")
    return found


def _grouped(rows: Iterable[tuple[int, Mapping[str, Any]]]) -> list[Labelled]:
    expected: dict[tuple[str, ItemFilters], dict[str, None]] = {}
    for number, row in rows:
        try:
            key = query_text(row.get("query")), _filters(row)
            named = _expected(row.get("expected"))
        except BadInput as error:
            raise BadInput(f"Line {number}: {error.message}") from error
        expected.setdefault(key, {}).update(dict.fromkeys(named))
    return [Labelled(q, tuple(named), f) for (q, f), named in expected.items()]


def _expected(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(each, str) for each in values):
        raise BadInput("expected must be an item's id, title or source path.")
    named = [text for each in values if (text := clean(each).strip())]
    if not named:
        raise BadInput("expected is missing: an item's id, title or source path.")
    return named


def _filters(row: Mapping[str, Any]) -> ItemFilters:
    """From columns or keys of their own, or from an object `filters`."""
    given = row.get("filters") or {}
    if not isinstance(given, Mapping):
        raise BadInput("filters must be an object.")
    beside = {name: row[name] for name in row if name not in _OWN}
    return ItemFilters.from_params({**beside, **given})


def _json_lines(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    # Not splitlines(): it also parts at characters that JSON allows inside texts.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"Line {number} is not JSON.") from error
        if not isinstance(row, dict):
            raise BadInput(f"Line {number} is not a JSON object.")
        yield number, row


def _csv(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Several values of one filter are parted by `|`."""
    reader = csv.reader(io.StringIO(text))
    try:
        header = [name.strip().casefold() for name in next(reader, [])]
        missing = {"query", "expected"} - set(header)
        if missing:
            raise BadInput(f"The first line must name the column {min(missing)}.")
        for values in reader:
            if any(value.strip() for value in values):
                yield reader.line_num, _row(header, values)
    except csv.Error as error:
        raise BadInput(f"Line {reader.line_num} is not CSV: {error}.") from error


def _row(header: list[str], values: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = dict(zip(header, values, strict=False))
    for name in row.keys() - set(_OWN):
        row[name] = [part.strip() for part in row[name].split("|")]
    row.pop("", None)
    return row
