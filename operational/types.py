"""Question and answer of operational search: what every surface translates."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.errors import BadInput
from core.text import clean
from operational.enums import EntityType

TYPES = tuple(
    each.value
    for each in (
        EntityType.FAILURE,
        EntityType.LESSON,
        EntityType.PATTERN,
        EntityType.PATHWAY,
        EntityType.CASE_STUDY,
    )
)
CONTEXTS = (EntityType.FAILURE.value, EntityType.LESSON.value, EntityType.PATHWAY.value)
# Of a paste in the body; an address holds far less.
MAX_QUERY = 1_000_000


@dataclass(frozen=True)
class OperationalQuery:
    text: str
    type: str | None = None
    context: str | None = None

    @classmethod
    def of(
        cls, q: object, of_type: object = None, context: object = None
    ) -> "OperationalQuery":
        if not isinstance(q, str) or not q.strip():
            raise BadInput("q is missing: the error or symptom to look for.", field="q")
        if len(q) > MAX_QUERY:
            raise BadInput(f"q is longer than {MAX_QUERY} characters.", field="q")
        return cls(
            q, _one_of("type", of_type, TYPES), _one_of("context", context, CONTEXTS)
        )

    @property
    def is_blank(self) -> bool:
        return not clean(self.text).strip()


def _one_of(field: str, value: object, known: tuple[str, ...]) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str) or value not in known:
        raise BadInput.unknown(field, str(value), known)
    return value


@dataclass(frozen=True)
class Link:
    slug: str
    title: str
    href: str


@dataclass(frozen=True)
class Match:
    """`message` is the recorded message that fitted, `line` the line of the question
    that it fitted. Neither is in the JSON."""

    id: str
    type: str
    slug: str
    title: str
    href: str
    confidence: int
    match_reason: str
    message: str = ""
    line: str = ""


@dataclass(frozen=True)
class FixOutcomes:
    worked: int
    failed: int
    last_at: str | None


@dataclass(frozen=True)
class DebugContext:
    failure_slug: str
    failure_title: str
    confidence_score: int
    severity: str
    recovery_complexity: str
    estimated_resolution: str
    verified_fix: str
    fix_state: str
    fix_outcomes: FixOutcomes
    pattern_id: str | None
    pattern_name: str | None
    prevention_checklist: tuple[str, ...]
    related_lessons: tuple[Link, ...]
    evidence: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class LessonImpact:
    lesson_slug: str
    lesson_title: str
    failures_prevented: tuple[Link, ...]
    prerequisite_for: tuple[Link, ...]
    implements_playbook: Link | None


@dataclass(frozen=True)
class Step:
    order: int
    description: str
    lesson_slug: str | None
    estimated_time: str
    success_criteria: str


@dataclass(frozen=True)
class FailurePointRef:
    failure_slug: str
    likely_at: str
    prevention_pattern: str | None


@dataclass(frozen=True)
class PathwaySteps:
    pathway_title: str
    estimated_time: str
    steps: tuple[Step, ...]
    known_failure_points: tuple[FailurePointRef, ...]


@dataclass(frozen=True)
class OperationalAnswer:
    """`version` is that of the graph it was computed from; `nearest` the confidence of
    the best candidate, shown or not, among `compared` recorded messages."""

    query_type: str
    confidence: int
    matched: Match | None
    debug_context: DebugContext | None
    lesson_impact: LessonImpact | None
    pathway_steps: PathwaySteps | None
    additional: tuple[Match, ...]
    took_ms: float
    version: int
    day: date
    nearest: int = 0
    compared: int = 0


def to_json(answer: OperationalAnswer) -> dict[str, Any]:
    """The answer with the keys of the published schema, exactly."""
    return {
        "queryType": answer.query_type,
        "confidence": answer.confidence,
        "matchedEntity": _matched(answer.matched),
        "debugContext": _debug(answer.debug_context),
        "lessonImpact": _impact(answer.lesson_impact),
        "pathwaySteps": _pathway(answer.pathway_steps),
        "additionalMatches": [_match(each) for each in answer.additional],
        "processingTimeMs": answer.took_ms,
    }


def _match(match: Match) -> dict[str, Any]:
    return {
        "id": match.id,
        "type": match.type,
        "slug": match.slug,
        "title": match.title,
        "href": match.href,
        "confidence": match.confidence,
    }


def _matched(match: Match | None) -> dict[str, Any] | None:
    return {**_match(match), "matchReason": match.match_reason} if match else None


def _link(link: Link) -> dict[str, str]:
    return {"slug": link.slug, "title": link.title, "href": link.href}


def _debug(context: DebugContext | None) -> dict[str, Any] | None:
    if context is None:
        return None
    return {
        "failureSlug": context.failure_slug,
        "failureTitle": context.failure_title,
        "confidenceScore": context.confidence_score,
        "severity": context.severity,
        "recoveryComplexity": context.recovery_complexity,
        "estimatedResolution": context.estimated_resolution,
        "verifiedFix": context.verified_fix,
        "fixState": context.fix_state,
        "fixOutcomes": {
            "worked": context.fix_outcomes.worked,
            "failed": context.fix_outcomes.failed,
            "lastAt": context.fix_outcomes.last_at,
        },
        "patternId": context.pattern_id,
        "patternName": context.pattern_name,
        "preventionChecklist": list(context.prevention_checklist),
        "relatedLessons": [_link(each) for each in context.related_lessons],
        "evidence": [dict(each) for each in context.evidence],
    }


def _impact(impact: LessonImpact | None) -> dict[str, Any] | None:
    if impact is None:
        return None
    playbook = impact.implements_playbook
    return {
        "lessonSlug": impact.lesson_slug,
        "lessonTitle": impact.lesson_title,
        "failuresPrevented": [_link(each) for each in impact.failures_prevented],
        "prerequisiteFor": [_link(each) for each in impact.prerequisite_for],
        "implementsPlaybook": _link(playbook) if playbook else None,
    }


def _pathway(pathway: PathwaySteps | None) -> dict[str, Any] | None:
    if pathway is None:
        return None
    return {
        "pathwayTitle": pathway.pathway_title,
        "estimatedTime": pathway.estimated_time,
        "steps": [_step(step) for step in pathway.steps],
        "knownFailurePoints": [
            {
                "failureSlug": point.failure_slug,
                "likelyAt": point.likely_at,
                "preventionPattern": point.prevention_pattern,
            }
            for point in pathway.known_failure_points
        ],
    }


def _step(step: Step) -> dict[str, Any]:
    shown: dict[str, Any] = {"order": step.order, "description": step.description}
    if step.lesson_slug:
        shown["lessonSlug"] = step.lesson_slug
    shown["estimatedTime"] = step.estimated_time
    shown["successCriteria"] = step.success_criteria
    return shown
