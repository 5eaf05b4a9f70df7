"""The part of each hit that answers best, with the words of the query marked."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pgvector import Vector as VectorText

from kb.analysis import spans
from kb.embeddings.base import Vector
from search.lexical import LexicalQuery

LENGTH = 240
# What all the words of a query weigh beside its cosine, and how many are looked for.
WORDS = 0.3
LOOKED_FOR = 4


@dataclass(frozen=True)
class Snippet:
    html: str
    heading: str


def snippets(
    ids: list[UUID], words: LexicalQuery, vector: Vector | None
) -> dict[UUID, Snippet]:
    """One snippet an item, from its best section."""
    rarest = sorted(words.rarities.items(), key=lambda each: -each[1])[:LOOKED_FOR]
    whole = sum(rarity for _, rarity in rarest)
    params: list[Any] = [
        [term for term, _ in rarest],
        [WORDS * rarity / whole for _, rarity in rarest],
        None if vector is None else VectorText(vector).to_text(),
        ids,
    ]
    with connection.cursor() as cursor:
        cursor.execute(_BEST_SECTIONS, params)
        return {
            item: Snippet(highlight(text, words), heading)
            for item, heading, text in cursor.fetchall()
        }


# Of each item the section that says most of what was asked, by its words (as stems,
# in ASCII's idea of case: it only chooses) and by meaning; the first among equals.
_BEST_SECTIONS = """
SELECT DISTINCT ON (item_id) item_id, heading_path, plain
FROM kb_contentchunk AS section
CROSS JOIN LATERAL (SELECT lower(plain COLLATE "C") AS lowered) AS texts
CROSS JOIN LATERAL (
    SELECT coalesce(sum(share), 0) AS words
    FROM unnest(%s::text[], %s::float[]) AS asked (term, share)
    WHERE strpos(lowered, term) > 0
) AS said
-- Uses the unique index of item and position.
CROSS JOIN LATERAL (SELECT section.embedding <=> %s::vector AS distance) AS meant
WHERE item_id = ANY(%s::uuid[])
ORDER BY item_id, words - coalesce(distance, 1) DESC, position
"""


def highlight(text: str, words: LexicalQuery) -> SafeString:
    """The window of `text` with the most of the query in it; safe HTML in which only
    <mark> is ours."""
    weights = words.rarities
    marks = [
        _Mark(start, end, max(weights.get(term, 0.0) for term in terms), terms)
        for start, end, terms in spans(text)
        if not weights.keys().isdisjoint(terms)
    ]
    start, end = _window(text, marks)
    return _marked(text, start, end, marks)


@dataclass(frozen=True)
class _Mark:
    start: int
    end: int
    weight: float
    terms: tuple[str, ...]


def _window(text: str, marks: list[_Mark]) -> tuple[int, int]:
    """Bounds of about LENGTH characters around the most distinct weight."""
    best, best_start = 0.0, 0
    for first in range(len(marks)):
        seen: dict[tuple[str, ...], float] = {}
        for mark in marks[first:]:
            if mark.end - marks[first].start > LENGTH:
                break
            seen[mark.terms] = mark.weight
        if sum(seen.values()) > best:
            best, best_start = sum(seen.values()), marks[first].start
    start = _word_start(text, max(0, best_start - LENGTH // 5))
    if len(text) - start < LENGTH:
        start = _word_start(text, max(0, len(text) - LENGTH))
    return start, _word_end(text, min(len(text), start + LENGTH))


def _word_start(text: str, at: int) -> int:
    space = text.find(" ", at, at + 30)
    return 0 if at == 0 else space + 1 if space >= 0 else at


def _word_end(text: str, at: int) -> int:
    space = text.rfind(" ", max(0, at - 30), at)
    return at if at == len(text) or space < 0 else space


def _marked(text: str, start: int, end: int, marks: list[_Mark]) -> SafeString:
    parts, at = ["… " if start else ""], start
    for mark in marks:
        if mark.start >= at and mark.end <= end:
            parts.append(escape(text[at : mark.start]))
            parts.append(f"<mark>{escape(text[mark.start : mark.end])}</mark>")
            at = mark.end
    parts.append(escape(text[at:end]))
    parts.append(" …" if end < len(text) else "")
    return mark_safe("".join(parts))  # noqa: S308 - every piece of text is escaped
