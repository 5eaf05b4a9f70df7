"""What the page of one entity shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from itertools import chain
from typing import Any

from django.utils.safestring import SafeString

from accounts.viewer import Viewer
from core import markdown
from core.errors import NotFound
from operational.enums import EntityType
from operational.models import Entity
from operational.pages import graph, words
from operational.pages.details import (
    FailureFacts,
    PathwayFacts,
    PatternFacts,
    failure_facts,
    failure_of,
    pathway_facts,
    pattern_facts,
)
from operational.pages.graph import Drawing
from operational.pages.relations import MOST, Neighbour, by_verb, neighbours

_CHANGES = 12
_KINDS = {"+": "Recorded", "~": "Changed", "-": "Removed"}


@dataclass(frozen=True)
class Change:
    at: datetime
    who: str
    what: str


@dataclass(frozen=True)
class EntityPage:
    entity: Entity
    viewer: Viewer | None
    failure: FailureFacts | None
    pattern: PatternFacts | None
    pathway: PathwayFacts | None
    neighbours: Sequence[Neighbour]
    changes: Sequence[Change]

    @property
    def can_edit(self) -> bool:
        return self.viewer is not None and self.viewer.can_edit

    @property
    def type_label(self) -> str:
        return EntityType(self.entity.type).label

    @property
    def plural(self) -> str:
        return words.PLURALS[EntityType(self.entity.type)]

    @property
    def icon(self) -> str:
        return words.ICONS[self.entity.type]

    @property
    def source_url(self) -> str:
        source = self.entity.source
        return source if source.startswith(("https://", "http://")) else ""

    @cached_property
    def body(self) -> SafeString:
        return markdown.render(self.entity.body)

    @property
    def relations(self) -> list[tuple[str, list[Neighbour]]]:
        return by_verb(self.neighbours)

    @property
    def graphs(self) -> list[Drawing]:
        if not self.neighbours:
            return []
        return [
            graph.wide(self.entity, self.neighbours),
            graph.narrow(self.entity, self.neighbours),
        ]

    @property
    def is_cut(self) -> bool:
        """Whether of one kind there may be more than are read."""
        return any(len(rows) >= MOST for _, rows in self.relations)

    @property
    def not_drawn(self) -> int:
        return max(0, len(self.neighbours) - graph.MOST)


def find(type_: str, slug: str, viewer: Viewer | None) -> Entity:
    """Raises `NotFound` alike for what does not exist and what `viewer` may not see.
    Any case will do: people type addresses."""
    found = Entity.objects.visible_to(viewer).filter(type=type_)
    entity = found.filter(slug=slug).first() or found.filter(slug__iexact=slug).first()
    if entity is None:
        raise NotFound("Operational memory has nothing under this address.")
    return entity


def entity_page(entity: Entity, viewer: Viewer | None, today: date) -> EntityPage:
    failure = pattern = pathway = None
    if entity.type == EntityType.FAILURE and hasattr(entity, "failure"):
        failure = failure_facts(failure_of(entity.pk), viewer, today)
    elif entity.type == EntityType.PATTERN and hasattr(entity, "pattern"):
        pattern = pattern_facts(entity.pattern, viewer)
    elif entity.type == EntityType.PATHWAY and hasattr(entity, "pathway"):
        pathway = pathway_facts(entity.pathway, viewer)
    return EntityPage(
        entity=entity,
        viewer=viewer,
        failure=failure,
        pattern=pattern,
        pathway=pathway,
        neighbours=neighbours(entity, viewer),
        # Who changed what is for the people of the hub.
        changes=_changes(entity, failure) if viewer else (),
    )


def _changes(entity: Entity, failure: FailureFacts | None) -> list[Change]:
    """Of the entity and its details, the newest first."""
    models: list[Any] = [entity, failure.failure] if failure else [entity]
    rows = chain.from_iterable(
        each.history.select_related("history_user")[:_CHANGES] for each in models
    )
    newest = sorted(rows, key=lambda row: row.history_date, reverse=True)
    changes = [
        Change(
            row.history_date,
            row.history_user.display_name() if row.history_user else "Knowledge Hub",
            row.history_change_reason or _KINDS[row.history_type],
        )
        for row in newest
    ]
    # An entity and its details are written together, and told once.
    kept: dict[tuple[datetime, str, str], Change] = {}
    for each in changes:
        at = each.at.replace(microsecond=0)
        kept.setdefault((at, each.who, each.what), each)
    return list(kept.values())[:_CHANGES]
