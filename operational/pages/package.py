"""What `/operational` shows of an answer: the package, or that nothing is known."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.viewer import Viewer
from operational.domain.recording import as_message
from operational.enums import EntityType
from operational.models import Entity, MissedPaste
from operational.pages import words
from operational.pages.entity import EntityPage, entity_page
from operational.pipeline.lines import telling
from operational.pipeline.masks import Piece, masked
from operational.pipeline.rank import FLOOR
from operational.types import (
    TYPES,
    LessonImpact,
    Match,
    OperationalAnswer,
    OperationalQuery,
)

_LINES = 3  # of a paste that nothing fits
_LINE = 300


@dataclass(frozen=True)
class Row:
    """One of the less likely matches."""

    match: Match

    @property
    def type_label(self) -> str:
        return EntityType(self.match.type).label

    @property
    def icon(self) -> str:
        return words.ICONS[self.match.type]

    @property
    def because(self) -> str:
        return words.because(self.match)

    @property
    def message(self) -> str:
        return self.match.message

    @property
    def sure(self) -> str:
        return words.sure(self.match.confidence)


@dataclass(frozen=True)
class Package:
    """`page` is the matched entity's; `best` the failure whose fix is shown, which for
    a pattern is its best-ranked one."""

    answer: OperationalAnswer
    match: Match
    page: EntityPage
    best: EntityPage | None
    checklist: Sequence[str]
    lesson: LessonImpact | None

    @property
    def sure(self) -> str:
        return words.sure(self.answer.confidence)

    @property
    def scale(self) -> str:
        return words.scale()

    @property
    def why(self) -> str:
        return words.why(self.match)

    @property
    def because(self) -> str:
        return words.because(self.match)

    @property
    def line(self) -> list[Piece]:
        return masked(self.match.line[:_LINE])

    @property
    def message(self) -> list[Piece]:
        return masked(self.match.message)

    @property
    def others(self) -> list[Row]:
        return [Row(each) for each in self.answer.additional]

    @property
    def is_of_best(self) -> bool:
        return self.best is not None and self.best.entity.pk == self.page.entity.pk


@dataclass(frozen=True)
class Nothing:
    """`miss` is what is kept of the paste, for editors."""

    answer: OperationalAnswer
    lines: Sequence[Sequence[Piece]]
    miss: MissedPaste | None
    can_record: bool

    @property
    def floor(self) -> int:
        return FLOOR


@dataclass(frozen=True)
class Memory:
    """The whole page."""

    query: OperationalQuery | None = None
    package: Package | None = None
    nothing: Nothing | None = None
    start: "Start | None" = None
    problem: str = ""
    text: str = ""
    type: str = ""

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(each, words.PLURALS[EntityType(each)]) for each in TYPES]

    @property
    def announced(self) -> str:
        """For the live region."""
        if self.package:
            match = self.package.match
            return f"{match.title}: {match.confidence} of 100, {self.package.sure}"
        return "No match" if self.nothing else ""


@dataclass(frozen=True)
class Link:
    title: str
    href: str
    note: str


@dataclass(frozen=True)
class Start:
    """Before anything is pasted."""

    lately: Sequence[Link]
    patterns: Sequence[Link]
    counts: Sequence[Link]
    waiting: int | None


def package(answer: OperationalAnswer, viewer: Viewer | None) -> Package | None:
    match = answer.matched
    if match is None:
        return None
    found = Entity.objects.visible_to(viewer)
    entity = found.filter(type=match.type, slug=match.slug).first()
    if entity is None:  # archived since
        return None
    page = entity_page(entity, viewer, answer.day)
    debug = answer.debug_context
    return Package(
        answer=answer,
        match=match,
        page=page,
        best=_best(page, debug.failure_slug if debug else "", answer, viewer),
        checklist=debug.prevention_checklist if debug else (),
        lesson=answer.lesson_impact,
    )


def _best(
    page: EntityPage, slug: str, answer: OperationalAnswer, viewer: Viewer | None
) -> EntityPage | None:
    if page.failure is not None:
        return page
    found = Entity.objects.visible_to(viewer)
    failure = found.filter(type=EntityType.FAILURE, slug=slug).first()
    return entity_page(failure, viewer, answer.day) if failure else None


def nothing(
    query: OperationalQuery,
    answer: OperationalAnswer,
    viewer: Viewer | None,
    miss: MissedPaste | None,
) -> Nothing:
    lines = sorted(telling(query.text), key=lambda line: -line.weight)[:_LINES]
    return Nothing(
        answer=answer,
        lines=[masked(as_message(line.text[:_LINE])) for line in lines],
        miss=miss,
        can_record=viewer is not None and viewer.can_edit,
    )
