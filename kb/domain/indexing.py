"""Writes what search reads of an item: texts, terms and sections. Nothing else does.

Everything is cut, so that no document is too long to save: a tsvector must stay under
1 MB, a sparse vector under 16,000 terms.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain
from statistics import fmean
from uuid import UUID

from django.db import connection, transaction
from pgvector import SparseVector

from accounts.viewer import Viewer
from core.jobs import enqueue
from core.text import fold
from kb.analysis import Token, dimension, tokens, tokens_of_folded
from kb.chunking import Section, sections
from kb.domain.access import locked
from kb.embeddings.base import Vector
from kb.models import (
    ContentChunk,
    ContentItem,
    IndexStatistics,
    ItemIndex,
    ItemTerms,
)
from kb.models.index import TERM_DIMENSIONS
from kb.querysets import refused_by

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


# Both skip rows that another process has in hand: it writes the same, or something
# newer. The hashes keep a vector of an older text out.
_STORE_SECTIONS = """
WITH read AS (
    SELECT section.id, given.vector
    FROM unnest(%(ids)s::bigint[], %(hashes)s::text[], %(vectors)s::vector[])
         AS given(id, hash, vector)
    JOIN kb_contentchunk AS section
      ON section.id = given.id AND section.text_hash = given.hash
    ORDER BY section.id
    FOR UPDATE OF section SKIP LOCKED
)
UPDATE kb_contentchunk AS section
SET embedding = read.vector,
    recipe = CASE WHEN read.vector IS NULL THEN %(refused)s ELSE %(recipe)s END
FROM read WHERE section.id = read.id
"""
_STORE_ITEMS = """
WITH read AS (
    SELECT indexed.item_id, indexed.text_hash
    FROM unnest(%(ids)s::uuid[], %(hashes)s::text[]) AS given(id, hash)
    JOIN kb_itemindex AS indexed
      ON indexed.item_id = given.id AND indexed.text_hash = given.hash
    ORDER BY indexed.item_id
    FOR UPDATE OF indexed SKIP LOCKED
), mean AS (
    SELECT item_id, l2_normalize(avg(embedding)) AS vector
    FROM kb_contentchunk
    WHERE item_id = ANY(%(ids)s::uuid[])
    GROUP BY item_id
    HAVING bool_and(recipe = %(refused)s
                    OR (recipe = %(recipe)s AND embedding IS NOT NULL))
)
UPDATE kb_itemindex AS indexed
SET embedding = mean.vector,
    recipe = CASE WHEN mean.vector IS NULL THEN %(refused)s ELSE %(recipe)s END,
    embedded_hash = read.text_hash
