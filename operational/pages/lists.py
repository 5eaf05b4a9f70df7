"""Lists: what happened lately, pattern families, all entities of a type."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Count, F, Q

from accounts.viewer import Viewer
from core.errors import BadInput
from core.text import clean
from operational.domain import misses
from operational.enums import EntityType, FixState, Severity
from operational.models import Entity, Failure
from operational.pages import words
from operational.pages.package import Link, Start
from operational.querysets import EntityQuerySet

PER_PAGE = 50
_LATELY, _FAMILIES = 5, 8
_PARAMETERS = ("tag", "severity", "fix", "page")


@dataclass(frozen=True)
class Filters:
    """What a list is narrowed to; failures alone have a severity and a fix."""

    tag: str = ""
    severity: str = ""
    fix: str = ""

    @classmethod
    def of(cls, type_: EntityType, params: Mapping[str, str]) -> "Filters":
        for name in params:
            if name not in _PARAMETERS:
                raise BadInput.unknown("parameter", name, _PARAMETERS)
        found = cls(*(clean(params.get(name, "")).strip() for name in _PARAMETERS[:3]))
        _known("severity", found.severity, Severity.values)
        _known("fix", found.fix, FixState.values)
        if type_ != EntityType.FAILURE and (found.severity or found.fix):
            raise BadInput("Only failures have a severity and a fix.", field="severity")
        return found

    def applied(self, entities: EntityQuerySet) -> EntityQuerySet:
        if self.tag:
            entities = entities.filter(tags__contains=[self.tag])
        if self.severity:
            entities = entities.filter(failure__severity=self.severity)
        if self.fix:
            entities = entities.filter(failure__fix_state=self.fix)
        return entities

    def query(self, **changed: str) -> str:
        values = {"tag": self.tag, "severity": self.severity, "fix": self.fix} | changed
        kept = urlencode({name: value for name, value in values.items() if value})
        return f"?{kept}" if kept else ""


@dataclass(frozen=True)
class Row:
    entity: Entity
    note: str

    @property
    def failure(self) -> Failure | None:
        return getattr(self.entity, "failure", None)

    @property
    def severity(self) -> tuple[str, str]:
        failure = self.failure
        return words.SEVERITY[Severity(failure.severity)] if failure else ("", "")


@dataclass(frozen=True)
class Listing:
    type: EntityType
    filters: Filters
    rows: Sequence[Row]
    total: int
    page: int
    pages: int

    @property
    def path(self) -> str:
        return f"/operational/{self.type}"

    @property
    def plural(self) -> str:
        return words.PLURALS[self.type]

    @property
    def icon(self) -> str:
        return words.ICONS[self.type]

    @property
    def is_failures(self) -> bool:
        return self.type == EntityType.FAILURE

    @property
    def types(self) -> list[tuple[str, str]]:
        return [(each.value, words.PLURALS[each]) for each in EntityType]

    @property
    def severities(self) -> list[tuple[str, str]]:
        return list(Severity.choices)

    @property
    def fixes(self) -> list[tuple[str, str]]:
        return list(FixState.choices)

    @property
    def older_url(self) -> str:
        return self._at(self.page + 1) if self.page < self.pages else ""

    @property
    def newer_url(self) -> str:
        return self._at(self.page - 1) if self.page > 1 else ""

    def _at(self, page: int) -> str:
        number = str(page) if page > 1 else ""
        return f"{self.path}{self.filters.query(page=number)}"


def listing(
    type_: EntityType, params: Mapping[str, str], viewer: Viewer | None
) -> Listing:
    """Failures by when they last happened, everything else by title."""
    filters = Filters.of(type_, params)
    found = filters.applied(Entity.objects.visible_to(viewer).filter(type=type_))
    if type_ == EntityType.FAILURE:
        last = F("failure__last_occurrence").desc(nulls_last=True)
        found = found.select_related("failure").order_by(last, "title", "pk")
    else:
        found = found.order_by("title", "pk")
    pages = Paginator(found.defer("body"), PER_PAGE)
    number = _number(params.get("page", ""), pages.num_pages)
    shown = pages.page(number)
    return Listing(
        type=type_,
        filters=filters,
        rows=[Row(entity, _note(entity)) for entity in shown.object_list],
        total=pages.count,
        page=number,
        pages=pages.num_pages,
    )


def start(viewer: Viewer | None) -> Start:
    seen = Entity.objects.visible_to(viewer)
    return Start(
        lately=_lately(seen),
        patterns=_families(seen, viewer),
        counts=_counts(seen),
        waiting=(
            misses.waiting(viewer).count() if viewer and viewer.can_edit else None
        ),
    )


def _lately(seen: EntityQuerySet) -> list[Link]:
    rows = Failure.objects.filter(
        entity__in=seen, last_occurrence__isnull=False
    ).select_related("entity")
    return [
        Link(
            row.entity.title,
            row.entity.href,
            words.happened(row.instance_count, row.last_occurrence),
        )
        for row in rows.order_by("-last_occurrence", "entity__title")[:_LATELY]
    ]


def _families(seen: EntityQuerySet, viewer: Viewer | None) -> list[Link]:
    member = Q(failures__entity__archived_at=None)
    if viewer is None:
        member &= Q(failures__entity__is_public=True)
    found = seen.filter(type=EntityType.PATTERN).annotate(
        members=Count("failures", filter=member)
    )
    rows = found.order_by("-members", "title").values_list("title", "slug", "members")
    return [
        Link(title, f"/operational/pattern/{slug}", words.failures(count))
        for title, slug, count in rows[:_FAMILIES]
    ]


def _counts(seen: EntityQuerySet) -> list[Link]:
    rows = seen.order_by().values_list("type").annotate(count=Count("pk"))
    counts = dict(rows)
    return [
        Link(words.PLURALS[each], f"/operational/{each}", f"{counts[each]:,}")
        for each in EntityType
        if counts.get(each)
    ]


def _note(entity: Entity) -> str:
    failure = getattr(entity, "failure", None)
    if failure is None:
        return ""
    return words.happened(failure.instance_count, failure.last_occurrence)


def _known(field: str, value: str, known: Sequence[str]) -> None:
    if value and value not in known:
        raise BadInput.unknown(field, value, known)


def _number(text: str, last: int) -> int:
    if not text:
        return 1
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:9]) <= last:
        raise BadInput(f"There is no page {text[:20]}.", field="page")
    return int(text)
