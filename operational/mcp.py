"""What assistants may call of operational memory, over MCP."""

from collections.abc import Iterator

from accounts.assistants import Answer, Caller, Document, Schema, Tool
from core.errors import NotFound
from core.text import clean
from operational import limits
from operational.exporters.markdown import document, exported
from operational.schema import ANSWER
from operational.service import operational_search
from operational.types import CONTEXTS, MAX_QUERY, TYPES, OperationalQuery, to_json

_INPUT: Schema = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_QUERY,
            "description": "The error as it was printed (a whole stack trace is fine), "
            "a symptom, or the name of a failure, pattern, lesson or pathway",
        },
        "type": {"enum": list(TYPES), "description": "Only this kind of record"},
        "context": {
            "enum": list(CONTEXTS),
            "description": "Which block to fill: the failure's fix, the lesson's "
            "impact, or the pathway's steps",
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}


def answer(caller: Caller, given: Schema) -> Answer:
    query = OperationalQuery.of(given["query"], given.get("type"), given.get("context"))
    limits.spend_search(caller.viewer.limit_key)
    data = to_json(operational_search(query, caller.viewer))
    return Answer("\n".join(_markdown(data, caller)), data)


def read(caller: Caller, name: str) -> str:
    kind, _, slug = clean(name).partition("/")
    entity = exported().filter(type=kind, slug=slug).first()
    if entity is None:
        raise NotFound("There is no such record in operational memory.")
    return document(entity)


def _markdown(data: Schema, caller: Caller) -> Iterator[str]:
    matched = data["matchedEntity"]
    if matched is None:
        yield "No match: operational memory has no record that fits. That is an answer."
        yield "Try the error message itself, or a record's name."
        return
    yield f"# {_link(matched, caller)}"
    yield (
        f"{matched['type']} · {matched['confidence']} % sure ({matched['matchReason']})"
    )
    if data["debugContext"]:
        yield from _failure(data["debugContext"], caller)
    if data["lessonImpact"]:
        yield from _lesson(data["lessonImpact"], caller)
    if data["pathwaySteps"]:
        yield from _pathway(data["pathwaySteps"])
    if data["additionalMatches"]:
        yield "\n## Also possible"
        for each in data["additionalMatches"]:
            yield (
                f"- {_link(each, caller)} ({each['type']}, {each['confidence']} % sure)"
            )


def _failure(block: Schema, caller: Caller) -> Iterator[str]:
    outcomes = block["fixOutcomes"]
    yield f"\n## Fix ({block['fixState']}): {block['failureTitle']}"
    yield block["verifiedFix"] or "No fix is recorded."
    yield (
        f"\n- Severity {block['severity']}, recovery {block['recoveryComplexity']}"
        + (
            f", about {block['estimatedResolution']}"
            * bool(block["estimatedResolution"])
        )
    )
    yield f"- Documented to {block['confidenceScore']} of 100"
    if outcomes["worked"] or outcomes["failed"]:
        yield f"- It worked {outcomes['worked']} times, failed {outcomes['failed']}"
    if block["patternName"]:
        yield f"- Pattern: {block['patternName']} ({block['patternId']})"
    yield from _list("Prevention", block["preventionChecklist"])
    yield from _list("Lessons", [_link(x, caller) for x in block["relatedLessons"]])
    yield from _list(
        "Evidence",
        [f"{x['type']}: {x['path']} {x['descriptor']}" for x in block["evidence"]],
    )


def _lesson(block: Schema, caller: Caller) -> Iterator[str]:
    yield f"\n## Lesson: {block['lessonTitle']}"
    prevented = [_link(each, caller) for each in block["failuresPrevented"]]
    yield from _list("Prevents", prevented)
    following = [_link(each, caller) for each in block["prerequisiteFor"]]
    yield from _list("Needed before", following)
    if block["implementsPlaybook"]:
        yield f"- Implements {_link(block['implementsPlaybook'], caller)}"


def _pathway(block: Schema) -> Iterator[str]:
    time = f" ({block['estimatedTime']})" if block["estimatedTime"] else ""
    yield f"\n## Pathway: {block['pathwayTitle']}{time}"
    for step in block["steps"]:
        done = step["successCriteria"]
        until = f" Done when: {done}" if done else ""
        yield f"{step['order']}. {step['description']}{until}"
    yield from _list(
        "Known failure points",
        [f"{x['failureSlug']} at {x['likelyAt']}" for x in block["knownFailurePoints"]],
    )


def _list(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield f"\n### {title}"
        yield from (f"- {line}" for line in lines)


def _link(entity: Schema, caller: Caller) -> str:
    return f"[{entity['title']}]({caller.address(entity['href'])})"


TOOLS = (
    Tool(
        name="operational_search",
        title="Find a failure and its fix",
        description=(
            "What the organisation knows of an error, incident or symptom: the failure "
            "it recognises, how sure it is, the verified fix, how to prevent it, and "
            "related lessons and pathways. Paste the error as it is. No match means "
            "nothing fits: it never guesses. For documents and answers use find."
        ),
        input_schema=_INPUT,
        output_schema={
            k: v for k, v in ANSWER.items() if k not in ("$schema", "title")
        },
        run=answer,
        failed="Operational search failed: {reason}. Try simplifying your query.",
    ),
)

DOCUMENTS = (
    Document(
        scheme="ops://",
        variables="{type}/{slug}",
        name="operational-record",
        title="Record of operational memory",
        description="A failure, lesson, pattern, pathway, playbook, case study or "
        "system whole, as Markdown.",
        read=read,
    ),
)
