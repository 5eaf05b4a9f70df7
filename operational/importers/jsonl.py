"""JSON Lines: one failure a line, `slug, title, symptoms[], type, why, fix, source`."""

import json
from pathlib import Path
from typing import Any

from core.errors import BadInput
from operational.drafts import Draft, FailureDraft
from operational.enums import EntityType
from operational.importers.base import Problem, Read, checked, decoded, text, texts

MAX_LINE = 2_000_000


def read(path: Path, name: str) -> Read:
    for number, line in enumerate(decoded(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{name}:{number}"
        try:
            yield _draft(_object(line))
        except BadInput as error:
            yield Problem(where, error.message)


def _object(line: str) -> dict[str, Any]:
    if len(line) > MAX_LINE:
        raise BadInput(f"The record is longer than {MAX_LINE} characters.")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput("It is not valid JSON.") from error
    if not isinstance(value, dict):
        raise BadInput("It is not a JSON object.")
    return value


def _draft(row: dict[str, Any]) -> Draft:
    return checked(
        Draft(
            type=EntityType.FAILURE,
            slug=text(row.get("slug"), "slug"),
            title=text(row.get("title"), "title"),
            body=text(row.get("why"), "why"),
            tags=texts(row.get("tags"), "tags"),
            source=text(row.get("source"), "source"),
            details=FailureDraft(
                failure_type=text(row.get("type"), "type")[:200],
                fix=text(row.get("fix"), "fix"),
                symptoms=texts(row.get("symptoms"), "symptoms"),
            ),
        )
    )
