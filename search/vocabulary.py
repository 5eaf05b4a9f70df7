"""Filter values with an open vocabulary must exist: a wrong one is refused by name."""

from accounts.viewer import Viewer
from core.errors import BadInput
from kb.filters import OPEN_COLUMNS, ItemFilters
from kb.models import ContentItem


def check_values(filters: ItemFilters, viewer: Viewer) -> None:
    """Raise `BadInput` naming close matches among what `viewer` may see."""
    for name, column in OPEN_COLUMNS.items():
        values = getattr(filters, name)
        if values:
            known = {each.casefold(): each for each in known_values(column, viewer)}
            for value in values:
                if value.casefold() not in known:
                    raise BadInput.unknown(name, value, known)


def known_values(column: str, viewer: Viewer) -> list[str]:
    visible = ContentItem.objects.visible_to(viewer).live()
    values = visible.order_by(column).values_list(column, flat=True).distinct()
    return [each for each in values if each]
