"""A failure's confidence score: how well it is documented, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from operational.enums import EntityType, FixState, RelationKind
from operational.models import Failure, Relationship


class Part(NamedTuple):
    label: str
    points: int
    met: bool


@dataclass(frozen=True)
class Documented:
    """What the score is computed from."""

    instances: int
    verified_fix: bool
    playbook: bool
    evidence: bool
    prevention: bool
    pattern: bool


def explain(facts: Documented) -> list[Part]:
    return [
        Part("Two or more instances", 30, facts.instances >= 2),
        Part("A verified fix", 25, facts.verified_fix),
        Part("A playbook that resolves it", 15, facts.playbook),
        Part("Evidence", 10, facts.evidence),
        Part("Prevention steps", 10, facts.prevention),
        Part("Part of a pattern", 10, facts.pattern),
    ]


def score(facts: Documented) -> int:
    return sum(part.points for part in explain(facts) if part.met)


def documented(failure: Failure, *, playbook: bool) -> Documented:
    verified = failure.fix_state == FixState.VERIFIED
    return Documented(
        instances=failure.instance_count,
        verified_fix=verified and bool(failure.verified_fix.strip()),
        playbook=playbook,
        evidence=bool(failure.evidence),
        prevention=bool(failure.prevention_steps),
        pattern=failure.pattern_id is not None,
    )


PLAYBOOK = Exists(
    Relationship.objects.filter(
        target=OuterRef("pk"),
        kind=RelationKind.RESOLVES,
        source__type=EntityType.PLAYBOOK,
        source__archived_at=None,
    )
)


def recompute(failure_ids: Iterable[int]) -> list[int]:
    """Store the scores that changed; returns whose they are."""
    changed = []
    found = Failure.objects.filter(pk__in=set(failure_ids)).annotate(playbook=PLAYBOOK)
    for failure in found:
        fresh = score(documented(failure, playbook=failure.playbook))
        if fresh != failure.confidence_score:
            failure.confidence_score = fresh
            changed.append(failure)
    Failure.objects.bulk_update(changed, ["confidence_score"], batch_size=500)
    return [failure.pk for failure in changed]
