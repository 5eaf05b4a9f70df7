"""The quality score of an item, 0 to 100: its numbers, and its rule for one in hand.

`kb.domain.scores` holds the same rule as SQL, for writing; a test keeps both equal.
Four figures, 0 to 100 each, are weighted: freshness, completeness, verification, use.
The score never touches the order of search results.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from math import exp
from typing import Any

from kb.domain.cadence import cadence_days
from kb.enums import CadenceKind, ReviewStatus
from kb.models import ContentItem, ItemIndex
from kb.querysets import start_of
from kb.wordcount import MIN_WORDS

# What each figure can give. Freshness and completeness can be had by care alone and
# count most; use is luck in part and counts least.
POINTS = {"freshness": 30, "completeness": 30, "verification": 25, "use": 15}

# Nothing goes stale within a month; after two years an answer must be looked at.
FRESH_DAYS, SPENT_DAYS = 30, 730

# Cadence penalty, taken from freshness: grows in the last month before a review is
# due, so that nobody is surprised; then a step for each fortnight that it is late.
WARNING_DAYS, WARNING_MOST = 30, 10
LATE_DAYS, LATE = 14, 15
LATER_DAYS, LATER = 30, 25
LATEST = 40

# How long a verification or review holds where no period of days is in force.
HOLDS_DAYS = 365
VERIFIED, REVIEWED = 100, 70
# An overdue item was approved; that its review is late, the penalty says already.
BY_STATE = {
    ReviewStatus.APPROVED: 40,
    ReviewStatus.REVIEW_OVERDUE: 40,
    ReviewStatus.IN_REVIEW: 20,
    ReviewStatus.DRAFT: 0,
}

# A citation is work that somebody did with the item; a reading is a look.
CITATION_READS = 3
READING_DAYS = 180
# Reads that give 63 % of the figure; at forty times as many it is full, and the
# exponential of more would underflow in PostgreSQL.
USE_SCALE = 15
USE_MOST = 40 * USE_SCALE

# With what each is called where it is missing.
CHECKLIST = {
    "summary": "a summary",
    "keywords": "keywords",
    "domain": "a domain and subtopic",
    "owner": "an owner",
    "cadence": "a review cadence",
    "words": f"text of at least {MIN_WORDS} words",
    "embedding": "an embedding",
}


@dataclass(frozen=True)
class Facts:
    """What the score is made of. Ages are in whole UTC days."""

    age: int  # since the last change or review
    due_in: int | None
    verified_age: int | None
    reviewed_age: int | None
    holds: int
    state: ReviewStatus
    missing: tuple[str, ...]
    citations: int
    reads: int


@dataclass(frozen=True)
class Quality:
    """As stored: `parts` are the four figures and what is `missing`."""

    score: int
    parts: dict[str, Any]


@dataclass(frozen=True)
class Advice:
    """What would raise the score most: `missing` things to add, or else a verification.
    `points` is nearly what it adds: figures are stored without decimals."""

    points: int
    missing: tuple[str, ...] = ()


def quality_of(item: ContentItem, today: date) -> Quality:
    return quality(facts_of(item, today))


def quality(facts: Facts) -> Quality:
    figures = {
        "freshness": max(0.0, freshness(facts.age) - cadence_penalty(facts.due_in)),
        "completeness": 100.0 * (len(CHECKLIST) - len(facts.missing)) / len(CHECKLIST),
        "verification": float(_verification(facts)),
        "use": use(facts.citations, facts.reads),
    }
    score = round(sum(POINTS[name] / 100 * figures[name] for name in POINTS))
    parts: dict[str, Any] = {name: round(figures[name]) for name in POINTS}
    return Quality(score, parts | {"missing": list(facts.missing)})


def freshness(age: int) -> float:
    """Before the cadence penalty."""
    if age <= FRESH_DAYS:
        return 100.0
    return max(0.0, 100.0 * (SPENT_DAYS - age) / (SPENT_DAYS - FRESH_DAYS))


def cadence_penalty(due_in: int | None) -> float:
    """For a review due in so many days, negative when late."""
    if due_in is None or due_in > WARNING_DAYS:
        return 0.0
    if due_in > 0:
        return float(WARNING_MOST) * (WARNING_DAYS - due_in) / (WARNING_DAYS - 1)
    if due_in >= -LATE_DAYS:
        return float(LATE)
    return float(LATER if due_in >= -LATER_DAYS else LATEST)


def _verification(facts: Facts) -> int:
    if facts.verified_age is not None and facts.verified_age <= facts.holds:
        return VERIFIED
    if facts.reviewed_age is not None and facts.reviewed_age <= facts.holds:
        return REVIEWED
    return BY_STATE[facts.state]


def use(citations: int, reads: int) -> float:
    total = min(CITATION_READS * citations + reads, USE_MOST)
    return 100.0 * (1 - exp(-float(total) / USE_SCALE))


def facts_of(item: ContentItem, today: date) -> Facts:
    changed = _age(item.content_changed_at, today)
    reviewed = _age(item.reviewed_at, today) if item.reviewed_at else None
    due = item.next_review_date
    since = start_of(today - timedelta(days=READING_DAYS))
    return Facts(
        age=changed if reviewed is None else min(changed, reviewed),
        due_in=(due - today).days if due else None,
        verified_age=_age(item.verified_at, today) if item.verified_at else None,
        reviewed_age=reviewed,
        holds=cadence_days(item) or HOLDS_DAYS,
        state=ReviewStatus(item.governance_review_status),
        missing=_missing(item),
        citations=item.citations.count(),
        reads=item.read_marks.filter(last_read_at__gte=since).count(),
    )


def _age(moment: datetime, today: date) -> int:
    return (today - moment.astimezone(UTC).date()).days


def _missing(item: ContentItem) -> tuple[str, ...]:
    """An item without an owner or a cadence of its own has those of its domain."""
    domain = item.primary_domain
    indexed = ItemIndex.objects.filter(item=item.pk, embedding__isnull=False)
    present = {
        "summary": item.summary,
        "keywords": item.ai_keywords,
        "domain": domain and item.subtopic,
        "owner": item.owner_id
        or item.owner_group_id
        or (domain and (domain.owner_id or domain.owner_group_id)),
        "cadence": item.cadence != CadenceKind.INHERIT or cadence_days(item),
        "words": item.has_enough_words,
        "embedding": indexed.exists(),
    }
    return tuple(name for name in CHECKLIST if not present[name])


def advice(stored: dict[str, Any]) -> Advice | None:
    """From the stored parts; None where care can add nothing. Vectors come by
    themselves, and use is not in anybody's hand."""
    if not stored:
        return None
    missing = [name for name in _listed(stored) if name != "embedding"]
    adding = POINTS["completeness"] * len(missing) / len(CHECKLIST)
    verifying = sum(
        POINTS[name] * (100 - stored.get(name, 0)) / 100
        for name in ("freshness", "verification")
    )
    if round(max(adding, verifying)) < 1:
        return None
    if adding >= verifying:
        return Advice(round(adding), tuple(CHECKLIST[name] for name in missing))
    return Advice(round(verifying))


def _listed(stored: dict[str, Any]) -> Sequence[str]:
    return [name for name in CHECKLIST if name in stored.get("missing", ())]
