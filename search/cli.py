"""Answers of search in a terminal."""

import logging
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, connection
from wcwidth import wcswidth, wcwidth

from core.errors import HubError
from kb.embeddings.base import EmbeddingUnavailable
from search.present import why
from search.types import Hit, Mode, SearchResults

Summaries = Mapping[UUID, Any]

_MARK = re.compile(r"<mark>(.*?)</mark>", re.DOTALL)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
# Between them, marked words travel through cutting and padding: neither has a width.
_ON, _OFF = "\ue000", "\ue001"
_WIDEST = 160
_GAP = "  "


class WrongDatabase(HubError):
    code = "WRONG_DATABASE"


def require_production() -> None:
    """Raise `WrongDatabase` unless the database configured is the production one."""
    wanted = settings.PRODUCTION_DATABASE.strip()
    if not wanted:
        raise WrongDatabase(
            "PRODUCTION_DATABASE is not set: nothing says which database is production."
        )
    found = connection.get_connection_params()
    host, _, name = wanted.rpartition("/")
    host, port = _port_of(host)
    used = (
        found.get("host") or "localhost",
        str(found.get("port") or "5432"),
        found["dbname"],
    )
    if (host, port, name) != used:
        raise WrongDatabase(
            f"The database configured is {used[0]}:{used[1]}/{used[2]}, "
            f"not the production one ({wanted})."
        )


def _port_of(host: str) -> tuple[str, str]:
    found = re.fullmatch(r"(.*):(\d+)", host)
    name, port = found.groups() if found else (host, "5432")
    return name.removeprefix("[").removesuffix("]"), port


@dataclass(frozen=True)
class Style:
    """How to write: `width` in columns, and whether with colours."""

    colour: bool
    width: int

    @classmethod
    def of(cls, *, colour: bool) -> "Style":
        columns = shutil.get_terminal_size((120, 24)).columns
        return cls(colour, max(40, min(columns, _WIDEST)))

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and text else text

    def marked(self, text: str) -> str:
        on, off = ("\x1b[1;33m", "\x1b[0m") if self.colour else ("", "")
        return text.replace(_ON, on).replace(_OFF, off)


def table(
    results: SearchResults,
    style: Style,
    *,
    explain: bool = False,
    summaries: Summaries | None = None,
) -> str:
    """Title, domain, keywords and snippet of each hit, aligned, best first."""
    lines = [style.paint(summary_line(results), "2")]
    if not results.hits:
        return "\n".join(lines)
    widths = _widths(style.width)
    lines.append(style.paint(_GAP.join(_fitted(_HEADINGS, widths)).rstrip(), "1"))
    for hit in results.hits:
        title, *others = _fitted(_cells(hit, widths[-1]), widths)
        line = _GAP.join([style.paint(title, "36"), *others])
        lines.append(style.marked(line).rstrip())
        if explain:
            lines.append(style.paint(f"    {_explained(hit)}", "2"))
        lines += [
            f"    {_cut(_line(text), style.width - 4)}"
            for text in _summary(summaries or {}, hit.id)
        ]
    return "\n".join(lines)


_HEADINGS = ("Title", "Domain", "Keywords", "Snippet")


def summary_line(results: SearchResults) -> str:
    shown, total = len(results.hits), results.total
    if not shown:
        return "Nothing found."
    exact = "" if results.total_is_exact else "at least "
    said = [f"{shown} of {exact}{total} match{'es' if total > 1 else ''}"]
    if results.mode == Mode.KEYWORD:
        said.append("by words only")
    if results.weak:
        said.append("weak matches only")
    return f"{', '.join(said)}."


def _widths(whole: int) -> tuple[int, ...]:
    """Of the columns; the snippet gets what the others leave."""
    left = whole - len(_GAP) * 3
    title, domain, keywords = left * 30 // 100, left * 14 // 100, left * 16 // 100
    return title, domain, keywords, left - title - domain - keywords


def _cells(hit: Hit, snippet_width: int) -> tuple[str, ...]:
    item = hit.item
    pin = "* " if hit.pinned else ""
    snippet = _MARK.sub(rf"{_ON}\1{_OFF}", _private(hit.snippet))
    return (
        pin + _private(item.title),
        _private(item.primary_domain.name if item.primary_domain else ""),
        _private(", ".join(item.ai_keywords)),
        _from_first_mark(_line(unescape(snippet)), snippet_width),
    )


def _from_first_mark(text: str, width: int) -> str:
    """Without the beginning, if the first marked word would else be cut off."""
    before, mark, after = text.partition(_ON)
    if not mark or _columns(before) <= width // 2:
        return text
    kept = before[-(width // 4) :].partition(" ")[2]
    return f"… {kept}{mark}{after}"


def _private(text: str) -> str:
    return text.replace(_ON, "").replace(_OFF, "")


def _fitted(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        _padded(_cut(_line(cell), width), width)
        for cell, width in zip(cells, widths, strict=True)
    ]


def _line(text: str) -> str:
    """One line without control characters, which could drive the terminal."""
    return " ".join(_CONTROLS.sub(" ", text).split())


def _cut(text: str, width: int) -> str:
    """At most `width` columns, ending in … if something is left out; marks stay
    closed."""
    if _columns(text) <= width:
        return text
    kept, used, open_ = [], 0, False
    for character in text:
        size = max(0, wcwidth(character)) if character not in (_ON, _OFF) else 0
        if used + size > width - 1:
            break
        open_ = character == _ON or (open_ and character != _OFF)
        kept.append(character)
        used += size
    return "".join(kept) + (_OFF if open_ else "") + "…"


def _padded(text: str, width: int) -> str:
    return text + " " * max(0, width - _columns(text))


def _columns(text: str) -> int:
    plain = _private(text)
    whole = wcswidth(plain)
    return whole if whole >= 0 else sum(max(0, wcwidth(each)) for each in plain)


def _explained(hit: Hit) -> str:
    parts = why(hit)
    factor = parts.pop("win_factor")
    said = " + ".join(f"{name} {value:.3f}" for name, value in parts.items())
    times = f" × wins {factor:.3f}" if factor != 1 else ""
    times = f"({said}){times}" if times else said
    pin = f"  [{hit.pinned}]" if hit.pinned else ""
    return f"score {hit.score:.3f} = {times}{pin}"


def _summary(summaries: Summaries, item: UUID) -> Iterator[str]:
    data = summaries.get(item)
    if isinstance(data, dict):
        for name, value in data.items():
            text = value if isinstance(value, str) else str(value)
            yield f"{name}: {text}"
    elif data:
        yield str(data)


@contextmanager
def quietly() -> Iterator[None]:
    """The process's own log would stand on stderr beside what is told there."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def in_one_line() -> Iterator[None]:
    """Whatever fails ends the command with status 1 and one line that says what."""
    try:
        yield
    except EmbeddingUnavailable as error:
        reason = f"The query could not be embedded: {error.detail}"
        raise CommandError(_one_line(reason)) from error
    except HubError as error:
        raise CommandError(_one_line(error.message)) from error
    except ImproperlyConfigured as error:
        raise CommandError(f"Configuration is missing: {first_line(error)}") from error
    except (DatabaseError, InterfaceError) as error:
        reason = f"The query failed in the database: {first_line(error)}"
        raise CommandError(reason) from error


def first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _one_line(text: str) -> str:
    return " ".join(text.split())
