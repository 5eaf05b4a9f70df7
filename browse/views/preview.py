"""`/browse/preview?q=`: the rows under the search bar while one types."""

import json
import re
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from accounts.viewer import Viewer
from browse.access import signed_in
from browse.bids import bid_of
from browse.cards import item_url
from browse.popular import topics
from browse.recents import recents
from browse.state import BrowseState
from core.errors import BadInput
from search.service import PreviewQuery, preview, spend_preview

# So many recent searches are shown; fewer beside a preview.
RECENT, RECENT_TYPED = 5, 2
# The page asks for a preview from this many characters on.
LEAST = 3


@dataclass(frozen=True)
class Row:
    url: str
    title_html: SafeString
    content_type: str
    side: str


@dataclass(frozen=True)
class Recent:
    q: str
    html: SafeString
    url: str


@dataclass(frozen=True)
class Topic:
    label: str
    url: str


@require_safe
@signed_in
def suggestions(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    state = BrowseState.read(request.GET)
    if state.filters:
        # It looks at the whole library, and must not read as if it did not.
        raise BadInput("The preview takes no filters.", field="filter")
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
    kept = recents(viewer, state.q)
    past = kept[: RECENT_TYPED if state.searching else RECENT]
    context = {
        "q": state.q,
        "asked": len(state.q) >= LEAST,
        "matches": rows,
        "total": len(rows),
        "search_url": state.url(),
        "recent": [
            Recent(each, marked(each, state.q), _url(state, each)) for each in past
        ],
        "recents": json.dumps(None if state.searching else kept),
        "topics": []
        if rows
        else [Topic(each, _url(state, each)) for each in topics(viewer)],
        "clear_recents_url": reverse("browse:recents-clear"),
    }
    response = render(request, "components/_suggestions.html", context)
    patch_cache_control(response, private=True, no_store=True)
    return response


def _url(state: BrowseState, words: str) -> str:
    return state.url(q=words, mode="")


def marked(title: str, words: str) -> SafeString:
    """The title with the typed words marked where they stand literally."""
    place = re.search(re.escape(words), title, re.IGNORECASE) if words else None
    if place is None:
        return escape(title)
    before, inside, after = (
        escape(part)
        for part in (title[: place.start()], place.group(), title[place.end() :])
    )
    return mark_safe(f"{before}<mark>{inside}</mark>{after}")  # noqa: S308 escaped above
