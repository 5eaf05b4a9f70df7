"""The seam to formats: a file becomes drafts, and nothing is written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from core.errors import BadInput
from core.text import clean, fold
from operational.drafts import Draft, Ref
from operational.enums import EntityType
from operational.models.graph import SLUG

MAX_FILE_BYTES = 200 * 1024 * 1024
MAX_TEXT = 500_000
MAX_ITEMS = 500


@dataclass(frozen=True)
class Problem:
    """A file, or a record of one, that was not imported, and why."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


Read = Iterator[Draft | Problem]


def decoded(path: Path) -> str:
    """The text of a file; `BadInput` where it is none."""
    if path.stat().st_size > MAX_FILE_BYTES:
        raise BadInput(f"It is larger than {MAX_FILE_BYTES // 1024 // 1024} MB.")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"It is not UTF-8 text (byte {error.start + 1}).") from error
    return clean(text.replace("\r\n", "\n").replace("\r", "\n"))


def slug_of(text: str) -> str:
    made = re.sub(r"[^A-Za-z0-9]+", "-", fold(text)).strip("-")
    return made[:160].strip("-")


def checked(draft: Draft) -> Draft:
    """The draft, if the database can hold it; `BadInput` names what is wrong."""
    if not draft.title:
        raise BadInput("It has no title.", field="title")
    for name, limit in (("title", 500), ("slug", 160), ("source", 1000)):
        if len(getattr(draft, name)) > limit:
            raise BadInput(f"{name} is longer than {limit} characters.", field=name)
    if not SLUG.regex.match(draft.slug):  # type: ignore[union-attr]
        raise BadInput(
            f"The slug {draft.slug[:80]!r} is not letters and digits joined by '-'.",
            field="slug",
        )
    if len(draft.body) > MAX_TEXT:
        raise BadInput(f"It is longer than {MAX_TEXT} characters.", field="body")
    if any(len(tag) > 80 for tag in draft.tags):
        raise BadInput("A tag is longer than 80 characters.", field="tags")
    return draft


def texts(value: object, field: str) -> tuple[str, ...]:
    """A list of texts, or one text; empty ones dropped, each once."""
    given = [value] if isinstance(value, str) else value
    if given is None:
        return ()
    if not isinstance(given, Iterable) or isinstance(given, dict):
        raise BadInput(f"{field} is not a list of texts.", field=field)
    items = list(given)
    if not all(isinstance(each, str) for each in items):
        raise BadInput(f"{field} is not a list of texts.", field=field)
    if len(items) > MAX_ITEMS:
        raise BadInput(f"{field} has more than {MAX_ITEMS} entries.", field=field)
    bare = (clean(each).strip() for each in items)
    return tuple(dict.fromkeys(each for each in bare if each))


def text(value: object, field: str, limit: int = MAX_TEXT) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadInput(f"{field} is not a text.", field=field)
    bare = clean(value).strip()
    if len(bare) > limit:
        raise BadInput(f"{field} is longer than {limit} characters.", field=field)
    return bare


def one_of(value: object, field: str, known: Iterable[str]) -> str | None:
    given = text(value, field).casefold().replace(" ", "-")
    if not given:
        return None
    options = list(known)
    if given not in options:
        raise BadInput.unknown(field, given, options)
    return given


def ref(value: object, field: str, default: EntityType | None = None) -> Ref:
    """`type:slug`, or a slug where the field tells the type."""
    kind, colon, slug = text(value, field).rpartition(":")
    if not colon and default is None:
        raise BadInput(f"{field}: {slug[:80]!r} is not type:slug.", field=field)
    if colon and kind not in EntityType.values:
        raise BadInput.unknown(field, kind, EntityType.values)
    if not slug:
        raise BadInput(f"{field} names nothing.", field=field)
    return Ref(EntityType(kind) if colon else default or EntityType.FAILURE, slug)
