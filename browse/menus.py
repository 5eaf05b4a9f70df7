"""The sort menu of cards, and the heads that sort a table."""

from dataclasses import dataclass

from browse.sorts import SORTS
from browse.state import BrowseState

_HEADS = (
    ("Title", "title"),
    ("Next review", "next_review"),
    ("Quality", "quality_score"),
    ("Verified", ""),
    ("Cited", ""),
    ("Updated", "updated"),
)


@dataclass(frozen=True)
class Entry:
    """One line of a menu, or one head; `sort` is its `aria-sort`."""

    value: str
    label: str
    url: str = ""
    current: bool = False
    sort: str = ""


def sort_menu(state: BrowseState) -> list[Entry]:
    """All orders; one that is turned round has a line of its own while it is on."""
    entries = []
    for sort in SORTS.values():
        chosen = sort.name == state.sort
        entries.append(Entry(sort.name, sort.label, current=chosen and not state.order))
        if chosen and state.order:
            value = f"{sort.name}-{state.order}"
            entries.append(Entry(value, sort.reverse_label, current=True))
    return entries


def columns(state: BrowseState) -> list[Entry]:
    """Heads that sort turn their order when pressed again; matches have their own."""
    return [
        _head(state, label, name if not state.searching else "")
        for label, name in _HEADS
    ]


def _head(state: BrowseState, label: str, name: str) -> Entry:
    if not name:
        return Entry("", label)
    if name != state.sort:
        return Entry(name, label, state.url(sort=name, order=""))
    turned = "asc" if state.descending else "desc"
    order = "" if turned == state.sorting.own_order else turned
    way = "descending" if state.descending else "ascending"
    return Entry(name, label, state.url(order=order), current=True, sort=way)
