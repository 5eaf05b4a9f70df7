"""What every page's template gets; never touches the database."""

from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from core.registry import nav_entries

THEMES = ("light", "dark")


def page(request: HttpRequest) -> dict[str, Any]:
    theme = request.COOKIES.get("kb-theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "shortcuts": "off" if request.COOKIES.get("kb-shortcuts") == "off" else "",
        "nav": _nav(request),
    }


def _nav(request: HttpRequest) -> list[dict[str, Any]]:
    viewer = getattr(request, "viewer", None)
    if viewer is None:
        return []
    entries = []
    for entry in nav_entries():
        if not entry.visible(viewer):
            continue
        try:
            url = reverse(entry.url_name)
        except NoReverseMatch:
            continue
        below = (f"{url}/", *entry.also)
        current = request.path == url or request.path.startswith(below)
        entries.append({"label": entry.label, "url": url, "current": current})
    return entries
