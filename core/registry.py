"""What upper rooms hand to a page that does not know them.

Each registry is filled from an `AppConfig.ready()` and read by one page: the navigation
of the top bar today; dashboard tiles, the jump list and mail sections use the same
shape.
"""

from collections.abc import Callable
from dataclasses import dataclass


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
