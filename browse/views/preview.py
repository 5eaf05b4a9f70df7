"""`/browse/preview?q=`: the rows under the search bar while one types."""

import re
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.bids import bid_of
from browse.cards import item_url
from browse.state import BrowseState
from search.service import PreviewQuery, preview, spend_preview

# The page asks for a preview from this many characters on.
LEAST = 3


@dataclass(frozen=True)
class Row:
    url: str
    title_html: SafeString
    content_type: str
    side: str


@require_safe
@signed_in
def suggestions(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    state = BrowseState.read(request.GET)
    rows: list[Row] = []
    if state.searching:
        spend_preview(viewer)
        query = PreviewQuery.of(state.q)
        bid = bid_of(state.from_bid)
        rows = [
            Row(
                url=item_url(row.id, bid),
                title_html=marked(row.title, query.text),
                content_type=row.content_type,
                side=row.primary_domain or "",
            )
            for row in preview(query, viewer)
        ]
    context = {
        "q": state.q,
        "asked": len(state.q) >= LEAST,
        "matches": rows,
        "total": len(rows),
        "search_url": state.url(),
        # Filled when recent searches and popular topics are kept.
        "recent": [],
        "topics": [],
    }
    response = render(request, "components/_suggestions.html", context)
    patch_cache_control(response, private=True, no_store=True)
    return response


def marked(title: str, words: str) -> SafeString:
    """The title with the typed words marked where they stand literally."""
    place = re.search(re.escape(words), title, re.IGNORECASE)
    if place is None:
        return escape(title)
    before, inside, after = (
        escape(part)
        for part in (title[: place.start()], place.group(), title[place.end() :])
    )
    return mark_safe(f"{before}<mark>{inside}</mark>{after}")  # noqa: S308 escaped above
