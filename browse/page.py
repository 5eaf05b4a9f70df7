"""What the browse page shows, in either mode, from the state in its address."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from accounts.viewer import Viewer
from browse.bids import BidBar, bid_bar, bid_of, preview_url, short_name
from browse.cards import Card, cards, results
from browse.cold_start import ColdStart, cold_start
from browse.listing import PAGE, listing
from browse.menus import Entry, columns, sort_menu
from browse.panel import Chip, Panel, among_matches, chips, panel
from browse.preset_bar import PresetBar, preset_bar
from browse.state import MAX_PAGES, BrowseState, with_view
from browse.timeouts import AFTER_FAILURE_MS, page_reads
from core.errors import HubError
from kb.embedding import missing
from kb.embeddings.base import EmbeddingUnavailable
from kb.facets import facets, totals
from kb.models import ContentItem, Workspace
from search.service import Source, record_search, search, spend_search
from search.types import MAX_LIMIT, Mode, SearchQuery, SearchResults

RESULTS = 20
EMBEDDING_FAILED = EmbeddingUnavailable("").message


@dataclass(frozen=True)
class View:
    """How this browser likes its lists, and what its user mostly does."""

    rows: bool = False
    hide_thumbnails: bool = False
    focus: str = ""


@dataclass(frozen=True)
class Found:
    """The list itself. `unread` items no search by meaning can find yet, which is
    counted where little was found. `next_url` is where it goes on; `here_url` is the
    address under which this page, and what was loaded before it, comes back."""

    items: Sequence[Card]
    shown: int
    total: int
    exact: bool
    weak: bool
    keyword: bool
    unread: int
    next_url: str
    here_url: str


@dataclass(frozen=True)
class Page:
    state: BrowseState
    view: View
    found: Found | None
    library: int
    chips: Sequence[Chip]
    panel: Panel
    presets: PresetBar
    cold: ColdStart | None
    bid: Workspace | None
    bid_bar: BidBar | None
    can_edit: bool
    problem: HubError | None = None

    @property
    def bid_name(self) -> str:
        return short_name(self.bid)

    @property
    def unavailable(self) -> str:
        return EMBEDDING_FAILED

    @property
    def announcement(self) -> str:
        """What the live region says after a swap."""
        if self.found is None:
            return self.problem.message if self.problem else ""
        total = self.found.total
        if not total:
            return "No matches"
        if self.state.searching:
            return f"{total} match{'es' if total > 1 else ''} for {self.state.q[:120]}"
        return f"{total} item{'s' if total > 1 else ''}"

    @property
    def caption(self) -> str:
        if self.state.searching:
            return "Matches, best first"
        sort = self.state.sorting
        label = sort.reverse_label if self.state.order else sort.label
        return f"Items: {label.lower()}"

    @property
    def here_url(self) -> str:
        return self.state.url()

    @property
    def cards_url(self) -> str:
        return with_view(self.here_url, "cards")

    @property
    def rows_url(self) -> str:
        return with_view(self.here_url, "rows")

    @property
    def preview_url(self) -> str:
        return preview_url(self.bid)

    @property
    def plain_url(self) -> str:
        """This search or list without filters."""
        return self.state.cleared().url()

    @property
    def leave_url(self) -> str:
        """Out of the search; the filters stay."""
        return self.state.url(q="", mode="")

    @property
    def first_url(self) -> str:
        return self.state.url(pages=1)

    @property
    def keyword_url(self) -> str:
        return self.state.url(mode="keyword")

    @property
    def meaning_url(self) -> str:
        return self.state.url(mode="")

    @property
    def kept_by_search(self) -> list[tuple[str, str]]:
        """What the search bar carries along; the mode is for one search only."""
        return self.state.kept("q", "mode")

    @property
    def ask_url(self) -> str:
        """To put the words to the owners of the library."""
        query = urlencode(self.state.but().to_params(), doseq=True)
        return f"{reverse('browse:question-ask')}?{query}"

    @property
    def is_further(self) -> bool:
        return bool(self.state.cursor or self.state.offset)

    @property
    def sorts(self) -> list[Entry]:
        return sort_menu(self.state)

    @property
    def columns(self) -> list[Entry]:
        return columns(self.state)


@dataclass(frozen=True)
class _Searched:
    """`log_id` is of the line in the log of searches, if one was left."""

    results: SearchResults
    log_id: int | None = None


def page(state: BrowseState, viewer: Viewer, now: datetime, view: View) -> Page:
    """Raises `BadInput`, `RateLimited`, and `Unavailable` when a search cannot look or
    the library is slow."""
    bid = bid_of(state.from_bid)
    searched = None
    if state.searching:
        searched = _search(state, viewer, now, first=True)
    with page_reads():
        return _shell(state, viewer, now, view, bid, searched)


def page_without_list(
    state: BrowseState, viewer: Viewer, now: datetime, view: View, problem: HubError
) -> Page:
    """The page around a search that failed: nothing one entered is lost."""
    bid = bid_of(state.from_bid)
    with page_reads(AFTER_FAILURE_MS):
        return _shell(state, viewer, now, view, bid, None, problem)


def further(
    state: BrowseState, viewer: Viewer, now: datetime
) -> tuple[Found, Workspace | None]:
    """A further page of the list alone."""
    bid = bid_of(state.from_bid)
    if state.searching:
        searched = _search(state, viewer, now, first=False)
        with page_reads():
            return _results(state, viewer, now, bid, searched), bid
    with page_reads():
        total = totals(state.filters, viewer, now.date()).matching
        return _browse(state, viewer, now, bid, total), bid


def _shell(
    state: BrowseState,
    viewer: Viewer,
    now: datetime,
    view: View,
    bid: Workspace | None,
    searched: _Searched | None,
    problem: HubError | None = None,
) -> Page:
    today = now.date()
    values = facets(state.filters, viewer, today)
    counts = totals(state.filters, viewer, today)
    found = None
    if searched is not None:
        found = _results(state, viewer, now, bid, searched)
        values = among_matches(values, searched.results.facets or {})
    elif problem is None:
        found = _browse(state, viewer, now, bid, counts.matching)
    return Page(
        state=state,
        view=view,
        found=found,
        library=counts.library,
        chips=chips(state),
        panel=panel(
            state, values, found.total if found else None, counted=problem is None
        ),
        presets=preset_bar(state, viewer),
        cold=None
        if problem
        else cold_start(state, viewer, view.focus, values, counts.library),
        bid=bid,
        bid_bar=bid_bar(bid, state.url(from_bid=None)),
        can_edit=viewer.can_edit,
        problem=problem,
    )


def _browse(
    state: BrowseState,
    viewer: Viewer,
    now: datetime,
    bid: Workspace | None,
    total: int,
) -> Found:
    found = listing(state, viewer, now.date())
    return Found(
        items=cards(found.items, viewer, now.date(), bid),
        shown=found.shown,
        total=max(total, found.shown),
        exact=True,
        weak=False,
        keyword=False,
        unread=0,
        next_url=state.url(cursor=found.next) if found.next else "",
        here_url=state.url(pages=_pages(found.shown, PAGE)),
    )


def _search(
    state: BrowseState, viewer: Viewer, now: datetime, *, first: bool
) -> _Searched:
    """The `first` page counts the values of the panel and leaves a line in the log;
    one that Back finds longer than it began has left its line already."""
    query = SearchQuery.of(
        state.q,
        filters=state.filters,
        limit=min(RESULTS * state.pages, MAX_LIMIT),
        offset=state.offset,
        mode=state.mode,
        facets=first,
    )
    spend_search(query, viewer)
    answer = search(query, viewer, now)
    begins = first and state.pages == 1
    log_id = record_search(answer, Source.PAGE, viewer) if begins else None
    return _Searched(answer, log_id)


def _results(
    state: BrowseState,
    viewer: Viewer,
    now: datetime,
    bid: Workspace | None,
    searched: _Searched,
) -> Found:
    answer, today = searched.results, now.date()
    shown = state.offset + len(answer.hits)
    return Found(
        items=results(answer.hits, viewer, today, bid, state.offset, searched.log_id),
        shown=shown,
        total=answer.total,
        exact=answer.total_is_exact,
        weak=answer.weak,
        keyword="keyword" in answer.degraded,
        unread=_unread(answer, viewer),
        next_url=_next(state, answer, shown),
        here_url=state.url(pages=min(_pages(shown, RESULTS), MAX_LIMIT // RESULTS)),
    )


def _unread(answer: SearchResults, viewer: Viewer) -> int:
    if answer.mode == Mode.KEYWORD or (answer.hits and not answer.weak):
        return 0
    findable = ContentItem.objects.visible_to(viewer).findable()
    return missing().filter(item__in=findable.order_by()).count()


def _next(state: BrowseState, answer: SearchResults, shown: int) -> str:
    return state.url(offset=shown) if answer.hits and answer.has_more else ""


def _pages(shown: int, size: int) -> int:
    return min(max(1, -(-shown // size)), MAX_PAGES)
