"""Vectors as they are stored: those of sections, and of items, which are made of them.

A small model reads a few hundred words, so an item's vector is made of those of its
sections: their mean, and the opening, where a text says what it is about, for OPENING.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection, transaction

from accounts.viewer import Viewer
from core.jobs import enqueue
from kb.domain.access import locked
from kb.embeddings.base import Vector
from kb.models import ContentChunk, ItemIndex
from kb.models.index import DIMENSIONS
from kb.querysets import refused_by

OPENING = 0.4

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
    SELECT item_id,
           l2_normalize(
               l2_normalize(avg(embedding)) * array_fill(%(rest)s, %(size)s)::vector
               + l2_normalize((array_agg(embedding ORDER BY position))[1])
                 * array_fill(%(opening)s, %(size)s)::vector
           ) AS vector
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


def forget_vectors(viewer: Viewer, ids: Sequence[UUID]) -> int:
    """Have items embedded anew, with their sections. They count as missing, but keep
    the vector by which search finds them until the new one replaces it."""
    viewer.require_editor()
    with transaction.atomic():
        found = [item.pk for item in locked(viewer, ids)]
        ItemIndex.objects.filter(item__in=found).update(embedded_hash="")
        ContentChunk.objects.filter(item__in=found).update(embedding=None, recipe="")
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
    """Give each item of `read` (id → hash of its text) the vector that its sections
    make; returns those that are now whole. Items that changed meanwhile, or whose
    sections are not all read, stay as they are."""
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE_ITEMS,
            {
                "ids": [str(pk) for pk in read],
                "hashes": list(read.values()),
                "recipe": recipe,
                "refused": refused_by(recipe),
                "opening": OPENING,
                "rest": 1 - OPENING,
                "size": [DIMENSIONS],
            },
        )
        return {pk for (pk,) in cursor.fetchall()}
