"""Everything a caller may see as one flat index, and the few of it that fit words.

Rooms contribute a `Source` each from their `AppConfig.ready()`. The index lists them
one after the other, the newest first within each; `find` merges what they find.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from core.errors import BadInput
from core.text import clean, fold

PER_PAGE = 1_000
FOUND = 30
MAX_WORDS = 200
MAX_DESCRIPTION = 160

# Who asks, or None where a room is open to anybody. Its class stands above this room.
Caller = Any


@dataclass(frozen=True)
class Entry:
    id: str
    title: str
    description: str
    section: str
    section_label: str
    slug: str
    href: str
    tags: Sequence[str]
    date: datetime

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "title": self.title,
            "description": self.description[:MAX_DESCRIPTION],
            "section": self.section,
            "sectionLabel": self.section_label,
            "slug": self.slug,
            "href": self.href,
            "tags": list(self.tags),
            "date": self.date.isoformat(),
        }


@dataclass(frozen=True)
class Source:
    """Of one room: how many entries a caller may see, those from one place to another,
    and those that hold words. None of them ever gives a draft. `icons` by section."""

    order: int
    name: str
    count: Callable[[Caller], int]
    entries: Callable[[Caller, int, int], list[Entry]]
    find: Callable[[Caller, str, int], list[Entry]]
    icons: Mapping[str, str]
    is_public: Callable[[], bool] = lambda: False


_sources: dict[str, Source] = {}


def add_source(source: Source) -> None:
    _sources[source.name] = source


def sources() -> list[Source]:
    return sorted(_sources.values(), key=lambda source: source.order)


def icons() -> list[tuple[str, str]]:
    """Sections and their icons."""
    return [each for source in sources() for each in source.icons.items()]


def is_public() -> bool:
    """Whether anything at all is open to anybody."""
    return any(source.is_public() for source in sources())


@dataclass(frozen=True)
class Page:
    entries: list[Entry]
    number: int
    total: int

    @property
    def pages(self) -> int:
        return max(1, -(-self.total // PER_PAGE))


def page(caller: Caller, number: int) -> Page:
    """A page beyond the last is empty."""
    start, left = (number - 1) * PER_PAGE, PER_PAGE
    found: list[Entry] = []
    total = 0
    for source in sources():
        count = source.count(caller)
        offset = max(0, start - total)
        total += count
        if left and offset < count:
            found += source.entries(caller, offset, min(count, offset + left))
            left = PER_PAGE - len(found)
    return Page(found, number, total)


def read_page(given: str | None) -> int:
    if given is None:
        return 1
    if not (given.isascii() and given.isdigit() and 1 <= int(given[:9]) < 10**8):
        raise BadInput("page is a whole number from 1 on.", field="page")
    return int(given[:9])


def find(caller: Caller, words: str) -> list[Entry]:
    """The best of all rooms; without words, the newest."""
    said = clean(words).strip()
    if len(said) > MAX_WORDS:
        raise BadInput(f"q is longer than {MAX_WORDS} characters.", field="q")
    folded = fold(said)
    if not folded:
        found = [e for s in sources() for e in s.entries(caller, 0, FOUND)]
        return sorted(found, key=lambda e: e.date, reverse=True)[:FOUND]
    found = [e for s in sources() for e in s.find(caller, said, FOUND)]
    found.sort(key=lambda entry: (merit(entry, folded), -entry.date.timestamp()))
    return found[:FOUND]


def merit(entry: Entry, folded: str) -> int:
    """Lower is better: the title, then tags, then the description, then elsewhere.
    `static/js/jump.js` has the same order."""
    title = fold(entry.title)
    tags = [fold(tag) for tag in entry.tags]
    words = folded.split()
    if title == folded:
        return 0
    if title.startswith(folded):
        return 1
    if f" {folded}" in title:
        return 2
    if all(word in title for word in words):
        return 3
    if folded in tags:
        return 4
    if all(word in f"{title} {' '.join(tags)}" for word in words):
        return 5
    return 6
