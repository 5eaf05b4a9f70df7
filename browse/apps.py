from django.apps import AppConfig

from core.registry import NavEntry, add_nav


class BrowseConfig(AppConfig):
    name = "browse"

    def ready(self) -> None:
        from browse import checks  # noqa: F401, PLC0415 - registers them

        add_nav(NavEntry(10, "Library", "browse:browse", also=("/items/",)))
        add_nav(NavEntry(30, "Bids", "browse:bids"))
        add_nav(NavEntry(40, "Governance", "browse:governance", visible=_edits))


def _edits(viewer: object) -> bool:
    return bool(getattr(viewer, "can_edit", False))
