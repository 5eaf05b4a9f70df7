"""What failures, patterns and pathways have of their own, as pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from django.utils.safestring import SafeString

from accounts.viewer import Viewer
from core import markdown
from operational.domain import confidence
from operational.domain.confidence import PLAYBOOK, Part
from operational.enums import EntityType, FixState, Severity
from operational.models import Entity, Failure, Feedback, Pathway, PathwayStep, Pattern
from operational.pages import words
from operational.pipeline.masks import Piece, masked

_OCCURRENCES = 20
_MEMBERS = 50


@dataclass(frozen=True)
class Evidence:
    label: str
    note: str
    url: str


@dataclass(frozen=True)
class FailureFacts:
    """`told` are the latest words of people about the fix, the newest first;
    `playbook` is one that the viewer may see."""

    failure: Failure
    told: Sequence[Feedback]
    good: int
    bad: int
    mine: Feedback | None
    playbook: Entity | None
    has_playbook: bool

    @cached_property
    def fix(self) -> SafeString:
        return markdown.render(self.failure.verified_fix)

    @property
    def fix_heading(self) -> str:
        return words.FIX[FixState(self.failure.fix_state)][0]

    @property
    def fix_icon(self) -> str:
        return words.FIX[FixState(self.failure.fix_state)][1]

    @property
    def fix_note(self) -> str:
        """What is known of the fix, with its n."""
        note = words.FIX[FixState(self.failure.fix_state)][2]
        return ", ".join(filter(None, (words.worked(self.good, self.bad), note)))

    @property
    def verified(self) -> str:
        failure = self.failure
        if failure.fix_state != FixState.VERIFIED or failure.fix_verified_at is None:
            return ""
        by = failure.fix_verified_by
        who = f" by {by.display_name()}" if by else ""
        return f"Verified{who} on {failure.fix_verified_at:%-d %B %Y}."

    @property
    def happened(self) -> str:
        return words.happened(self.failure.instance_count, self.failure.last_occurrence)

    @property
    def severity(self) -> tuple[str, str]:
        return words.SEVERITY[Severity(self.failure.severity)]

    @property
    def parts(self) -> list[Part]:
        """The score and what it is made of."""
        return confidence.explain(
            confidence.documented(self.failure, playbook=self.has_playbook)
        )

    @property
    def symptoms(self) -> list[list[Piece]]:
        return [masked(each.text) for each in self.failure.symptoms.all()]

    @property
    def evidence(self) -> list[Evidence]:
        rows = [row for row in self.failure.evidence if isinstance(row, dict)]
        return [_evidence(row) for row in rows]


def _evidence(row: dict[str, object]) -> Evidence:
    kind, path, note = (str(row.get(key, "")) for key in ("type", "path", "descriptor"))
    linked = path.startswith(("https://", "http://"))
    return Evidence(note or path or kind, f"{kind}: {path}", path if linked else "")


def failure_facts(failure: Failure, viewer: Viewer | None, today: date) -> FailureFacts:
    told = Feedback.objects.filter(failure=failure).select_related("user")
    outcomes = list(told.values_list("worked", flat=True))
    mine = viewer and told.filter(user=viewer.user_id, day=today).first()
    playbooks = Entity.objects.visible_to(viewer).filter(
        type=EntityType.PLAYBOOK,
        outgoing__kind="resolves",
        outgoing__target=failure.pk,
    )
    return FailureFacts(
        failure=failure,
        told=list(told[:_OCCURRENCES]),
        good=sum(outcomes),
        bad=len(outcomes) - sum(outcomes),
        mine=mine or None,
        playbook=playbooks.order_by("title").first(),
        has_playbook=Failure.objects.filter(PLAYBOOK, pk=failure.pk).exists(),
    )


def failure_of(pk: int) -> Failure:
    found = Failure.objects.select_related("entity", "pattern", "fix_verified_by")
    return found.get(pk=pk)


@dataclass(frozen=True)
class Member:
    title: str
    href: str
    happened: str


@dataclass(frozen=True)
class PatternFacts:
    pattern: Pattern
    members: Sequence[Member]
    count: int
    occurrences: int


def pattern_facts(pattern: Pattern, viewer: Viewer | None) -> PatternFacts:
    """Its failures, those that happened most often first."""
    failures = Failure.objects.filter(
        pattern=pattern.entity_id, entity__in=Entity.objects.visible_to(viewer)
    )
    rows = list(
        failures.select_related("entity").order_by("-instance_count", "entity__title")[
            :_MEMBERS
        ]
    )
    counts = list(failures.values_list("instance_count", flat=True))
    return PatternFacts(
        pattern=pattern,
        members=[
            Member(
                row.entity.title,
                row.entity.href,
                words.happened(row.instance_count, row.last_occurrence),
            )
            for row in rows
        ],
        count=len(counts),
        occurrences=sum(counts),
    )


@dataclass(frozen=True)
class PathwayFacts:
    pathway: Pathway
    steps: Sequence[PathwayStep]


def pathway_facts(pathway: Pathway, viewer: Viewer | None) -> PathwayFacts:
    """Steps without the lessons that the viewer may not see."""
    steps = list(pathway.steps.select_related("lesson"))
    for step in steps:
        lesson = step.lesson
        if lesson and (lesson.archived_at or (viewer is None and not lesson.is_public)):
            step.lesson = None
    return PathwayFacts(pathway, steps)
