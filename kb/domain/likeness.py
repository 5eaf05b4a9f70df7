"""When two items say nearly the same: one rule for what is stored, drafted or imported.

Neighbours by meaning are candidates; what two texts have in common in words decides,
since cosines of two models cannot be compared. Measured on the sample: different items
share at most 30 % of their words, two versions of one item 38 % and more, a copy with
other numbers 54 % and more.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from core.markdown import plain
from core.text import fold
from kb.analysis import tokens
from kb.domain.differences import Difference, differences
from kb.domain.indexing import title_key
from kb.embeddings.base import Vector
from kb.enums import PairKind
from kb.models import ContentItem

# Share of the words of both that they have in common.
SAME_WORDS = 0.5
# From here on two versions of one text, if their meaning is nearly the same too; and
# what differs in numbers, dates or a negation may contradict.
SOME_WORDS = 0.35
SAME_MEANING = 0.9
# Share of trigrams that two titles have in common.
SIMILAR_TITLE = 0.8

# Neighbours of an item that are looked at, and items of the same title.
CANDIDATES = 20
# Candidates whose term vectors are further apart cannot share SOME_WORDS: their texts
# are not read.
_TERMS_FLOOR = 0.35

_CANDIDATES = """
WITH wanted AS MATERIALIZED (
    SELECT item_id, embedding, title_key FROM kb_itemindex
    WHERE item_id = ANY(%(ids)s::uuid[])
), candidates AS (
    SELECT wanted.item_id AS one, near.item_id AS other
    FROM wanted CROSS JOIN LATERAL (
        -- Uses index_embedding.
        SELECT item_id FROM kb_itemindex AS index
        ORDER BY index.embedding <=> wanted.embedding LIMIT %(most)s
    ) AS near
  UNION
    SELECT wanted.item_id, same.item_id
    FROM wanted CROSS JOIN LATERAL (
        -- Uses index_title_key.
        SELECT item_id FROM kb_itemindex AS index
        WHERE index.title_key = wanted.title_key LIMIT %(most)s
    ) AS same
  UNION
    SELECT first_id, second_id FROM kb_duplicatepair
    WHERE first_id = ANY(%(ids)s::uuid[])
  UNION
    SELECT second_id, first_id FROM kb_duplicatepair
    WHERE second_id = ANY(%(ids)s::uuid[])
)
SELECT one, other, 1 - (ours.embedding <=> theirs.embedding)
FROM candidates
JOIN kb_itemindex AS ours ON ours.item_id = one
JOIN kb_itemindex AS theirs ON theirs.item_id = other
JOIN kb_itemterms AS our_terms ON our_terms.item_id = one
JOIN kb_itemterms AS their_terms ON their_terms.item_id = other
JOIN kb_contentitem AS item ON item.id = other
WHERE one <> other AND theirs.recipe = %(recipe)s
  AND item.archived_at IS NULL AND item.superseded_by_id IS NULL
  AND (ours.title_key = theirs.title_key
       OR 1 - (our_terms.lexical <=> their_terms.lexical) >= %(floor)s)
"""
_NEAREST = """
SELECT item_id, 1 - (embedding <=> %(vector)s::vector) FROM (
    -- Uses index_embedding.
    SELECT item_id, embedding, recipe FROM kb_itemindex
    ORDER BY embedding <=> %(vector)s::vector LIMIT %(most)s
) AS near WHERE recipe = %(recipe)s
"""
# Candidates by index_title_trigrams. An indexed title is folded and has the suggested
# title behind it, so candidates hold the words, and the titles themselves are compared.
_SIMILAR_TITLES = """
SELECT wanted.place - 1, item.id, item.title
FROM unnest(%(titles)s::text[], %(folded)s::text[])
     WITH ORDINALITY AS wanted(title, folded, place)
