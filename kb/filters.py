"""The filters of the library, once: URL, API, MCP, presets and export all speak this.

An unknown filter or value is refused with the close matches named, never dropped: a
wider answer that looks correctly scoped is worse than none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Self

from core.errors import BadInput
from core.text import clean
from kb.enums import ContentType, Freshness, ReviewStatus

MAX_VALUES = 50
MAX_LENGTH = 200


@dataclass(frozen=True)
class ItemFilters:
    """Repeated values are OR, different filters AND. Texts compare without case."""

    domain: tuple[str, ...] = ()
    subtopic: tuple[str, ...] = ()
    content_type: tuple[str, ...] = ()
    platform: tuple[str, ...] = ()
    author: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    layer: tuple[str, ...] = ()
    freshness: tuple[str, ...] = ()
    review: tuple[str, ...] = ()
    date_from: date | None = None
    date_to: date | None = None
    changed_within: int | None = None
    due_within: int | None = None
    quality_min: int | None = None
    verified: bool | None = None
    won: bool | None = None
    unread: bool = False
    include_qa: bool = True
    include_superseded: bool = False

    @classmethod
    def from_params(cls, params: Mapping[str, Any]) -> Self:
        """Read URL or JSON parameters; a value may be a list. `BadInput` names the
        field that cannot be read; keys that are no filter are refused."""
        known = {field.name for field in fields(cls)}
        for name in params:
            if name not in known:
                raise BadInput.unknown("filter", str(name), known)
        values = {
            name: _PARSERS[name](name, _as_list(name, raw))
            for name, raw in params.items()
            if raw not in (None, "", [], [""])
        }
        return cls(**values)

    def to_params(self) -> dict[str, list[str]]:
        """Only what differs from the default, keys sorted, each a list of texts."""
        params = {}
        for field in sorted(fields(self), key=lambda each: each.name):
            value = getattr(self, field.name)
            if value != field.default:
                params[field.name] = _as_texts(value)
        return params

    def without(self, name: str) -> "ItemFilters":
        """The same with one filter cleared: facet counts use the other filters."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != name}
        return ItemFilters(**values)

    def __bool__(self) -> bool:
        return self != ItemFilters()


def _as_list(name: str, raw: Any) -> list[Any]:
    values = (
        list(raw) if isinstance(raw, Sequence) and not isinstance(raw, str) else [raw]
    )
    if len(values) > MAX_VALUES:
        raise BadInput(f"At most {MAX_VALUES} values of {name}.", field=name)
    return values


def _as_texts(value: Any) -> list[str]:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [str(value)]


def _texts(name: str, values: list[Any]) -> tuple[str, ...]:
    texts = []
    for value in values:
        if not isinstance(value, str):
            raise BadInput(f"{name} takes texts.", field=name)
        text = clean(value).strip()
        if len(text) > MAX_LENGTH:
            raise BadInput(
                f"{name} is longer than {MAX_LENGTH} characters.", field=name
            )
        if text:
            texts.append(text)
    return tuple(dict.fromkeys(texts))


def _choices(known: Iterable[str]) -> Callable[[str, list[Any]], tuple[str, ...]]:
    allowed = list(known)

    def parse(name: str, values: list[Any]) -> tuple[str, ...]:
        texts = _texts(name, values)
        for text in texts:
            if text not in allowed:
                raise BadInput.unknown(name, text, allowed)
        return texts

    return parse


def _one(name: str, values: list[Any]) -> Any:
    if len(values) != 1:
        raise BadInput(f"{name} takes one value.", field=name)
    return values[0]


def _number(low: int, high: int) -> Callable[[str, list[Any]], int]:
    def parse(name: str, values: list[Any]) -> int:
        value = _one(name, values)
        try:
            if isinstance(value, bool | float):
                raise ValueError
            number = int(str(value)[:20])
        except ValueError:
            raise BadInput(f"{name} must be a whole number.", field=name) from None
        if not low <= number <= high:
            raise BadInput(f"{name} must be {low} to {high}.", field=name)
        return number

    return parse


_BOOLEANS = {
    "true": True,
    "1": True,
    "on": True,
    "yes": True,
    "false": False,
    "0": False,
    "off": False,
    "no": False,
}


def _boolean(name: str, values: list[Any]) -> bool:
    # A checkbox beside a hidden "false" sends both; the last one counts.
    text = str(values[-1]).casefold()
    if text not in _BOOLEANS:
        raise BadInput(f"{name} must be true or false.", field=name)
    return _BOOLEANS[text]


def _date(name: str, values: list[Any]) -> date:
    try:
        return date.fromisoformat(str(_one(name, values)))
    except ValueError:
        raise BadInput(
            f"{name} must be a date such as 2026-03-31.", field=name
        ) from None


_PARSERS: dict[str, Callable[[str, list[Any]], Any]] = {
    **dict.fromkeys(
        ("domain", "subtopic", "platform", "author", "source", "layer"), _texts
    ),
    "content_type": _choices(ContentType.values),
    "freshness": _choices(Freshness.values),
    "review": _choices(ReviewStatus.values),
    "date_from": _date,
    "date_to": _date,
    "changed_within": _number(1, 3650),
    "due_within": _number(0, 3650),
    "quality_min": _number(0, 100),
    **dict.fromkeys(
        ("verified", "won", "unread", "include_qa", "include_superseded"), _boolean
    ),
}

# Filters with an open vocabulary: filter → column of ContentItem.
OPEN_COLUMNS = {
    "domain": "primary_domain__name",
    "subtopic": "subtopic",
    "platform": "platform",
    "author": "author_name",
    "source": "source",
    "layer": "layer",
}
