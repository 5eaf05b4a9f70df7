"""Broken links and references: what entities point to that is not there.

Nothing is fetched. Addresses outside are checked for their form only; a link inside the
hub must lead to an entity that exists.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from operational.enums import EntityType
from operational.models import Entity, Failure, Pathway, Relationship

_LINK = re.compile(r"\[[^\]\n]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_AUTO = re.compile(r"<(https?://[^>\s]*)>")
_FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_OWN = re.compile(r"^/operational/([a-z-]+)/([A-Za-z0-9._-]+)$")


@dataclass(frozen=True)
class Broken:
    """`where` is the entity, `what` the link or reference, and why it is broken."""

    where: str
    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.why}"


def broken() -> list[Broken]:
    known = set(Entity.objects.filter(archived_at=None).values_list("type", "slug"))
    found = list(_references())
    texts = Entity.objects.filter(archived_at=None).select_related("failure")
    for entity in texts.order_by("type", "slug").iterator(chunk_size=1_000):
        fix = entity.failure.verified_fix if _has_failure(entity) else ""
        text = f"{entity.summary}\n{entity.body}\n\n{fix}"
        targets = links(text)
        if entity.source.startswith("http"):
            targets.append(entity.source)
        faults = ((target, _fault(target, known)) for target in targets)
        found += [Broken(entity.key, target, why) for target, why in faults if why]
    return found


def links(markdown: str) -> list[str]:
    """The targets of links outside code."""
    bare = _CODE.sub("", _FENCE.sub("", markdown))
    return list(dict.fromkeys(_LINK.findall(bare) + _AUTO.findall(bare)))


def _has_failure(entity: Entity) -> bool:
    return entity.type == EntityType.FAILURE and hasattr(entity, "failure")


def _fault(link: str, known: set[tuple[str, str]]) -> str:
    """Why a link is broken, or nothing."""
    if link.startswith("#"):
        return ""
    if own := _OWN.match(link):
        return "" if (own[1], own[2]) in known else "There is no such entity."
    try:
        parts = urlsplit(link)
        host = parts.hostname
    except ValueError:
        return "It is no address."
    if parts.scheme in ("http", "https"):
        return (
            "" if host and ("." in host or host == "localhost") else "It has no host."
        )
    if parts.scheme in ("mailto", "tel") or link.startswith("/"):
        return ""
    if parts.scheme:
        return f"{parts.scheme}: is not shown."
    return "It is relative to a file that is not here."


def _references() -> Iterator[Broken]:
    """What points to an archived entity."""
    gone = Relationship.objects.exclude(target__archived_at=None)
    live = gone.filter(source__archived_at=None).select_related("source", "target")
    for each in live:
        yield Broken(each.source.key, f"{each.kind} {each.target.key}", _ARCHIVED)
    failures = Failure.objects.filter(entity__archived_at=None)
    for failure in (
        failures.exclude(pattern=None)
        .exclude(pattern__archived_at=None)
        .select_related("entity", "pattern")
    ):
        if failure.pattern:
            yield Broken(failure.entity.key, failure.pattern.key, _ARCHIVED)
    steps = Pathway.objects.filter(entity__archived_at=None).prefetch_related(
        "entity", "steps__lesson", "failure_points__failure"
    )
    for pathway in steps:
        named = [step.lesson for step in pathway.steps.all() if step.lesson]
        named += [point.failure for point in pathway.failure_points.all()]
        for entity in named:
            if entity.archived_at is not None:
                yield Broken(pathway.entity.key, entity.key, _ARCHIVED)


_ARCHIVED = "It is archived."
