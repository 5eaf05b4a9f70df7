"""What "Manage presets" lists: each with what it keeps and how many items that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.db.models import Count

from accounts.viewer import Viewer
from browse.panel import chips
from browse.preset_bar import apply_url
from browse.presets import Preset, followed, presets
from browse.state import BrowseState
from core.errors import BadInput
from kb.models import ContentItem
from kb.querysets import conditions


@dataclass(frozen=True)
class Line:
    """`keeps` is its filters in words; `items` None where one of them is gone."""

    preset: Preset
    url: str
    keeps: str
    items: int | None
    followed: bool


@dataclass(frozen=True)
class PresetList:
    own: Sequence[Line]
    shared: Sequence[Line]
    built_in: Sequence[Line]


def preset_list(viewer: Viewer, today: date, here: BrowseState) -> PresetList:
    """Three queries, however many presets. `here` is the page they are applied to."""
    found = presets(viewer)
    counts = _counts(found, viewer, today)
    following = followed(viewer)
    lines = [
        Line(
            each,
            apply_url(each, here),
            _keeps(each),
            counts.get(each.id),
            each.id in following,
        )
        for each in found
    ]
    return PresetList(
        own=[each for each in lines if each.preset.mine],
        shared=[
            each for each in lines if not each.preset.mine and not each.preset.built_in
        ],
        built_in=[each for each in lines if each.preset.built_in],
    )


def _counts(found: Sequence[Preset], viewer: Viewer, today: date) -> dict[str, int]:
    wanted = {}
    for each in found:
        try:
            condition = conditions(each.filters(), viewer, today)
        except BadInput:
            continue
        wanted[each.id] = Count("pk", filter=condition)
    names = {preset_id.replace("-", "_"): preset_id for preset_id in wanted}
    items = ContentItem.objects.visible_to(viewer).live().order_by()
    counted = items.aggregate(
        **{name: wanted[preset_id] for name, preset_id in names.items()}
    )
    return {names[name]: count for name, count in counted.items()}


def _keeps(preset: Preset) -> str:
    try:
        state = BrowseState(filters=preset.filters())
    except BadInput as error:
        return error.message
    return " · ".join(f"{chip.name}: {chip.label}" for chip in chips(state))
