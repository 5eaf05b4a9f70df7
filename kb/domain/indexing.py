"""Writes what search reads of an item: texts, terms and sections. Nothing else does.

Everything is cut, so that no document is too long to save: a tsvector must stay under
1 MB, a sparse vector under 16,000 terms.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from pgvector import SparseVector

from accounts.viewer import Viewer
from core.jobs import enqueue
from core.text import fold
from kb.analysis import dimension, tokens
from kb.chunking import Section, sections
from kb.domain.access import locked
from kb.models import (
    ContentChunk,
    ContentItem,
    IndexStatistics,
    ItemIndex,
    ItemTerms,
)
from kb.models.index import TERM_DIMENSIONS

MAX_BODY = 200_000
MAX_EXTRA = 20_000
MAX_TERMS = 16_000
MAX_LEXEME_BYTES = 600_000
_MAX_POSITION = 16_383
_MAX_POSITIONS_PER_TERM = 255

# How a term's count in a document saturates and how length discounts it: the document
# side of BM25 (Robertson and Zaragoza 2009, formula 3.13). Part of the index, not of
# the ranking: a change asks for `reindex`.
K1 = 1.2
B = 0.75


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
        titles = dict.fromkeys(filter(None, (item.title, item.suggested_title)))
        return cls(
            title="\n".join(titles),
            keywords="\n".join(item.ai_keywords)[:MAX_EXTRA],
            summary=item.summary[:MAX_EXTRA],
            author=item.author_name,
            body=item.content[:MAX_BODY],
        )


def title_key(title: str) -> str:
    """Equal for titles that differ only in case, accents, spaces and end marks."""
    return hashlib.sha256(fold(title).strip(" .?!:;\"'").encode()).hexdigest()


def index_items(items: Sequence[ContentItem], now: datetime) -> None:
    """(Re)build index rows, terms and sections of `items` in one transaction and
    enqueue their embedding. Vectors stay until newer ones replace them."""
    statistics = IndexStatistics.objects.first() or IndexStatistics()
    with transaction.atomic():
        rows = [_index_row(item, now) for item in items]
        ItemIndex.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=[
                "title_key",
                "title",
                "extra",
                "body",
                "author",
                "lexemes",
                "indexed_at",
                "text_hash",
            ],
        )
        ItemTerms.objects.bulk_create(
            [_terms_row(item, statistics) for item in items],
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=["title", "body", "title_length", "body_length"],
        )
        _write_chunks(items)
        enqueue("kb.embed_items", [str(item.pk) for item in items])


def forget_vectors(viewer: Viewer, ids: Sequence[UUID]) -> int:
    """Have items embedded anew, with their sections; until then they count as
    missing."""
    viewer.require_editor()
    forgotten = {"embedding": None, "recipe": ""}
    with transaction.atomic():
        found = [item.pk for item in locked(viewer, ids)]
        ItemIndex.objects.filter(item__in=found).update(**forgotten, embedded_hash="")
        ContentChunk.objects.filter(item__in=found).update(**forgotten)
        enqueue("kb.embed_items", [str(each) for each in found])
    return len(found)


def _index_row(item: ContentItem, now: datetime) -> ItemIndex:
    texts = Fields.of(item)
    return ItemIndex(
        item=item,
        title_key=title_key(item.title),
        title=fold(texts.title),
        extra=fold("\n".join((texts.keywords, texts.summary))),
        body=fold(texts.body),
        author=fold(texts.author),
        lexemes=lexemes(texts),
        indexed_at=now,
        text_hash=embedding_hash(item),
    )


def lexemes(texts: Fields) -> str:
    """The literal form of the item's tsvector: `'term':1A,7D`, positions by field."""
    places: dict[str, list[str]] = {}
    size = offset = last = 0
    weighted = (
        (texts.title, "A"),
        (texts.keywords, "B"),
        (f"{texts.summary}\n{texts.author}", "C"),
        (texts.body, "D"),
    )
    for text, weight in weighted:
        for token in tokens(text):
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


def _terms_row(item: ContentItem, statistics: IndexStatistics) -> ItemTerms:
    texts = Fields.of(item)
    title = _counts(f"{texts.title}\n{texts.keywords}")
    body = _counts(f"{texts.title}\n{texts.summary}\n{texts.body}")
    return ItemTerms(
        item=item,
        title=document_vector(title, statistics.mean_title_length),
        body=document_vector(body, statistics.mean_body_length),
        title_length=title.total(),
        body_length=body.total(),
    )


def rewrite_terms(statistics: IndexStatistics, batch: int = 500) -> None:
    """Document lengths are relative to the mean: write all term vectors anew for it."""
    items = ContentItem.objects.filter(terms__isnull=False).order_by("pk")
    last = None
    while True:
        page = list((items.filter(pk__gt=last) if last else items)[:batch])
        if not page:
            return
        ItemTerms.objects.bulk_update(
            [_terms_row(item, statistics) for item in page], ["title", "body"]
        )
        last = page[-1].pk


def _counts(text: str) -> Counter[str]:
    return Counter(term for token in tokens(text) for term in token.terms)


def document_vector(counts: Counter[str], mean_length: float) -> SparseVector:
    """BM25's document side; its inner product with the query's idf is BM25."""
    norm = K1 * (1 - B + B * counts.total() / max(mean_length, 1.0))
    weights = {
        dimension(term): count * (K1 + 1) / (count + norm)
        for term, count in counts.most_common(MAX_TERMS)
    }
    return SparseVector(weights, TERM_DIMENSIONS)


def embedding_texts(item: ContentItem, parts: Iterable[Section]) -> list[str]:
    """What is embedded for each section: the title, the headings, the text."""
    return [
        "\n".join(filter(None, (item.title, " › ".join(part.path), part.text)))
        for part in parts
    ]


def item_sections(item: ContentItem) -> list[Section]:
    """At least one, so that an item without text is found by its title."""
    lead = [Section((), item.summary)] if item.summary and not item.content else []
    return sections(item.content) or lead or [Section((), "")]


def embedding_hash(item: ContentItem) -> str:
    texts = embedding_texts(item, item_sections(item))
    return text_hash("\x1e".join(texts))


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _write_chunks(items: Sequence[ContentItem]) -> None:
    """Replace sections whose text changed; equal ones keep their vector."""
    wanted: dict[tuple[object, int], ContentChunk] = {}
    for item in items:
        parts = item_sections(item)
        for position, (part, text) in enumerate(
            zip(parts, embedding_texts(item, parts), strict=True)
        ):
            wanted[item.pk, position] = ContentChunk(
                item=item,
                position=position,
                heading_path=" › ".join(part.path),
                text=part.text,
                text_hash=text_hash(text),
            )
    stored = ContentChunk.objects.filter(item__in=items).values_list(
        "pk", "item_id", "position", "text_hash"
    )
    stale = []
    for pk, item_id, position, hash_ in stored:
        chunk = wanted.get((item_id, position))
        if chunk is not None and chunk.text_hash == hash_:
            del wanted[item_id, position]
        else:
            stale.append(pk)
    ContentChunk.objects.filter(pk__in=stale).delete()
    ContentChunk.objects.bulk_create(wanted.values(), batch_size=500)
