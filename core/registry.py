"""What upper rooms hand to a page that does not know them.

Each registry is filled from an `AppConfig.ready()` and read by one page: the navigation
of the top bar, the sections of mails; dashboard tiles and the jump list use the same
shape.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True)
class NavEntry:
    """One entry of the top bar. `visible` gets the request's viewer; pages under
    `also` belong to it too."""

    order: int
    label: str
    url_name: str
    visible: Callable[[object], bool] = lambda viewer: True
    also: tuple[str, ...] = ()


_nav: dict[str, NavEntry] = {}


def add_nav(entry: NavEntry) -> None:
    _nav[entry.url_name] = entry


def nav_entries() -> list[NavEntry]:
    return sorted(_nav.values(), key=lambda entry: entry.order)


# --- Mail: what the digests tell, section by section ------------------------------


@dataclass(frozen=True)
class MailTime:
    """The day a digest is about. `since` and `until` bound what is news in it: whole
    UTC days that no two digests of a kind share. `daily` is the short kind."""

    today: date
    since: datetime
    until: datetime
    daily: bool = False


@dataclass(frozen=True)
class MailLine:
    """`path` is an address within the hub; mails make it absolute."""

    text: str
    note: str = ""
    path: str = ""


@dataclass(frozen=True)
class MailPart:
    """What one section tells one person: `total` things, of which it names `lines`.
    `short` goes into the subject, as in "3 overdue"; `path` leads to all of them."""

    title: str
    lines: tuple[MailLine, ...]
    total: int
    short: str = ""
    path: str = ""


@dataclass(frozen=True)
class MailSection:
    """`collect` gets the ids of many people at once and answers for those it has
    something to tell. Only sections that are `daily` are asked for the daily mail."""

    order: int
    name: str
    collect: Callable[[Sequence[int], MailTime], Mapping[int, MailPart]]
    daily: bool = False


_mail: dict[str, MailSection] = {}


def add_mail_section(section: MailSection) -> None:
    _mail[section.name] = section


def mail_sections(*, daily: bool = False) -> list[MailSection]:
    asked = (each for each in _mail.values() if each.daily or not daily)
    return sorted(asked, key=lambda section: section.order)
