"""Sections of a Markdown document: what is embedded, and what a section hit shows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from semantic_text_splitter import MarkdownSplitter

# The local model reads 256 word pieces: about 900 characters of English, and the title
# and headings that stand before them.
CHUNK_CHARACTERS = 900
# A document of a million sections helps nobody; the rest stays readable and findable
# by its words.
MAX_CHUNKS = 400
_HEADING = re.compile(r"^(#{1,6})[ \t]+(.+)$")
_FENCE = re.compile(r"^\s*(```|~~~)")


@dataclass(frozen=True)
class Section:
    """`path` are the headings above and of the section, outermost first."""

    path: tuple[str, ...]
    text: str


def sections(markdown: str) -> list[Section]:
    """Split by headings, and further where a section is longer than a chunk."""
    found: list[Section] = []
    for path, body in _by_heading(markdown):
        # The splitter takes minutes for a paragraph of megabytes.
        body = body[: (MAX_CHUNKS - len(found)) * CHUNK_CHARACTERS]  # noqa: PLW2901
        for piece in (
            _splitter().chunks(body) if len(body) > CHUNK_CHARACTERS else [body]
        ):
            if piece.strip():
                found.append(Section(path, piece.strip()))
            if len(found) == MAX_CHUNKS:
                return found
    return found


@lru_cache(maxsize=1)
def _splitter() -> MarkdownSplitter:
    return MarkdownSplitter(CHUNK_CHARACTERS)


def _by_heading(markdown: str) -> Iterator[tuple[tuple[str, ...], str]]:
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    fenced = False
    for line in markdown.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        heading = None if fenced else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        yield tuple(title for _, title in path), "\n".join(lines).strip()
        lines = []
        level = len(heading.group(1))
        path = [each for each in path if each[0] < level]
        path.append((level, heading.group(2).rstrip(" \t#")[:200] or "#"))
    yield tuple(title for _, title in path), "\n".join(lines).strip()
