"""The address is the whole state of the page."""

import pytest
from django.http import QueryDict

from browse.cursor import Cursor
from browse.state import BrowseState, url_without
from core.errors import BadInput
from kb.filters import ItemFilters

FULL = (
    "q=backup&content_type=policy&domain=People&domain=Commercial&quality_min=70"
    "&sort=title&order=desc&mode=keyword&from_bid=7"
)


def state(query: str) -> BrowseState:
    return BrowseState.read(QueryDict(query))


def test_an_address_reads_and_writes_back_the_same() -> None:
    assert state(FULL).url() == f"/browse?{FULL}"


def test_defaults_stay_out_of_the_address() -> None:
    assert state("sort=updated&order=desc&include_qa=true&pages=1").url() == "/browse"


def test_the_sort_menu_says_sort_and_order_in_one_value() -> None:
    assert state("sort=title-desc").url() == "/browse?sort=title&order=desc"


def test_a_change_begins_at_the_first_page_again() -> None:
    assert (
        state("cursor=abc&pages=3&offset=20").url(sort="title") == "/browse?sort=title"
    )


def test_clearing_filters_keeps_words_and_bid() -> None:
    cleared = state("q=backup&domain=People&from_bid=7").url(filters=ItemFilters())
    assert cleared == "/browse?q=backup&from_bid=7"


def test_leaving_the_search_keeps_the_filters() -> None:
    left = state("q=backup&domain=People&mode=keyword").url(q="", mode="")
    assert left == "/browse?domain=People"


def test_names_that_are_no_filter_are_left_alone() -> None:
    assert state("utm_source=mail&domain=People").url() == "/browse?domain=People"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("sort=best", "sort"),
        ("order=up", "order"),
        ("sort=title-up", "sort"),
        ("mode=psychic", "mode"),
        ("review=aproved", "review"),
        ("quality_min=high", "quality_min"),
        ("offset=-1", "offset"),
        ("pages=99", "pages"),
        ("from_bid=x", "from_bid"),
        ("from_bid=99999999999999999999999", "from_bid"),
        ("date_from=2026-02-31", "date_from"),
    ],
)
def test_a_wrong_value_is_refused_by_name(query: str, field: str) -> None:
    with pytest.raises(BadInput) as refused:
        state(query)
    assert refused.value.field == field


def test_one_parameter_is_cleared_and_the_rest_stays() -> None:
    query = QueryDict("q=a&review=nix&utm_source=mail&cursor=zzz")
    assert url_without(query, "review") == "/browse?q=a&utm_source=mail"


@pytest.mark.parametrize("text", ["", "x", "a:b", "\x00", "é" * 50])
def test_a_cursor_that_is_not_ours_is_refused(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        Cursor.read(text, "title")
    assert refused.value.field == "cursor"
