"""Recorded messages with their templates and keys."""

from collections.abc import Mapping, Sequence

from operational.models import Symptom
from operational.pipeline.templates import VERSION, compile_template

# Failure and text → key and the version of the algorithm that made it.
Keys = Mapping[tuple[int, str], tuple[str, int]]


def kept_keys(failure_ids: Sequence[int]) -> Keys:
    """A message keeps its key for as long as its text stays."""
    rows = Symptom.objects.filter(failure_id__in=failure_ids)
    return {
        (failure, text): (key, version)
        for failure, text, key, version in rows.values_list(
            "failure_id", "text", "key", "key_version"
        )
    }


def symptoms_of(failure_id: int, texts: Sequence[str], kept: Keys) -> list[Symptom]:
    """One row a distinct text, in order."""
    made = []
    for position, text in enumerate(dict.fromkeys(texts)):
        template = compile_template(text)
        key, version = kept.get((failure_id, text), (template.key, VERSION))
        made.append(
            Symptom(
                failure_id=failure_id,
                position=position,
                text=text,
                template=template.shown,
                key=key,
                key_version=version,
            )
        )
    return made
