"""The published, closed JSON Schema of the answer."""

from typing import Any

from operational.enums import Complexity, EntityType, FixState, Severity
from operational.pipeline.classify import QueryType
from operational.pipeline.rank import Reason

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_PERCENT: Schema = {"type": "integer", "minimum": 0, "maximum": 100}
_PATH: Schema = {"type": "string", "pattern": "^/"}
_ID: Schema = {"type": "string", "pattern": "^[a-z-]+:[A-Za-z0-9._-]+$"}
_SLUG_OR_NULL: Schema = {"type": ["string", "null"]}


def _closed(properties: Schema, optional: tuple[str, ...] = ()) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_LINK = _closed({"slug": _TEXT, "title": _TEXT, "href": _PATH})
_MATCH: Schema = {
    "id": _ID,
    "type": {"enum": list(EntityType.values)},
    "slug": _TEXT,
    "title": _TEXT,
    "href": _PATH,
    "confidence": _PERCENT,
}
_DEBUG = _closed(
    {
        "failureSlug": _TEXT,
        "failureTitle": _TEXT,
        "confidenceScore": _PERCENT,
        "severity": {"enum": list(Severity.values)},
        "recoveryComplexity": {"enum": list(Complexity.values)},
        "estimatedResolution": _TEXT,
        "verifiedFix": _TEXT,
        "fixState": {"enum": list(FixState.values)},
        "fixOutcomes": _closed(
            {
                "worked": _COUNT,
                "failed": _COUNT,
                "lastAt": {"type": ["string", "null"], "format": "date-time"},
            }
        ),
        "patternId": _or_null({"type": "string", "pattern": "^pattern:"}),
        "patternName": _SLUG_OR_NULL,
        "preventionChecklist": _list(_TEXT),
        "relatedLessons": _list(_LINK),
        "evidence": _list(_closed({"type": _TEXT, "path": _TEXT, "descriptor": _TEXT})),
    }
)
_LESSON = _closed(
    {
        "lessonSlug": _TEXT,
        "lessonTitle": _TEXT,
        "failuresPrevented": _list(_LINK),
        "prerequisiteFor": _list(_LINK),
        "implementsPlaybook": _or_null(_LINK),
    }
)
_PATHWAY = _closed(
    {
        "pathwayTitle": _TEXT,
        "estimatedTime": _TEXT,
        "steps": _list(
            _closed(
                {
                    "order": {"type": "integer", "minimum": 1},
                    "description": _TEXT,
                    "lessonSlug": _TEXT,
                    "estimatedTime": _TEXT,
                    "successCriteria": _TEXT,
                },
                optional=("lessonSlug",),
            )
        ),
        "knownFailurePoints": _list(
            _closed(
                {
                    "failureSlug": _TEXT,
                    "likelyAt": _TEXT,
                    "preventionPattern": _SLUG_OR_NULL,
                }
            )
        ),
    }
)

ANSWER: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Operational package",
    **_closed(
        {
            "queryType": {"enum": [each.value for each in QueryType]},
            "confidence": _PERCENT,
            "matchedEntity": _or_null(
                _closed({**_MATCH, "matchReason": {"enum": [r.value for r in Reason]}})
            ),
            "debugContext": _or_null(_DEBUG),
            "lessonImpact": _or_null(_LESSON),
            "pathwaySteps": _or_null(_PATHWAY),
            "additionalMatches": _list(_closed(_MATCH)),
            "processingTimeMs": {"type": "number", "minimum": 0},
        }
    ),
}
