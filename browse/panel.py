"""The filter panel and the chips of the filters that are on."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Any

from browse.state import FILTERS, BrowseState
from core.text import fold
from kb.enums import ContentType, Freshness, ReviewStatus
from kb.facets import Facets, FacetValue
from kb.filters import ItemFilters
from search.types import Facets as SearchFacets

QUALITIES = (50, 70, 85)
# So many values of an open filter are shown before "more" must be asked for.
SHOWN = 8
LABELS = {
    "domain": "Domain",
    "content_type": "Content type",
    "review": "Review state",
    "freshness": "Freshness",
    "subtopic": "Subtopic",
    "author": "Author",
    "platform": "Platform",
    "source": "Source",
    "layer": "Layer",
}
_OPEN_AT_FIRST = ("domain", "content_type", "review")
_CHOICES: dict[str, dict[str, str]] = {
    "content_type": dict(ContentType.choices),
    "review": dict(ReviewStatus.choices),
    "freshness": {**dict(Freshness.choices), Freshness.AGING.value: "Ageing"},
}
# How chips word the filters of one value; flags say yes or no where nothing is given.
_WORDS = {
    "changed_within": ("Changed", "in the last {} days"),
    "due_within": ("Review", "overdue or due within {} days"),
    "quality_min": ("Quality", "{} and over"),
    "verified": ("Verified", ""),
    "won": ("Won a bid", ""),
    "unread": ("Unread", "only"),
    "include_qa": ("Q&A pairs", "left out"),
    "include_superseded": ("Replaced items", "included"),
}
FILTER_LABELS = LABELS | {name: label for name, (label, _) in _WORDS.items()}
# Filters that the panel has no field of its own for: forms carry them along.
_CARRIED = frozenset({"changed_within", "due_within", "won", "include_superseded"})


@dataclass(frozen=True)
class Option:
    value: str
    label: str
    count: int | None
    checked: bool


@dataclass(frozen=True)
class Facet:
    """`extra` stands behind "4 more domains"."""

    name: str
    label: str
    options: tuple[Option, ...]
    extra: tuple[Option, ...]

    @property
    def open(self) -> bool:
        return self.name in _OPEN_AT_FIRST

    @property
    def chosen(self) -> int:
        return sum(option.checked for option in self.options + self.extra)

    @property
    def more_label(self) -> str:
        noun = self.label.lower()
        return f"{len(self.extra)} more {noun if len(self.extra) == 1 else f'{noun}s'}"


@dataclass(frozen=True)
class Chip:
    name: str
    label: str
    remove_url: str


@dataclass(frozen=True)
class Panel:
    """`before` and `after` stand around the groups of quality and dates; `kept` are
    the hidden fields."""

    before: tuple[Facet, ...]
    after: tuple[Facet, ...]
    filters: ItemFilters
    qualities: tuple[Option, ...]
    kept: tuple[tuple[str, str], ...]
    clear_url: str
    chosen: int
    total: int | None


def among_matches(library: Facets, matches: SearchFacets) -> Facets:
    """The values of the library in their order, with the counts of a search."""
    return {
        name: tuple(replace(each, count=counts.get(each.value, 0)) for each in values)
        for name, values in library.items()
        for counts in [dict(matches.get(name, ()))]
    }


def panel(
    state: BrowseState, found: Facets, total: int | None, *, counted: bool
) -> Panel:
    """`counted` is false where the counts found are not those of the list."""
    facets = {name: _facet(name, state, found[name], counted) for name in LABELS}
    return Panel(
        before=tuple(facets[name] for name in _OPEN_AT_FIRST),
        after=tuple(facets[name] for name in LABELS if name not in _OPEN_AT_FIRST),
        filters=state.filters,
        qualities=_qualities(state.filters.quality_min),
        kept=tuple(state.kept(*_own_fields(state))),
        clear_url=state.cleared().url(),
        chosen=len(chips(state)),
        total=total,
    )


def _own_fields(state: BrowseState) -> frozenset[str]:
    """What the form asks for itself, in the panel or in the toolbar."""
    toolbar = {"include_superseded"} if state.searching else {"sort", "order"}
    return (FILTERS - _CARRIED) | toolbar


def _facet(
    name: str, state: BrowseState, values: tuple[FacetValue, ...], counted: bool
) -> Facet:
    chosen = {fold(each) for each in getattr(state.filters, name)}
    words = _CHOICES.get(name, {})
    known = {each.value for each in values}
    unused = tuple(FacetValue(each, 0, 0) for each in words if each not in known)
    options = [
        Option(
            each.value,
            words.get(each.value, each.value),
            each.count if counted else None,
            fold(each.value) in chosen,
        )
        for each in values + unused
    ]
    if name == "subtopic" and state.filters.domain:
        options = [each for each in options if each.count or each.checked]
    if name == "review" and state.searching:  # search never finds drafts
        options = [each for each in options if each.value != ReviewStatus.DRAFT]
    if name in ("review", "freshness"):
        order = list(words)
        options.sort(key=lambda each: order.index(each.value))
    few = [
        each
        for place, each in enumerate(options)
        if place < SHOWN or each.checked or len(options) == SHOWN + 1
    ]
    return Facet(
        name,
        LABELS[name],
        tuple(few),
        tuple(each for each in options if each not in few),
    )


def _qualities(lowest: int | None) -> tuple[Option, ...]:
    steps = sorted({*QUALITIES, *([lowest] if lowest else [])})
    return (
        Option("", "Any", None, lowest is None),
        *(Option(str(step), f"{step}+", None, step == lowest) for step in steps),
    )


def chips(state: BrowseState) -> list[Chip]:
    """One for each value of each filter that is on, with the address without it."""
    return [
        Chip(name, label, state.url(filters=left))
        for name, label, left in _active(state.filters)
    ]


def _active(filters: ItemFilters) -> Iterator[tuple[str, str, ItemFilters]]:
    for field in fields(ItemFilters):
        value = getattr(filters, field.name)
        if value == field.default:
            continue
        if field.name in LABELS:
            words = _CHOICES.get(field.name, {})
            for each in value:
                rest = tuple(other for other in value if other != each)
                changed: dict[str, Any] = {field.name: rest}
                yield (
                    LABELS[field.name],
                    words.get(each, each),
                    replace(filters, **changed),
                )
        else:
            name, label = _worded(field.name, value)
            yield name, label, filters.without(field.name)


def _worded(name: str, value: Any) -> tuple[str, str]:
    if name in ("date_from", "date_to"):
        return "Changed", f"{name.removeprefix('date_')} {_day(value)}"
    label, words = _WORDS[name]
    if isinstance(value, bool):
        return label, words or ("yes" if value else "no")
    return label, words.format(value)


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
