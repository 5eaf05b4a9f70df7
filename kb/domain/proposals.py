"""Values of an item's fields as a revision keeps them: JSON, with a key for what is a
row of its own, and a name for a stored picture."""

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db.models import ForeignKey, Model

from accounts.models import User
from core.errors import Conflict
from core.text import clean
from kb.models import ContentItem


def stored(item: ContentItem, names: Iterable[str]) -> dict[str, Any]:
    """What the item holds now."""
    return {name: as_json(name, getattr(item, name)) for name in names}


def as_json(name: str, value: Any) -> Any:
    if isinstance(value, Model):
        return value.pk
    if name == "picture":
        return _picture_name(value)
    if isinstance(value, list):
        return [clean(each) for each in value]
    return clean(value) if isinstance(value, str) else value


def values(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Back to what `kb.domain.lifecycle.edit_item` takes. `Conflict` if a row that was
    chosen then is no longer there."""
    return {name: _value(name, changes[name]) for name in changes}


def overlaid(item: ContentItem, changes: Mapping[str, Any]) -> ContentItem:
    """`item` as it would be, in memory; not to be saved."""
    proposed = copy(item)
    for name, value in values(changes).items():
        setattr(proposed, name, value)
    return proposed


def readable(changes: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each field with its value, as people read them, in order of the field's name."""
    return [(label(name), _text(name, changes[name])) for name in sorted(changes)]


def label(name: str) -> str:
    """A field as people read it."""
    verbose = ContentItem._meta.get_field(name).verbose_name  # type: ignore[union-attr]
    return "keywords" if name == "ai_keywords" else str(verbose)


def labels(names: Iterable[str]) -> str:
    return ", ".join(label(name) for name in names)


def _text(name: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    try:
        found = _value(name, value)
    except Conflict:
        return "(no longer there)"
    if isinstance(found, User):
        return found.display_name()
    return "" if found is None else str(found)


def _value(name: str, value: Any) -> Any:
    field = ContentItem._meta.get_field(name)
    if not isinstance(field, ForeignKey) or value is None:
        return value
    found = field.related_model._default_manager.filter(pk=value).first()
    if found is None:
        raise Conflict(
            f"The {label(name)} of this edit is no longer there.", field=name
        )
    return found


def _picture_name(value: Any) -> str:
    """A new file is kept at once: the edit may wait for weeks."""
    if not value:
        return ""
    if not isinstance(value, File) or getattr(value, "_committed", False):
        return str(value)
    field: Any = ContentItem._meta.get_field("picture")
    return default_storage.save(field.generate_filename(None, value.name), value)
