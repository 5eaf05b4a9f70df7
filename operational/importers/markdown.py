"""Markdown with front matter: one file, one entity."""

from pathlib import Path
from typing import Any

from core import frontmatter
from core.errors import BadInput
from core.text import fold
from operational.drafts import Draft, FailureDraft, PathwayDraft, PatternDraft
from operational.enums import EntityType
from operational.importers import fields, sections, shapes
from operational.importers.base import (
    Problem,
    Read,
    checked,
    decoded,
    one_of,
    slug_of,
    text,
    texts,
)

# Before it the body, after it the fix: written by the export, so that neither loses a
# heading that looks like the other's.
FIX_MARK = "<!-- operational: fix -->"


def read(path: Path, name: str) -> Read:
    try:
        yield draft_of(decoded(path), Path(name).stem)
    except BadInput as error:
        yield Problem(name, error.message)


def draft_of(markdown: str, stem: str) -> Draft:
    stated, body = frontmatter.split(markdown)
    if not stated and not body.strip():
        raise BadInput("The file is empty.")
    body, marked, fix = (
        body.rpartition(FIX_MARK) if FIX_MARK in body else (body, "", "")
    )
    title, body = _title(text(stated.get("title"), "title"), body.strip(), stem)
    kind = _type(stated)
    details, body = _details(kind, stated, body, fix.strip(), title, exact=bool(marked))
    return checked(
        Draft(
            type=kind,
            slug=text(stated.get("slug"), "slug") or slug_of(stem) or slug_of(title),
            title=title,
            summary=text(stated.get("summary"), "summary"),
            body=body,
            tags=texts(stated.get("tags"), "tags"),
            source=text(stated.get("source"), "source"),
            is_public=one_of(stated.get("public"), "public", _TRUTH) not in _FALSE,
            details=details,
            relations=fields.relations(stated),
        )
    )


_FALSE = ("false", "no")
_TRUTH = ("true", "yes", *_FALSE)


def _type(stated: dict[str, Any]) -> EntityType:
    """`entity`, or `type` where it is one; an error page's own `type` is another
    thing."""
    given = text(stated.get("entity"), "entity")
    if given:
        return EntityType(one_of(given, "entity", EntityType.values) or given)
    kind = text(stated.get("type"), "type").casefold().replace("_", "-")
    return EntityType(kind) if kind in EntityType.values else EntityType.FAILURE


def _details(
    kind: EntityType,
    stated: dict[str, Any],
    body: str,
    fix: str,
    title: str,
    *,
    exact: bool,
) -> tuple[FailureDraft | PatternDraft | PathwayDraft | None, str]:
    if kind == EntityType.FAILURE:
        given = fields.failure(stated, fix)
        if exact:
            return given, body
        return shapes.failure(sections.split(body), given, title)
    if kind == EntityType.PATTERN:
        return fields.pattern(stated), body
    if kind == EntityType.PATHWAY:
        return fields.pathway(stated), body
    return None, body


def _title(named: str, body: str, stem: str) -> tuple[str, str]:
    """The title, and the body without a first heading that only repeats it."""
    line, _, rest = body.partition("\n")
    if line.startswith("# "):
        heading = line[2:].strip().strip("#").strip()
        if heading and (not named or fold(named) == fold(heading)):
            return named or heading, rest.strip()
    return named or stem.replace("-", " ").replace("_", " ").strip().capitalize(), body
