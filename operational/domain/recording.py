"""A new failure, recorded from what somebody pasted."""

import re
from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction
from django.utils.text import slugify

from accounts.viewer import Viewer
from core.errors import BadInput
from core.text import clean
from operational.domain import misses, storing
from operational.domain.redaction import redacted
from operational.drafts import Draft, FailureDraft, Ref, RelationDraft
from operational.enums import EntityType, FixState, RelationKind, Severity
from operational.models import Entity, MissedPaste
from operational.pipeline.lines import telling

_MAX_SLUG = 100
_MAX_TITLE = 120
_SUGGESTED = 3  # messages
# What redaction leaves stands for anything.
_MARK = re.compile(
    r"\[(credentials|token|secret|key|address|ip|user|number|id)\]", re.IGNORECASE
)


@dataclass(frozen=True)
class NewFailure:
    """What the form asks for."""

    title: str = ""
    summary: str = ""
    messages: tuple[str, ...] = ()
    fix: str = ""
    prevention: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    severity: str = Severity.MEDIUM.value
    failure_type: str = ""
    pattern: str = ""
    last_occurrence: date | None = None


def suggested(paste: str) -> NewFailure:
    """What can be said from a paste alone, without its secrets and people."""
    lines = [line for line in telling(paste) if line.weight > misses.TELLING]
    lines.sort(key=lambda line: -line.weight)  # errors first, in their order
    found = [as_message(line.text) for line in lines[:_SUGGESTED]]
    messages = tuple(dict.fromkeys(filter(None, found)))
    title = messages[0] if messages else ""
    return NewFailure(title=title[:_MAX_TITLE].strip(), messages=messages)


def as_message(text: str) -> str:
    """Redacted, with placeholders where values were: they match anything."""
    return _MARK.sub(r"{\1}", redacted(clean(text))).strip()


def record(
    viewer: Viewer, new: NewFailure, now: datetime, *, miss_id: int | None = None
) -> Entity:
    """Stores it, and closes the miss it was recorded from."""
    viewer.require_editor()
    draft = _draft(new, now)
    with transaction.atomic():
        storing.store(viewer, [draft], "Recorded from a paste")
        if miss_id is not None and MissedPaste.objects.filter(pk=miss_id).exists():
            misses.close(viewer, miss_id, now, slug=draft.slug)
        return Entity.objects.get(type=draft.type, slug=draft.slug)


def _draft(new: NewFailure, now: datetime) -> Draft:
    title = redacted(clean(new.title)).strip()
    if not title:
        raise BadInput("Give it a title.", field="title")
    if len(title) > _MAX_TITLE * 4:
        raise BadInput("A title has at most 480 characters.", field="title")
    if new.severity not in Severity.values:
        raise BadInput.unknown("severity", new.severity, Severity.values)
    if any(len(tag) > 80 for tag in new.tags):
        raise BadInput("A tag has at most 80 characters.", field="tags")
    pattern = _pattern(new.pattern)
    return Draft(
        type=EntityType.FAILURE,
        slug=_free_slug(title),
        title=title,
        summary=redacted(clean(new.summary)).strip(),
        tags=tuple(
            dict.fromkeys(
                redacted(clean(tag)).strip() for tag in new.tags if tag.strip()
            )
        ),
        is_public=False,  # until an editor says otherwise
        details=FailureDraft(
            failure_type=redacted(clean(new.failure_type)).strip()[:200],
            severity=new.severity,
            fix=redacted(clean(new.fix)).strip(),
            fix_state=FixState.SUGGESTED,
            instance_count=1,
            last_occurrence=new.last_occurrence or now.date(),
            pattern=pattern,
            prevention_steps=tuple(
                filter(None, (redacted(clean(p)).strip() for p in new.prevention))
            ),
            symptoms=tuple(filter(None, map(as_message, new.messages))),
        ),
        relations=(
            (RelationDraft(RelationKind.EXEMPLIFIES, pattern),) if pattern else ()
        ),
    )


def _pattern(slug: str) -> Ref | None:
    if not slug:
        return None
    if not Entity.objects.live().filter(type="pattern", slug=slug).exists():
        raise BadInput("This pattern does not exist any more.", field="pattern")
    return Ref(EntityType.PATTERN, slug)


def _free_slug(title: str) -> str:
    base = re.sub(r"[-_]{2,}", "-", slugify(title)[:_MAX_SLUG]).strip("-_") or "failure"
    taken = set(
        Entity.objects.filter(type="failure", slug__startswith=base).values_list(
            "slug", flat=True
        )
    )
    number = 2
    slug = base
    while slug in taken:
        slug, number = f"{base}-{number}", number + 1
    return slug
