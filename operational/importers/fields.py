"""Front matter → draft: the fields of each type of entity."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from core.errors import BadInput
from operational.drafts import (
    Evidence,
    FailureDraft,
    PathwayDraft,
    PatternDraft,
    PointDraft,
    Ref,
    RelationDraft,
    StepDraft,
)
from operational.enums import (
    Complexity,
    EntityType,
    FixState,
    RelationKind,
    Severity,
)
from operational.importers.base import MAX_ITEMS, one_of, ref, text, texts

Stated = Mapping[str, Any]

# What a bare slug under a kind of relationship means.
_TARGETS = {
    RelationKind.EXEMPLIFIES: EntityType.PATTERN,
    RelationKind.PREVENTS: EntityType.FAILURE,
    RelationKind.RESOLVES: EntityType.FAILURE,
    RelationKind.IMPLEMENTS: EntityType.PLAYBOOK,
    RelationKind.PREREQUISITE_FOR: EntityType.LESSON,
    RelationKind.LEADS_TO: EntityType.LESSON,
    RelationKind.DOCUMENTS: EntityType.FAILURE,
    RelationKind.EVIDENCE_FOR: EntityType.FAILURE,
    RelationKind.AFFECTS: EntityType.SYSTEM,
}


def failure(stated: Stated, fix: str) -> FailureDraft:
    pattern = text(stated.get("pattern"), "pattern")
    kind = stated.get("failure_type")
    if kind is None and text(stated.get("type"), "type") not in EntityType.values:
        kind = stated.get("type")
    return FailureDraft(
        failure_type=text(kind, "failure_type", 200),
        severity=one_of(stated.get("severity"), "severity", Severity.values),
        recovery_complexity=one_of(
            stated.get("recovery_complexity"), "recovery_complexity", Complexity.values
        ),
        estimated_resolution=text(
            stated.get("estimated_resolution"), "estimated_resolution", 100
        ),
        fix=text(stated.get("fix"), "fix") or fix,
        fix_state=one_of(stated.get("fix_state"), "fix_state", FixState.values),
        instance_count=_count(stated.get("instance_count")),
        last_occurrence=_day(stated.get("last_occurrence")),
        pattern=ref(pattern, "pattern", EntityType.PATTERN) if pattern else None,
        prevention_steps=texts(stated.get("prevention"), "prevention"),
        evidence=tuple(_evidence(each) for each in _rows(stated, "evidence")),
        symptoms=texts(stated.get("symptoms"), "symptoms"),
    )


def pattern(stated: Stated) -> PatternDraft:
    keywords = texts(stated.get("keywords"), "keywords")
    if any(len(each) > 120 for each in keywords):
        raise BadInput("A keyword is longer than 120 characters.", field="keywords")
    return PatternDraft(keywords, texts(stated.get("prevention"), "prevention"))


def pathway(stated: Stated) -> PathwayDraft:
    return PathwayDraft(
        estimated_time=text(stated.get("estimated_time"), "estimated_time", 100),
        steps=tuple(_step(each) for each in _rows(stated, "steps")),
        failure_points=tuple(_point(each) for each in _rows(stated, "failure_points")),
    )


def relations(stated: Stated) -> tuple[RelationDraft, ...]:
    """Under `relations`, or each kind as a key of its own."""
    block = stated.get("relations") or {}
    if not isinstance(block, dict):
        raise BadInput("relations is not a list of kinds and entities.")
    found: list[RelationDraft] = []
    for name, value in block.items():
        kind = one_of(name, "relations", RelationKind.values)
        found += _related(str(kind), value)
    for kind in RelationKind:
        found += _related(kind, stated.get(kind) or stated.get(kind.replace("-", "_")))
    return tuple(dict.fromkeys(found))


def _related(kind: str, value: object) -> list[RelationDraft]:
    default = _TARGETS.get(RelationKind(kind))
    return [
        RelationDraft(kind, ref(each, kind, default)) for each in texts(value, kind)
    ]


def _rows(stated: Stated, field: str) -> list[Any]:
    rows = stated.get(field) or []
    if not isinstance(rows, list) or len(rows) > MAX_ITEMS:
        raise BadInput(f"{field} is not a list, or too long a one.", field=field)
    return rows


def _step(row: object) -> StepDraft:
    stated = {"description": row} if isinstance(row, str) else _mapping(row, "steps")
    return StepDraft(
        description=text(stated.get("description"), "steps"),
        lesson=_maybe(stated.get("lesson"), "lesson", EntityType.LESSON),
        estimated_time=text(stated.get("estimated_time"), "estimated_time", 100),
        success_criteria=text(stated.get("success_criteria"), "success_criteria"),
    )


def _point(row: object) -> PointDraft:
    stated = _mapping(row, "failure_points")
    return PointDraft(
        failure=ref(stated.get("failure"), "failure_points", EntityType.FAILURE),
        likely_at=text(stated.get("likely_at"), "likely_at", 200),
        preventing_pattern=_maybe(
            stated.get("pattern"), "failure_points", EntityType.PATTERN
        ),
    )


def _evidence(row: object) -> Evidence:
    stated = _mapping(row, "evidence")
    return Evidence(
        *(text(stated.get(k), "evidence") for k in ("type", "path", "descriptor"))
    )


def _mapping(row: object, field: str) -> dict[str, Any]:
    if not isinstance(row, dict):
        raise BadInput(f"{field} is not a list of keys and values.", field=field)
    return row


def _maybe(value: object, field: str, default: EntityType) -> Ref | None:
    return ref(value, field, default) if text(value, field) else None


def _count(value: object) -> int | None:
    given = text(value, "instance_count")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and int(given) <= 1_000_000):
        raise BadInput("instance_count is not a number.", field="instance_count")
    return int(given)


def _day(value: object) -> date | None:
    given = text(value, "last_occurrence")
    try:
        return date.fromisoformat(given) if given else None
    except ValueError as error:
        raise BadInput(
            f"last_occurrence {given[:40]!r} is not a date such as 2026-03-31.",
            field="last_occurrence",
        ) from error
