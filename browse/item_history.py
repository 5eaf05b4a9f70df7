"""What became of an item: who changed what, when, newest first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any

from django.contrib.auth.models import Group
from django.db.models import ForeignKey

from accounts.models import User
from accounts.viewer import Viewer
from browse.diff import Line, diff, words
from kb.enums import CadenceKind, ContentType, ReviewStatus
from kb.models import ContentItem, Domain

FEW, PAGE = 4, 20
_TEXTS = ("content", "summary")
_FIELDS = (
    ("title", "title"),
    ("content", "text"),
    ("summary", "summary"),
    ("suggested_title", "suggested title"),
    ("content_type", "type"),
    ("primary_domain", "domain"),
    ("subtopic", "subtopic"),
    ("layer", "layer"),
    ("platform", "platform"),
    ("source", "source"),
    ("author_name", "author"),
    ("ai_keywords", "keywords"),
    ("owner", "owner"),
    ("owner_group", "owner"),
    ("governance_review_status", "review state"),
    ("next_review_date", "next review"),
    ("cadence", "review cadence"),
    ("review_cadence_days", "days between reviews"),
    ("review_note", "review note"),
    ("verification_note", "verification note"),
    ("superseded_by", "replaced by"),
    ("picture", "picture"),
)
_NAMED: dict[str, dict[str, str]] = {
    "content_type": dict(ContentType.choices),
    "governance_review_status": dict(ReviewStatus.choices),
    "cadence": dict(CadenceKind.choices),
}


@dataclass(frozen=True)
class Change:
    """`lines` is empty where the texts are too long to compare."""

    label: str
    lines: Sequence[Line]


@dataclass(frozen=True)
class Entry:
    """`what` says in a few words what was done; `version` is its number."""

    version: int
    who: str
    what: str
    at: datetime
    changes: Sequence[Change]


@dataclass(frozen=True)
class Comparison:
    """An older version beside the item as it is now."""

    at: datetime
    changes: Sequence[Change]


@dataclass(frozen=True)
class History:
    """`next` is the number of entries to skip for the older ones; 0 at the end."""

    entries: Sequence[Entry]
    next: int = 0


def history(
    item: ContentItem, viewer: Viewer, skip: int = 0, count: int = FEW
) -> History:
    """One query, and one for each kind of row that the records point to."""
    kept = item.history.select_related("history_user").order_by(
        "-history_date", "-history_id"
    )
    records = list(kept[skip : skip + count + 1])
    names = _Names(records, viewer)
    pairs = zip_longest(records, records[1:])
    entries = [_entry(new, old, names) for new, old in pairs]
    more = len(records) > count
    return History(entries[:count], skip + count if more else 0)


def since(item: ContentItem, viewer: Viewer, version: str) -> Comparison | None:
    """What changed since a version; None where it is not known."""
    if not (version.isascii() and version.isdigit() and len(version) < 19):
        return None
    old = item.history.filter(history_id=int(version)).first()
    if old is None:
        return None
    return Comparison(old.history_date, changes_between(old, item, viewer))


def changes_between(old: Any, new: Any, viewer: Viewer) -> list[Change]:
    """Of two records or items, field by field."""
    return _changes(old, new, _Names([old, new], viewer))


def _entry(new: Any, old: Any | None, names: "_Names") -> Entry:
    who = new.history_user.display_name() if new.history_user else "The hub"
    changes = _changes(old, new, names) if old is not None else []
    reason = new.history_change_reason or ""
    if old is None and new.history_type == "+":
        what = reason or "Created"
    else:
        what = reason or _said(changes)
    return Entry(new.history_id, who, what, new.history_date, changes)


def _said(changes: Sequence[Change]) -> str:
    labels = list(dict.fromkeys(each.label for each in changes))
    return f"Changed {', '.join(labels)}" if labels else "Saved without a change"


def _changes(old: Any, new: Any, names: "_Names") -> list[Change]:
    found = []
    for name, label in _FIELDS:
        before, after = names.text(old, name), names.text(new, name)
        if before != after:
            compare = diff if name in _TEXTS else words
            found.append(Change(label, compare(before, after)))
    return found


class _Names:
    """Values as people read them; rows are named with one query a kind."""

    def __init__(self, records: Iterable[Any], viewer: Viewer) -> None:
        self._viewer = viewer
        self._rows = {
            name: self._known(name, records)
            for name in ("primary_domain", "owner", "owner_group", "superseded_by")
        }

    def text(self, record: Any, name: str) -> str:
        field = ContentItem._meta.get_field(name)
        if isinstance(field, ForeignKey):
            key = getattr(record, field.attname)
            return self._rows[name].get(key, "(not shown)") if key else ""
        value = getattr(record, name)
        if isinstance(value, list):
            return ", ".join(value)
        if name in _NAMED:
            return _NAMED[name].get(value, str(value))
        return "" if value is None else str(value)

    def _known(self, name: str, records: Iterable[Any]) -> dict[Any, str]:
        keys = {getattr(each, f"{name}_id") for each in records} - {None}
        if len(keys) == 0:
            return {}
        if name == "owner":
            people = User.objects.in_bulk(list(keys))
            return {key: each.display_name() for key, each in people.items()}
        if name == "superseded_by":
            visible = ContentItem.objects.visible_to(self._viewer)
            titles = visible.filter(pk__in=keys).order_by()
            return dict(titles.values_list("pk", "title"))
        model: Any = Domain if name == "primary_domain" else Group
        return dict(model.objects.filter(pk__in=keys).values_list("pk", "name"))
