"""An entity as somebody states it: what importers read, exporters write and
`operational.domain.storing` stores."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from datetime import date

from operational.enums import EntityType


@dataclass(frozen=True)
class Ref:
    """Another entity, by type and slug."""

    type: EntityType
    slug: str

    def __str__(self) -> str:
        return f"{self.type}:{self.slug}"


@dataclass(frozen=True)
class Evidence:
    type: str
    path: str
    descriptor: str = ""


@dataclass(frozen=True)
class FailureDraft:
    """None where the record says nothing: an import does not take back what was
    decided in the hub since."""

    failure_type: str = ""
    severity: str | None = None
    recovery_complexity: str | None = None
    estimated_resolution: str = ""
    fix: str = ""
    fix_state: str | None = None
    instance_count: int | None = None
    last_occurrence: date | None = None
    pattern: Ref | None = None
    prevention_steps: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    symptoms: tuple[str, ...] = ()


@dataclass(frozen=True)
class PatternDraft:
    keywords: tuple[str, ...] = ()
    prevention_checklist: tuple[str, ...] = ()


@dataclass(frozen=True)
class StepDraft:
    description: str
    lesson: Ref | None = None
    estimated_time: str = ""
    success_criteria: str = ""


@dataclass(frozen=True)
class PointDraft:
    failure: Ref
    likely_at: str = ""
    preventing_pattern: Ref | None = None


@dataclass(frozen=True)
class PathwayDraft:
    estimated_time: str = ""
    steps: tuple[StepDraft, ...] = ()
    failure_points: tuple[PointDraft, ...] = ()


@dataclass(frozen=True)
class RelationDraft:
    kind: str
    target: Ref


@dataclass(frozen=True)
class Draft:
    type: EntityType
    slug: str
    title: str
    summary: str = ""
    body: str = ""
    tags: tuple[str, ...] = ()
    source: str = ""
    is_public: bool = True
    details: FailureDraft | PatternDraft | PathwayDraft | None = None
    relations: tuple[RelationDraft, ...] = field(default=())

    @property
    def ref(self) -> Ref:
        return Ref(self.type, self.slug)

    @property
    def hash(self) -> str:
        """The same for the same statement, whatever file made it."""
        stated = json.dumps(asdict(self), default=str, sort_keys=True)
        return hashlib.sha256(stated.encode()).hexdigest()