FROM read JOIN mean USING (item_id)
WHERE indexed.item_id = read.item_id
RETURNING indexed.item_id
"""


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
    with transaction.atomic():
        read = [_Reading(item) for item in items]
        ItemIndex.objects.bulk_create(
            [each.index_row(now) for each in read],
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
            _terms_rows(read),
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=["title", "body", "title_length", "body_length"],
        )
        _write_chunks(read)
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


@dataclass(frozen=True)
class SectionVector:
    """What was read of a section; no vector if the provider refuses the text."""

    pk: int
    text_hash: str
    vector: Vector | None


def store_section_vectors(read: Sequence[SectionVector], recipe: str) -> None:
    """Keep the vectors of sections whose text is still the one that was read."""
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE_SECTIONS,
            {
                "ids": [each.pk for each in read],
                "hashes": [each.text_hash for each in read],
                "vectors": [_vector_literal(each.vector) for each in read],
                "recipe": recipe,
                "refused": refused_by(recipe),
            },
        )


def _vector_literal(vector: Vector | None) -> str | None:
    return None if vector is None else f"[{','.join(map(repr, vector.tolist()))}]"


def store_item_vectors(read: Mapping[UUID, str], recipe: str) -> set[UUID]:
    """Give each item of `read` (id → hash of its text) the mean of its sections'
    vectors; returns those that are now whole. Items that changed meanwhile, or whose
    sections are not all read, stay as they are."""
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE_ITEMS,
            {
                "ids": [str(pk) for pk in read],
                "hashes": list(read.values()),
                "recipe": recipe,
                "refused": refused_by(recipe),
            },
        )
        return {pk for (pk,) in cursor.fetchall()}


class _Reading:
    """One item taken apart once, for all the rows that are made of it."""

    def __init__(self, item: ContentItem) -> None:
        self.item = item
        self.texts = Fields.of(item)
        self.body = fold(self.texts.body)
        self.body_tokens = list(tokens_of_folded(self.body))

    def index_row(self, now: datetime) -> ItemIndex:
        texts = self.texts
        return ItemIndex(
            item=self.item,
            title_key=title_key(self.item.title),
            title=fold(texts.title),
            extra=fold("\n".join((texts.keywords, texts.summary))),
            body=self.body,
            author=fold(texts.author),
            lexemes=lexemes(texts, self.body_tokens),
            indexed_at=now,
            text_hash=text_hash("\x1e".join(text for _, text in self.sections)),
        )

    def terms_row(self, statistics: IndexStatistics) -> ItemTerms:
        texts = self.texts
        title = _counts(tokens(f"{texts.title}\n{texts.keywords}"))
        lead = tokens(f"{texts.title}\n{texts.summary}")
        body = _counts(chain(lead, self.body_tokens))
        return ItemTerms(
            item=self.item,
            title=document_vector(title, statistics.mean_title_length),
            body=document_vector(body, statistics.mean_body_length),
            title_length=title.total(),
            body_length=body.total(),
        )

    @cached_property
    def sections(self) -> list[tuple[Section, str]]:
        """Each with the text that is embedded for it."""
        parts = item_sections(self.item)
        return list(zip(parts, embedding_texts(self.item, parts), strict=True))


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


def _terms_rows(read: Sequence[_Reading]) -> list[ItemTerms]:
    """An empty index starts with the mean lengths of its first items, so that they
    need not be written twice."""
    statistics = IndexStatistics.objects.first()
    rows = [each.terms_row(statistics or IndexStatistics()) for each in read]
    if statistics or not rows:
        return rows
    first = IndexStatistics(
        pk=1,
        mean_title_length=fmean(row.title_length for row in rows),
        mean_body_length=fmean(row.body_length for row in rows),
    )
    IndexStatistics.objects.bulk_create([first], ignore_conflicts=True)
    return _terms_rows(read)


def rewrite_terms(statistics: IndexStatistics, batch: int = 500) -> None:
    """Document lengths are relative to the mean: write all term vectors anew for it."""
    items = ContentItem.objects.filter(terms__isnull=False).order_by("pk")
    last = None
    while True:
        page = list((items.filter(pk__gt=last) if last else items)[:batch])
        if not page:
            return
        ItemTerms.objects.bulk_create(
            [_Reading(item).terms_row(statistics) for item in page],
            update_conflicts=True,
            unique_fields=["item"],
            update_fields=["title", "body"],
        )
        last = page[-1].pk


def _counts(tokens: Iterable[Token]) -> Counter[str]:
    return Counter(term for token in tokens for term in token.terms)


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
        section_text(item.title, " › ".join(part.path), part.text) for part in parts
    ]


def section_text(title: str, heading_path: str, text: str) -> str:
    return "\n".join(filter(None, (title, heading_path, text)))


def item_sections(item: ContentItem) -> list[Section]:
    """At least one, so that an item without text is found by its title."""
    lead = [Section((), item.summary)] if item.summary and not item.content else []
    return sections(item.content) or lead or [Section((), "")]


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _write_chunks(read: Sequence[_Reading]) -> None:
    """Replace sections whose text changed; equal ones keep their vector."""
    wanted: dict[tuple[object, int], ContentChunk] = {}
    for each in read:
        for position, (part, text) in enumerate(each.sections):
            wanted[each.item.pk, position] = ContentChunk(
                item=each.item,
                position=position,
                heading_path=" › ".join(part.path),
                text=part.text,
                text_hash=text_hash(text),
            )
    stored = ContentChunk.objects.filter(
        item__in=[each.item for each in read]
    ).values_list("pk", "item_id", "position", "text_hash")
    stale = []
    for pk, item_id, position, hash_ in stored:
        chunk = wanted.get((item_id, position))
        if chunk is not None and chunk.text_hash == hash_:
            del wanted[item_id, position]
        else:
            stale.append(pk)
    ContentChunk.objects.filter(pk__in=stale).delete()
    ContentChunk.objects.bulk_create(wanted.values(), batch_size=500)
