"""Who sees which entities: written once, here."""

from typing import TYPE_CHECKING, Self

from django.db.models import QuerySet

from accounts.viewer import Viewer

if TYPE_CHECKING:
    # Named in the class's base.
    from operational.models import Entity  # noqa: F401


class EntityQuerySet(QuerySet["Entity"]):
    def live(self) -> Self:
        return self.filter(archived_at=None)

    def visible_to(self, viewer: Viewer | None) -> Self:
        """`viewer` None is anybody at a hub that is configured public."""
        found = self.live()
        return found if viewer else found.filter(is_public=True)
