"""The whole state of the browse page: what its address says, and nothing else."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from browse.sorts import DEFAULT, SORTS, Sort
from core.errors import BadInput
from core.text import clean
from kb.filters import ItemFilters

FILTERS = frozenset(each.name for each in fields(ItemFilters))
MAX_PAGES = 10
_DIRECTIONS = ("asc", "desc")
_PLACE = {"cursor": "", "offset": 0, "pages": 1}
_PRESET = re.compile(r"system-[a-z-]{1,30}|u_[0-9a-f]{8}")


@dataclass(frozen=True)
class BrowseState:
    """`cursor` (browse) or `offset` (search) is where a further page begins; `pages`
    is how many of them stand on the page, so that Back finds the same list. `preset`
    is where the filters came from, and shows nothing by itself."""

    q: str = ""
    filters: ItemFilters = field(default_factory=ItemFilters)
    sort: str = DEFAULT
    order: str = ""
    mode: str = ""
    cursor: str = ""
    offset: int = 0
    pages: int = 1
    from_bid: int | None = None
    preset: str = ""

    @classmethod
    def read(cls, query: QueryDict) -> Self:
        """Names that are neither a filter nor known to the page (`utm_source`) say
        nothing about what to show; a wrong value is refused, never dropped."""
        given = {name: query.getlist(name) for name in query}
        sort, order = _sort(query)
        return cls(
            q=clean(query.get("q", "")).strip(),
            filters=ItemFilters.from_params(
                {name: values for name, values in given.items() if name in FILTERS}
            ),
            sort=sort,
            order=order,
            mode=_choice(query, "mode", ("keyword",)),
            cursor=query.get("cursor", ""),
            offset=_whole(query, "offset", 0, 0, 10_000),
            pages=_whole(query, "pages", 1, 1, MAX_PAGES),
            from_bid=_whole(query, "from_bid", 0, 1, 2**62) or None,
            preset=preset_of(query),
        )

    @property
    def searching(self) -> bool:
        return bool(self.q)

    @property
    def sorting(self) -> Sort:
        return SORTS[self.sort]

    @property
    def descending(self) -> bool:
        return (self.order or self.sorting.own_order) == "desc"

    @property
    def by(self) -> str:
        """The order in one word, for cursors."""
        return f"-{self.sort}" if self.descending else self.sort

    def but(self, **changes: Any) -> Self:
        """The state after a change: it begins at the first page again."""
        return replace(self, **{**_PLACE, **changes})

    def to_params(self) -> dict[str, list[str]]:
        """Only what differs from the default."""
        rest: Mapping[str, object] = {
            "sort": "" if self.sort == DEFAULT else self.sort,
            "order": self.order,
            "mode": self.mode,
            "cursor": self.cursor,
            "offset": self.offset or "",
            "pages": "" if self.pages == 1 else self.pages,
            "from_bid": self.from_bid or "",
            "preset": self.preset if self.filters else "",
        }
        params = {"q": [self.q]} if self.q else {}
        params |= self.filters.to_params()
        return params | {name: [str(value)] for name, value in rest.items() if value}

    def url(self, **changes: Any) -> str:
        """The address of this state, or of the one after `changes`."""
        state = self.but(**changes) if changes else self
        query = urlencode(state.to_params(), doseq=True)
        path = reverse("browse:browse")
        return f"{path}?{query}" if query else path

    def cleared(self) -> Self:
        """Without filters; words, order and bid stay."""
        return self.but(filters=ItemFilters(), preset="")

    def kept(self, *without: str) -> list[tuple[str, str]]:
        """What a form must carry along as hidden fields."""
        left_out = {*without, *_PLACE}
        return [
            (name, value)
            for name, values in self.to_params().items()
            for value in values
            if name not in left_out
        ]


def preset_of(query: QueryDict) -> str:
    """The preset that an address came from; what is no preset's id says nothing."""
    preset = query.get("preset", "")
    return preset if _PRESET.fullmatch(preset) else ""


def with_view(url: str, mode: str) -> str:
    """Cards or rows is this browser's choice, not part of the state: an address that
    sets it is left as soon as it was followed."""
    return f"{url}{'&' if '?' in url else '?'}view={mode}"


def url_without(query: QueryDict, name: str) -> str:
    """The address with one parameter cleared, whatever else it says."""
    left = query.copy()
    left.pop(name, None)
    for each in _PLACE:
        left.pop(each, None)
    path = reverse("browse:browse")
    return f"{path}?{left.urlencode()}" if left else path


def _sort(query: QueryDict) -> tuple[str, str]:
    """Sort and order; the sort menu says both in one, as `title-desc`. An order that
    is the sort's own goes unsaid."""
    name, dash, order = query.get("sort", "").partition("-")
    name = _known("sort", name, SORTS) or DEFAULT
    if dash:
        order = _known("sort", order, _DIRECTIONS)
    else:
        order = _choice(query, "order", _DIRECTIONS)
    return name, "" if order == SORTS[name].own_order else order


def _choice(query: QueryDict, name: str, known: Iterable[str]) -> str:
    return _known(name, query.get(name, ""), known)


def _known(name: str, value: str, known: Iterable[str]) -> str:
    if value and value not in known:
        raise BadInput.unknown(name, value, known)
    return value


def _whole(query: QueryDict, name: str, default: int, low: int, high: int) -> int:
    text = query.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise BadInput(f"{name} must be a whole number.", field=name)
    if not low <= int(text) <= high:
        raise BadInput(f"{name} must be {low} to {high}.", field=name)
    return int(text)
