"""Which parts of a message stand for anything, for showing: the same rules by which
`operational.pipeline.templates` reads a record, kept beside the words themselves."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from operational.pipeline.normalise import TOKEN, clean, read
from operational.pipeline.templates import ANGLED, HTML_TAGS, PLACEHOLDER, is_free

_MARKS = re.compile(r"^[{}<>$%\[\]]+|[{}<>\[\]]+$")
# Shown of a message, not recognised by.
MAX_SHOWN = 2_000


class Piece(NamedTuple):
    """`free`: it may differ from case to case."""

    text: str
    free: bool


def masked(text: str) -> list[Piece]:
    text = clean(text)[:MAX_SHOWN]
    pieces: list[Piece] = []
    end = 0
    for start, stop in _spans(text):
        if start < end:
            continue
        if start > end:
            pieces.append(Piece(text[end:start], free=False))
        inside = text[start:stop]
        pieces.append(Piece(_MARKS.sub("", inside) or "…", free=True))
        end = stop
    if end < len(text):
        pieces.append(Piece(text[end:], free=False))
    return pieces


def _spans(text: str) -> list[tuple[int, int]]:
    """What is free, from the left; where two overlap, the longer one counts."""
    found = [match.span() for match in PLACEHOLDER.finditer(text)]
    found += [
        match.span()
        for match in ANGLED.finditer(text)
        if match[1].partition(" ")[0] not in HTML_TAGS
    ]
    found += list(_values(text))
    return sorted(found, key=lambda span: (span[0], -span[1]))


def _values(text: str) -> Iterator[tuple[int, int]]:
    for match in TOKEN.finditer(text):
        if is_free(read(match)):
            yield match.span()
