"""Every number of operational matching, and the order of what was found.

The numbers change by commit together with a run of the benchmark, never by setting.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

from operational.pipeline.library import Library
from operational.pipeline.records import EXAMPLE, LEAD, MESSAGE, TITLE, Record


class Reason(StrEnum):
    SLUG = "exact slug"
    TAGS = "tag overlap"
    KEYWORD = "keyword"
    PATTERN = "pattern"
    SYMPTOM = "symptom"


FLOOR = 40  # below it there is no match
CERTAIN = 92  # from here on a step is sure, and the search ends

# --- confidence of a recorded message (step 0) --------------------------------------

# How far each kind of text is trusted to be what the program printed.
KIND_TRUST = {MESSAGE: 1.0, TITLE: 0.95, EXAMPLE: 0.9, LEAD: 0.85}
# Shared words beyond the message: enough to decide between alike, not to make a match.
WORDS_SHARE = 0.35
# The record's own class of error stands in the paste.
CLASS_BONUS = 0.03
# Another class of error stands there.
CLASS_CLASH = 0.75
# A few words in a long line are no message.
SHORT, SHORT_EXPLAINS = 1.2, 0.3
# Support (0 to about 1.3) at the floor, at the lower and at the upper end of "partial".
SUPPORT_FLOOR, SUPPORT_PARTIAL, SUPPORT_FULL = 0.42, 0.62, 1.05
# What makes an exact message certain: its length, and how much else its line says.
CERTAINTY = 0.70
# A message that stands in several records decides for none of them.
SHARED_CAP = 80
KEYWORD_CAP = 59  # without a message that fits by half
HALF_FITS = 0.5

# --- the other steps -----------------------------------------------------------------

EXACT_SLUG = 100
TAG_POINTS = 80
TITLE_POINTS = 60
PATTERN_POINTS = 70
KEYWORD_LOW, KEYWORD_HIGH = 40, 75

# --- ranking -------------------------------------------------------------------------

CONFIDENCE_SHARE = 0.6
TWO_INSTANCES, THREE_INSTANCES, PLAYBOOK, PATTERN = 15, 10, 10, 8
RECENCY = 5.0
RECENCY_DAYS = 365
MORE = 5  # matches beside the first


@dataclass(frozen=True)
class Candidate:
    """`support` orders candidates of one confidence; `message` is what fitted, and
    `line` where."""

    place: int
    confidence: int
    reason: Reason
    support: float = 0.0
    message: int | None = None
    line: str = ""


def merged(found: Iterable[Candidate]) -> list[Candidate]:
    """The best candidate of each record."""
    best: dict[int, Candidate] = {}
    for each in found:
        known = best.get(each.place)
        if known is None or _strength(each) > _strength(known):
            support = max(each.support, known.support if known else 0.0)
            best[each.place] = replace(each, support=support)
    return list(best.values())


def _strength(candidate: Candidate) -> tuple[int, float]:
    return candidate.confidence, candidate.support


def ordered(
    found: Sequence[Candidate], library: Library, *, pattern_first: bool, today: date
) -> list[Candidate]:
    """Exact matches; for a pattern query patterns; then rank; recency among equals."""
    by_pattern: dict[int, int] = {}
    if pattern_first:
        for each in found:
            record = library.records[each.place]
            if record and record.pattern:
                points = bonus(record)
                best = by_pattern.get(record.pattern, 0)
                by_pattern[record.pattern] = max(points, best)

    def key(each: Candidate) -> tuple[object, ...]:
        record = library.records[each.place]
        assert record is not None  # noqa: S101 - candidates are alive
        exact = each.confidence >= CERTAIN
        own = bonus(record)
        pattern = pattern_first and record.type == "pattern"
        if pattern:
            own += by_pattern.get(record.pk, 0)
        # Certainty is not outweighed by how often something happened.
        points = each.confidence if exact else CONFIDENCE_SHARE * each.confidence + own
        return (
            not exact,
            not pattern,
            -points,
            -round(each.support, 6),
            -recency(record, today),
            record.type,
            record.slug,
        )

    return sorted(found, key=key)


def bonus(record: Record) -> int:
    return (
        TWO_INSTANCES * (record.instances >= 2)
        + THREE_INSTANCES * (record.instances >= 3)
        + PLAYBOOK * record.playbook
        + PATTERN * (record.pattern is not None)
    )


def recency(record: Record, today: date) -> float:
    """0 to 5 by days since the last occurrence."""
    if record.last_occurrence is None:
        return 0.0
    days = max(0, (today - record.last_occurrence).days)
    return max(0.0, RECENCY * (1 - days / RECENCY_DAYS))
