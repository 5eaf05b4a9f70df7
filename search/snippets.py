"""The part of each hit that answers best, with the words of the query marked."""

from dataclasses import dataclass
from uuid import UUID

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pgvector.django import CosineDistance

from core.markdown import plain
from kb.analysis import spans
from kb.embeddings.base import Vector
from kb.models import ContentChunk
from search.lexical import LexicalQuery

LENGTH = 240


@dataclass(frozen=True)
class Snippet:
    html: str
    heading: str


def snippets(
    ids: list[UUID], words: LexicalQuery, vector: Vector | None
) -> dict[UUID, Snippet]:
    """One snippet an item, from its best section (two queries at most)."""
    return {
        chunk.item_id: Snippet(highlight(chunk.text, words), chunk.heading_path)
        for chunk in _best_sections(ids, vector)
    }


def _best_sections(ids: list[UUID], vector: Vector | None) -> list[ContentChunk]:
    sections = ContentChunk.objects.filter(item__in=ids).only(
        "item_id", "heading_path", "text"
    )
    if vector is None:
        return list(sections.order_by("item_id", "position").distinct("item_id"))
    distance = CosineDistance("embedding", vector)
    return list(sections.order_by("item_id", distance, "position").distinct("item_id"))


def highlight(markdown: str, words: LexicalQuery) -> SafeString:
    """The window of `markdown`, as plain text, with the most of the query in it; safe
    HTML in which only <mark> is ours."""
    text = plain(markdown)
    weights = {term.text: term.idf for term in words.terms}
    marks = [
        _Mark(start, end, max(weights.get(term, 0.0) for term in terms), terms)
        for start, end, terms in spans(text)
        if any(weights.get(term, 0.0) for term in terms)
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
