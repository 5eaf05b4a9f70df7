"""The literal form of an item's tsvector, cut so that no document is too long to save:
PostgreSQL refuses a tsvector over 1 MB."""

from collections.abc import Iterable
from dataclasses import dataclass

from kb.analysis import Token, tokens
from kb.models import ContentItem

MAX_BODY = 200_000
MAX_EXTRA = 20_000
MAX_LEXEME_BYTES = 600_000
_MAX_POSITION = 16_383
_MAX_POSITIONS_PER_TERM = 255


@dataclass(frozen=True)
class Fields:
    """Texts of one item by weight class: A title, B keywords, C summary and author,
    D body."""

    title: str
    keywords: str
    summary: str
    author: str
    body: str

    @classmethod
    def of(cls, item: ContentItem) -> "Fields":
        return cls(
            title=title_text(item),
            keywords="\n".join(item.ai_keywords)[:MAX_EXTRA],
            summary=item.summary[:MAX_EXTRA],
            author=item.author_name,
            body=item.content[:MAX_BODY],
        )


def title_text(item: ContentItem) -> str:
    titles = filter(None, (item.title, item.suggested_title))
    return "\n".join(dict.fromkeys(titles))


def lexemes(texts: Fields, body: Iterable[Token]) -> str:
    """The literal form of the item's tsvector: `'term':1A,7D`, positions by field."""
    places: dict[str, list[str]] = {}
    size = offset = last = 0
    weighted = (
        (tokens(texts.title), "A"),
        (tokens(texts.keywords), "B"),
        (tokens(f"{texts.summary}\n{texts.author}"), "C"),
        (body, "D"),
    )
    for field, weight in weighted:
        for token in field:
            last = min(offset + token.position, _MAX_POSITION)
            for term in token.terms:
                found = places.setdefault(term, [])
                if len(found) < _MAX_POSITIONS_PER_TERM:
                    size += (len(term.encode()) + 8 if not found else 0) + 2
                    found.append(f"{last}{weight}")
            if size > MAX_LEXEME_BYTES:
                return _literal(places)
        offset = last + 1  # a gap, so that no phrase spans two fields
    return _literal(places)


def _literal(places: dict[str, list[str]]) -> str:
    return " ".join(f"{quote(term)}:{','.join(at)}" for term, at in places.items())


def quote(term: str) -> str:
    """A lexeme in the input syntax of tsvector and tsquery."""
    return "'" + term.replace("\\", "\\\\").replace("'", "''") + "'"
