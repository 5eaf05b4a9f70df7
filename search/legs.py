"""Where candidates come from, as ordinary querysets of items.

Each leg starts from `eligible`: what this viewer may find under these filters. Nothing
downstream adds rows.
"""

from datetime import date
from enum import StrEnum
from functools import reduce
from operator import and_
from typing import Any

from django.db.models import FloatField, IntegerField, Q, QuerySet, Value
from django.db.models.expressions import Combinable, RawSQL
from pgvector.django import CosineDistance, MaxInnerProduct

from accounts.viewer import Viewer
from kb.domain.lexemes import quote
from kb.embeddings.base import Vector
from kb.models import ContentItem
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


def eligible(query: SearchQuery, viewer: Viewer, today: date, recipe: str) -> Items:
    """Items that may be in the answer at all: permission, filters, and (but for keyword
    mode) a vector of the model in force."""
    visible = ContentItem.objects.visible_to(viewer)
    found = (
        visible.findable() if query.mode == Mode.KEYWORD else visible.searchable(recipe)
    )
    return found.matching(query.filters, viewer, today)


def listed() -> Items:
    """Items whose ids the ranking statement lists as `eligible`."""
    return ContentItem.objects.filter(pk__in=RawSQL("SELECT id FROM eligible", ()))


def nearest(items: Items, vector: Vector, *, exact: bool) -> Leg:
    """The nearest by cosine: `id`, `distance`. An exact scan reads every
    eligible row: adding zero keeps the planner from the approximate index."""
    distance: Combinable = CosineDistance("index__embedding", vector)
    if exact:
        distance = distance + Value(0.0, output_field=FloatField())
    return (
        items.order_by()
        .annotate(distance=distance)
        .order_by("distance")
        .values("id", "distance")[:NEAREST]
    )


def best_words(items: Items, words: LexicalQuery) -> Leg:
    """The best by BM25 among items with one of the rarest terms."""
    return (
        items.filter(index__search__lexemes=words.gate_tsquery)
        .order_by(MaxInnerProduct("terms__lexical", words.vector), "id")
        .values("id")[:BEST_WORDS]
    )


def pins(items: Items, words: LexicalQuery) -> list[Leg]:
    """Items that are asked for by name: `id`, `pin_rank`."""
    found = [_pin(items.filter(index__title_key=words.title_key), Pin.TITLE)]
    if words.phrases:
        contained = reduce(and_, (_contains(each) for each in words.phrases))
        found.append(_pin(items.filter(contained), Pin.PHRASE))
    if words.codes:
        codes = " & ".join(quote(each) for each in words.codes)
        found.append(_pin(items.filter(index__search__lexemes=codes), Pin.CODE))
    return found


def _pin(items: Items, pin: Pin) -> Leg:
    place = Value(list(Pin).index(pin), output_field=IntegerField())
    # Without an order: one by id would have all items read in it.
    return items.order_by().annotate(pin_rank=place).values("id", "pin_rank")[:MAX_PINS]


def _contains(phrase: str) -> Q:
    return (
        Q(index__title__contains=phrase)
        | Q(index__extra__contains=phrase)
        | Q(index__body__contains=phrase)
    )
