"""The bar of presets above the library: which is on, which was changed since."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from accounts.viewer import Viewer
from browse.presets import Preset, matching, presets
from browse.state import BrowseState


@dataclass(frozen=True)
class Entry:
    """`url` applies the preset, or takes the filters off where it is on. `changed`:
    the filters came from it and are others now."""

    preset: Preset
    url: str
    on: bool
    changed: bool


@dataclass(frozen=True)
class PresetBar:
    """`save_url` is empty where there is nothing to keep; `update_url` where the
    preset that was changed is not the viewer's."""

    built_in: Sequence[Entry]
    own: Sequence[Entry]
    save_url: str
    update_url: str
    updates: str
    manage_url: str


def preset_bar(state: BrowseState, viewer: Viewer) -> PresetBar:
    found = presets(viewer)
    # The one that was chosen goes first: another may keep the same filters.
    ordered = sorted(found, key=lambda each: each.id != state.preset)
    on = matching(ordered, state.filters)
    base = next((each for each in found if each.id == state.preset), None)
    changed = base if base and state.filters and on is None else None
    entries = [
        Entry(
            each,
            state.cleared().url() if each is on else apply_url(each, state),
            each is on,
            each is changed,
        )
        for each in found
    ]
    mine = changed if changed and changed.mine else None
    query = urlencode(state.but().to_params(), doseq=True)
    update = reverse("browse:preset-update", args=[mine.id]) if mine else ""
    return PresetBar(
        built_in=[each for each in entries if each.preset.built_in],
        own=[each for each in entries if not each.preset.built_in],
        save_url=f"{reverse('browse:preset-new')}?{query}"
        if state.filters and on is None
        else "",
        update_url=f"{update}?{query}" if update else "",
        updates=mine.name if mine else "",
        manage_url=reverse("browse:presets"),
    )


def apply_url(preset: Preset, state: BrowseState | None = None) -> str:
    """The preset's filters instead of those of `state`; words, bid and order stay,
    unless the preset keeps an order. A value that is gone is named by the page."""
    state = (state or BrowseState()).cleared()
    params = state.to_params() | preset.values() | {"preset": [preset.id]}
    if preset.sort:
        params |= {"sort": [preset.sort], "order": []}
    query = urlencode(params, doseq=True)
    return f"{reverse('browse:browse')}?{query}"
