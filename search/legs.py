"""Where candidates come from, as ordinary querysets of items.

Each leg starts from `eligible`: what this viewer may find under these filters. Nothing
downstream adds rows. A leg's rows carry what they are graded by (GRADES), so that the
ranking statement looks nothing up twice.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import reduce
from operator import and_
from typing import Any, Self

from django.db.models import (
    Case,
    F,
    FloatField,
    Func,
    IntegerField,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.expressions import Combinable, RawSQL
from django.db.models.functions import Cast
from pgvector import Vector as VectorText
from pgvector.django import CosineDistance, MaxInnerProduct

from accounts.viewer import Viewer
from kb.domain.lexemes import quote
from kb.embeddings.base import Vector
from kb.models import ContentItem
from kb.querysets import ContentItemQuerySet
from search.lexical import LexicalQuery
from search.ranking import BEST_WORDS, NEAREST
from search.types import Mode, SearchQuery

Items = QuerySet[ContentItem]
Leg = QuerySet[Any, Any]

# Pins per kind; a phrase that stands in more items singles nothing out.
MAX_PINS = 50


class Pin(StrEnum):
    """Why a hit stands before the score; titles before phrases and codes."""

    TITLE = "exact title"
    PHRASE = "exact phrase"
    CODE = "rare code"


def passing(query: SearchQuery, viewer: Viewer, today: date) -> ContentItemQuerySet:
    """Items that permission and filters let pass."""
    findable = ContentItem.objects.visible_to(viewer).findable()
    return findable.matching(query.filters, viewer, today)


def eligible(query: SearchQuery, viewer: Viewer, today: date, recipe: str) -> Items:
    """Items that may be in the answer at all: those that pass and (but for keyword
    mode) have a vector of the model in force."""
    items = passing(query, viewer, today)
    return items if query.mode == Mode.KEYWORD else items.searchable(recipe)


@dataclass(frozen=True)
class Yardstick:
    """What is read of every candidate while its rows are at hand."""

    distance: Combinable
    author: Combinable

    @classmethod
    def of(cls, vector: Vector | None, words: LexicalQuery) -> Self:
        likeness = Func(
            F("index__author"),
            Value(words.folded[:500]),
            function="word_similarity",
            output_field=FloatField(),
        )
        unnamed = When(index__author="", then=Value(0.0))
        return cls(_distance(vector), Case(unnamed, default=likeness))

    def laid_on(self, items: Items) -> Leg:
        return items.order_by().annotate(distance=self.distance, author=self.author)


GRADES = (
    "id",
    "distance",
    "author",
    "content_changed_at",
    "bids_won",
    "bids_decided",
)


def _distance(vector: Vector | None) -> Combinable:
    if vector is None:
        return Cast(Value(None), FloatField())
    text = VectorText(vector).to_text()
    return CosineDistance("index__embedding", RawSQL("%s::vector", (text,)))


def nearest(items: Items, by: Yardstick, *, exact: bool) -> Leg:
    """The nearest by cosine. An exact scan reads every eligible row: adding zero keeps
    the planner from the approximate index."""
    near = by.distance + Value(0.0, output_field=FloatField()) if exact else by.distance
    return by.laid_on(items).order_by(near).values(*GRADES)[:NEAREST]


def best_words(items: Items, by: Yardstick, words: LexicalQuery) -> Leg:
    """The best by BM25 among items with one of the rarest terms."""
    named = items.filter(index__search__lexemes=words.gate_tsquery)
    best = MaxInnerProduct("terms__lexical", words.vector)
    return by.laid_on(named).order_by(best, "id").values(*GRADES)[:BEST_WORDS]


def pins(items: Items, by: Yardstick, words: LexicalQuery) -> list[Leg]:
    """Items that are asked for by name, with their `pin_rank`."""
    found = [_pin(items.filter(index__title_key=words.title_key), by, Pin.TITLE)]
    if words.phrases:
        contained = reduce(and_, (_contains(each) for each in words.phrases))
        found.append(_pin(items.filter(contained), by, Pin.PHRASE))
    if words.codes:
        codes = " & ".join(quote(each) for each in words.codes)
        found.append(_pin(items.filter(index__search__lexemes=codes), by, Pin.CODE))
    return found


def _pin(items: Items, by: Yardstick, pin: Pin) -> Leg:
    place = Value(list(Pin).index(pin), output_field=IntegerField())
    # Without an order: one by id would have all items read in it.
    pinned: Leg = by.laid_on(items).annotate(pin_rank=place)
    return pinned.values(*GRADES, "pin_rank")[:MAX_PINS]


def _contains(phrase: str) -> Q:
    return (
        Q(index__title__contains=phrase)
        | Q(index__extra__contains=phrase)
        | Q(index__body__contains=phrase)
    )
