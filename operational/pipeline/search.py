"""Runs the steps in order and ranks what they found."""

from dataclasses import dataclass, replace
from datetime import date

from operational.pipeline.classify import QueryType, classify
from operational.pipeline.library import Library
from operational.pipeline.query import Query
from operational.pipeline.rank import CERTAIN, FLOOR, Candidate, merged, ordered
from operational.pipeline.steps import RECORDED, STEPS


@dataclass(frozen=True)
class Found:
    """`nearest` is the best confidence, though it may be below the floor."""

    kind: QueryType
    candidates: tuple[Candidate, ...]
    nearest: int


def search(
    text: str,
    library: Library,
    *,
    today: date,
    of_type: str | None = None,
    public_only: bool = False,
    floor: int = FLOOR,
) -> Found:
    query = Query(text, library)
    kind = classify(query)
    found: list[Candidate] = []
    for step in (RECORDED, *STEPS) if kind == QueryType.SYMPTOM else (*STEPS, RECORDED):
        if step is RECORDED and kind == QueryType.PATTERN and found:
            continue  # described, not printed: messages only where nothing else fits
        found += _eligible(step(query), library, of_type, public_only)
        if any(each.confidence >= CERTAIN for each in found):
            break
    if kind == QueryType.PATTERN:
        found = _patterns_decide(found)
    nearest = max((each.confidence for each in found), default=0)
    best = [each for each in merged(found) if each.confidence >= floor]
    rows = ordered(best, library, pattern_first=kind == QueryType.PATTERN, today=today)
    return Found(kind, tuple(rows), nearest)


def _eligible(
    found: list[Candidate], library: Library, of_type: str | None, public_only: bool
) -> list[Candidate]:
    kept = []
    for each in found:
        record = library.records[each.place]
        if record is None or (of_type and record.type != of_type):
            continue
        if public_only and not record.is_public:
            continue
        kept.append(each)
    return kept


def _patterns_decide(found: list[Candidate]) -> list[Candidate]:
    """A pattern that fits keeps its 70, though its tags might say more."""
    reasons = {each.place: each for each in found if each.reason == "pattern"}
    return [
        replace(
            each,
            confidence=reasons[each.place].confidence,
            reason=reasons[each.place].reason,
        )
        if each.place in reasons
        else each
        for each in found
    ]
