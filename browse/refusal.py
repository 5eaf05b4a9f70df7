"""An address that cannot be shown as it is: what is wrong with it, in people's words,
and the way on."""

from dataclasses import dataclass

from django.http import QueryDict

from accounts.viewer import Viewer
from browse.panel import FILTER_LABELS
from browse.presets import preset
from browse.state import preset_of, url_without
from core.errors import BadInput, NotFound

_LABELS = FILTER_LABELS | {
    "q": "search",
    "date_from": "first date",
    "date_to": "last date",
    "changed_within": "days since the change",
    "due_within": "days until the review",
    "filter": "filter",
    "sort": "order",
    "order": "order",
    "mode": "way of searching",
    "cursor": "place in the list",
    "offset": "place in the list",
    "pages": "number of pages",
    "from_bid": "bid",
}
# What the services call otherwise than the address does.
_PARAMETERS = {"query": "q"}


@dataclass(frozen=True)
class Refusal:
    """`preset` names the preset that the address came from."""

    message: str
    label: str
    way_on: str
    preset: str


def refused(error: BadInput, query: QueryDict, viewer: Viewer) -> Refusal:
    name = _PARAMETERS.get(error.field or "", error.field or "")
    label = _LABELS.get(name, "")
    message = error.message
    if label and error.field:
        message = message.replace(error.field, label, 1)
    return Refusal(
        message=message[:1].upper() + message[1:],
        label=label,
        way_on=url_without(query, name),
        preset=_preset_named(preset_of(query), viewer),
    )


def _preset_named(preset_id: str, viewer: Viewer) -> str:
    try:
        return preset(viewer, preset_id).name if preset_id else ""
    except NotFound:
        return ""
