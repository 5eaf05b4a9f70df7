"""Presets: filters with a name, five built in and people's own."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import parse_qs, urlencode

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from accounts.viewer import Viewer
from browse.models import NAME_MOST, FilterPreset, PresetFollow
from core.errors import BadInput, NotFound
from core.text import clean
from kb.filters import ItemFilters

# Each is a line of the bar and of "Manage": more would be a list to search in.
MOST = 50


@dataclass(frozen=True)
class Preset:
    """`mine` is whether the viewer may change it; `owner` names whose it is."""

    id: str
    name: str
    params: str
    sort: str = ""
    shared: bool = False
    mine: bool = False
    owner: str = ""

    @property
    def built_in(self) -> bool:
        return self.id.startswith("system-")

    def values(self) -> dict[str, list[str]]:
        return parse_qs(self.params)

    def filters(self) -> ItemFilters:
        """Raises `BadInput` where it names a filter or value that is gone."""
        return ItemFilters.from_params(self.values())


SYSTEM = (
    Preset("system-bid-ready", "Bid-ready", "quality_min=70&verified=true"),
    Preset("system-qa", "Questions and answers", "content_type=qa_pair"),
    Preset("system-won", "Case studies that won", "content_type=case_study&won=true"),
    Preset("system-needs-review", "Due for review", "due_within=30"),
    Preset("system-recent", "New this month", "changed_within=30"),
)


def params_of(filters: ItemFilters) -> str:
    """As a preset keeps them: keys sorted, and the values of each."""
    params = filters.to_params()
    return urlencode(
        [(name, each) for name in sorted(params) for each in sorted(params[name])]
    )


def presets(viewer: Viewer) -> list[Preset]:
    """Built in, then the viewer's own, oldest first, then those that others share."""
    own = _visible(viewer).select_related("owner")
    found = [_preset(each, viewer) for each in own]
    return [*SYSTEM, *sorted(found, key=lambda each: not each.mine)]


def preset(viewer: Viewer, preset_id: str) -> Preset:
    for each in SYSTEM:
        if each.id == preset_id:
            return each
    found = _visible(viewer).select_related("owner").filter(pk=preset_id).first()
    if found is None:
        raise NotFound("This preset does not exist, or is not shared with you.")
    return _preset(found, viewer)


def save(
    viewer: Viewer,
    name: str,
    filters: ItemFilters,
    now: datetime,
    *,
    sort: str = "",
    shared: bool = False,
) -> Preset:
    """Keep `filters` under a name that the viewer has not used yet."""
    if not filters:
        raise BadInput("Choose a filter first: there is nothing to keep.")
    if _own(viewer).count() >= MOST:
        raise BadInput(f"You have {MOST} presets. Delete one first.", field="name")
    made = FilterPreset(
        owner_id=viewer.person(),
        name=_name(name),
        params=params_of(filters),
        sort=sort,
        shared=shared,
        created_at=now,
    )
    _write(made)
    return _preset(made, viewer)


def rename(viewer: Viewer, preset_id: str, name: str) -> Preset:
    found = _mine(viewer, preset_id)
    found.name = _name(name)
    _write(found)
    return _preset(found, viewer)


def replace(
    viewer: Viewer, preset_id: str, filters: ItemFilters, sort: str = ""
) -> Preset:
    """Let a preset keep other filters from now on; its sort only where it kept one."""
    found = _mine(viewer, preset_id)
    if not filters:
        raise BadInput("Choose a filter first: there is nothing to keep.")
    found.params = params_of(filters)
    found.sort = sort if found.sort else ""
    _write(found)
    return _preset(found, viewer)


def share(viewer: Viewer, preset_id: str, *, shared: bool) -> Preset:
    """With the team, or no more; who followed it then gets no mail of it."""
    found = _mine(viewer, preset_id)
    found.shared = shared
    _write(found)
    return _preset(found, viewer)


def delete(viewer: Viewer, preset_id: str, now: datetime) -> Preset:
    found = _mine(viewer, preset_id)
    found.deleted_at = now
    _write(found)
    return _preset(found, viewer)


def restore(viewer: Viewer, preset_id: str) -> Preset:
    """Undo of `delete`."""
    found = FilterPreset.objects.filter(owner=viewer.user_id, pk=preset_id).first()
    if found is None:
        raise NotFound("This preset does not exist any more.")
    found.deleted_at = None
    _write(found)
    return _preset(found, viewer)


def follow(viewer: Viewer, preset_id: str, *, on: bool) -> Preset:
    """Have a weekly mail of what is new or overdue in a preset, or no more."""
    found = preset(viewer, preset_id)
    if on:
        PresetFollow.objects.get_or_create(user_id=viewer.person(), preset=preset_id)
    else:
        PresetFollow.objects.filter(user=viewer.user_id, preset=preset_id).delete()
    return found


def followed(viewer: Viewer) -> frozenset[str]:
    follows = PresetFollow.objects.filter(user=viewer.user_id)
    return frozenset(follows.values_list("preset", flat=True))


def matching(found: Iterable[Preset], filters: ItemFilters) -> Preset | None:
    """The first that keeps exactly `filters`."""
    if not filters:
        return None
    params = params_of(filters)
    return next((each for each in found if each.params == params), None)


def _visible(viewer: Viewer) -> QuerySet[FilterPreset]:
    seen = Q(owner=viewer.user_id) | Q(shared=True, owner__is_active=True)
    return FilterPreset.objects.filter(seen, deleted_at=None)


def _own(viewer: Viewer) -> QuerySet[FilterPreset]:
    return FilterPreset.objects.filter(owner=viewer.user_id, deleted_at=None)


def _mine(viewer: Viewer, preset_id: str) -> FilterPreset:
    """Built-in presets and those of others are nobody's to change."""
    found = _own(viewer).filter(pk=preset_id).first()
    if found is None:
        raise NotFound("You have no preset of this id. Only its owner can change one.")
    return found


def _name(text: str) -> str:
    name = " ".join(clean(text).split())
    if not name:
        raise BadInput("Give it a name.", field="name")
    if len(name) > NAME_MOST:
        raise BadInput(f"At most {NAME_MOST} characters.", field="name")
    if name.casefold() in {each.name.casefold() for each in SYSTEM}:
        raise BadInput("A built-in preset has this name.", field="name")
    return name


def _write(found: FilterPreset) -> None:
    try:
        with transaction.atomic():
            found.save()
    except IntegrityError:
        raise BadInput(
            "You already have a preset with this name. Choose another.", field="name"
        ) from None


def _preset(found: FilterPreset, viewer: Viewer) -> Preset:
    mine = found.owner_id == viewer.user_id
    return Preset(
        found.pk,
        found.name,
        found.params,
        found.sort,
        found.shared,
        mine,
        "" if mine else found.owner.display_name(),
    )