JOIN kb_itemindex AS found ON found.title %%> wanted.folded
JOIN kb_contentitem AS item ON item.id = found.item_id AND item.archived_at IS NULL
WHERE similarity(item.title, wanted.title) >= %(similar)s
ORDER BY wanted.place, similarity(item.title, wanted.title) DESC, item.id
"""


@dataclass(frozen=True)
class Likeness:
    """How two texts are alike; `likeness` is the cosine of their vectors."""

    kind: PairKind
    likeness: float
    shared: float
    same_title: bool
    differences: tuple[Difference, ...] = ()

    @property
    def reason(self) -> str:
        """As people read it."""
        words = f"{self.shared:.0%} of their words in common"
        told = f"Same title; {words}" if self.same_title else words.capitalize()
        if not self.differences:
            return f"{told}."
        return f"{told}; differ in {'; '.join(map(str, self.differences))}."

    def as_json(self) -> list[dict[str, str]]:
        return [asdict(each) for each in self.differences]


@dataclass(frozen=True)
class Text:
    title: str
    content: str

    @cached_property
    def words(self) -> frozenset[str]:
        text = f"{self.title}\n{plain(self.content)}"
        return frozenset(term for token in tokens(text) for term in token.terms)


def judge(one: Text, other: Text, likeness: float) -> Likeness | None:
    """None where they are not alike."""
    union = len(one.words | other.words)
    shared = len(one.words & other.words) / union if union else 0.0
    same_title = title_key(one.title) == title_key(other.title)
    if not same_title and shared < SOME_WORDS:
        return None
    found = tuple(differences(one.content, other.content))
    alike = (
        same_title
        or shared >= SAME_WORDS
        or (likeness >= SAME_MEANING and shared >= SOME_WORDS)
    )
    if not alike and not found:
        return None
    kind = PairKind.CONTRADICT if found else PairKind.DUPLICATE
    return Likeness(kind, likeness, shared, same_title, found)


def texts(ids: Collection[UUID]) -> dict[UUID, Text]:
    rows = ContentItem.objects.filter(pk__in=ids).values_list("pk", "title", "content")
    return {pk: Text(title, content) for pk, title, content in rows}


def neighbours(ids: Sequence[UUID], recipe: str) -> list[tuple[UUID, UUID, float]]:
    """Pairs worth reading, each of `ids` with an item in use, and their cosine."""
    return _fetch(
        _CANDIDATES,
        ids=[str(each) for each in ids],
        recipe=recipe,
        most=CANDIDATES + 1,  # itself is among them
        floor=_TERMS_FLOOR,
    )


def nearest(vector: Vector, recipe: str) -> dict[UUID, float]:
    """The items nearest to a text that is not stored, with their cosine."""
    literal = f"[{','.join(map(repr, vector.tolist()))}]"
    return dict(_fetch(_NEAREST, vector=literal, recipe=recipe, most=CANDIDATES))


def equal_titles(titles: Sequence[str]) -> dict[int, list[tuple[UUID, str]]]:
    """Live items by the place of the title that they have too."""
    places: dict[str, list[int]] = {}
    for place, title in enumerate(titles):
        places.setdefault(title_key(title), []).append(place)
    rows = ContentItem.objects.live().filter(index__title_key__in=list(places))
    rows = rows.order_by("pk")
    found: dict[int, list[tuple[UUID, str]]] = {}
    for key, pk, title in rows.values_list("index__title_key", "pk", "title"):
        for place in places[key]:
            found.setdefault(place, []).append((pk, title))
    return found


def similar_titles(titles: Sequence[str]) -> dict[int, list[tuple[UUID, str]]]:
    """Live items by the place of the title that theirs is much like, best first."""
    values: Mapping[str, Any] = {
        "titles": list(titles),
        "folded": [fold(title) for title in titles],
        "similar": SIMILAR_TITLE,
    }
    found: dict[int, list[tuple[UUID, str]]] = {}
    with transaction.atomic(), connection.cursor() as cursor:
        # The index also where a table grew too fast for the planner's statistics.
        cursor.execute(
            "SELECT set_config('pg_trgm.word_similarity_threshold', %s, true),"
            " set_config('enable_seqscan', 'off', true)",
            [str(SIMILAR_TITLE)],
        )
        cursor.execute(_SIMILAR_TITLES, values)
        for place, pk, title in cursor.fetchall():
            found.setdefault(place, []).append((pk, title))
        # Else both would hold for the rest of an outer transaction.
        cursor.execute(
            "SELECT set_config('pg_trgm.word_similarity_threshold', '0.6', true),"
            " set_config('enable_seqscan', 'on', true)"
        )
    return found


def _fetch(statement: str, **values: Any) -> list[Any]:
    """Also where rows that nobody sees any more crowd the vector index: the scan goes
    on until it has found as many as were asked for."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('hnsw.iterative_scan', 'strict_order', true)")
        cursor.execute(statement, values)
        rows: list[Any] = cursor.fetchall()
    return rows
