"""`find`: search of items or sections, each hit with what says whether to trust it."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from accounts.assistants import Answer, Caller, Schema, Tool
from core.errors import BadInput
from kb.enums import ContentType, ReviewStatus
from kb.filters import ItemFilters
from search import limits, log
from search.enums import Source
from search.mcp import facts, text
from search.mcp.schema import FIND_INPUT, FIND_OUTPUT
from search.sections import DEFAULT_LIMIT, SectionQuery, search_sections
from search.service import search
from search.types import SearchQuery

_NOT_OVERDUE = (ReviewStatus.IN_REVIEW.value, ReviewStatus.APPROVED.value)


def find(caller: Caller, given: Schema) -> Answer:
    if not given.get("query") and not given.get("similar_to"):
        raise BadInput("Give a query, or the id of an item as similar_to.")
    if "content_item_id" in given:
        given = {"granularity": "chunk"} | given
    if given.get("granularity") == "chunk":
        return _sections(caller, given)
    return _items(caller, given)


def _items(caller: Caller, given: Schema) -> Answer:
    if "content_item_id" in given:
        raise BadInput("content_item_id looks inside one item: use granularity chunk.")
    query = SearchQuery.of(
        given.get("query"),
        filters=_filters(given, _review(given)),
        limit=given.get("limit", DEFAULT_LIMIT),
        offset=given.get("offset"),
        similar_to=given.get("similar_to"),
    )
    limits.spend_search(query, caller.viewer)
    results = search(query, caller.viewer)
    log.record(log.Entry.of(results), Source.MCP, caller.viewer)
    hits = [facts.of_hit(each, caller) for each in results.hits]
    about = "like that item" if query.similar_to and not query.text else "items"
    found = text.Found(
        what=about,
        asked=query.text,
        offset=query.offset,
        total=results.total,
        total_is_exact=results.total_is_exact,
        weak=results.weak,
    )
    return _answer(given, hits, found)


def _sections(caller: Caller, given: Schema) -> Answer:
    if "similar_to" in given:
        raise BadInput("similar_to compares whole items: leave granularity out.")
    body = _filters(given, {}).to_params() | {
        name: given.get(name)
        for name in (
            "query",
            "content_item_id",
            "overdue_review",
            "review_due_within_days",
        )
    }
    asked = SectionQuery.of({**body, "limit": given.get("limit", DEFAULT_LIMIT)})
    # One more than shown tells whether there are more.
    query = replace(asked, limit=asked.limit + 1, offset=given.get("offset", 0))
    limits.spend_search(query, caller.viewer)
    started = time.perf_counter()
    found = search_sections(query, caller.viewer)
    took = (time.perf_counter() - started) * 1000
    shown = found[: asked.limit]
    entry = replace(log.Entry.of_sections(query, shown, took), offset=query.offset)
    log.record(entry, Source.MCP, caller.viewer)
    hits = [facts.of_section(each, caller) for each in shown]
    return _answer(
        given,
        hits,
        text.Found(
            what="sections",
            asked=query.text,
            offset=query.offset,
            total=query.offset + len(found),
            total_is_exact=len(found) <= asked.limit,
        ),
    )


def _answer(given: Schema, hits: Sequence[Schema], found: text.Found) -> Answer:
    return Answer(
        text.of_hits(hits, found),
        {
            "query": given.get("query"),
            "count": len(hits),
            "content_item_id": given.get("content_item_id"),
            "overdue_review_filter": given.get("overdue_review"),
            "review_due_within_days_filter": given.get("review_due_within_days"),
            "results": list(hits),
        },
    )


def _filters(given: Schema, review: dict[str, Any]) -> ItemFilters:
    kind = given.get("type", "all")
    kind = ContentType.QA_PAIR.value if kind == "qa" else kind
    types = [] if kind == "all" else [kind]
    return ItemFilters.from_params(
        {"content_type": types, **given.get("scope", {}), **review}
    )


def _review(given: Schema) -> dict[str, Any]:
    """The review filters as the filters of items."""
    overdue = given.get("overdue_review")
    states = {True: (ReviewStatus.REVIEW_OVERDUE.value,), False: _NOT_OVERDUE, None: ()}
    due = given.get("review_due_within_days")
    return {"review": states[overdue], "due_within": due}


FIND = Tool(
    name="find",
    title="Find in the library",
    description=(
        "Search the organisation's governed library (articles, Q&A pairs, policies, "
        "case studies, products, biographies, templates) by meaning and by words. Use "
        "it first for any question about the organisation, its answers or its "
        "documents. Each result tells its review state, who verified it and when, "
        "quality and address: prefer approved and verified ones and cite the address. "
        "granularity chunk returns the passages that answer; get_item reads one item "
        "whole. For errors, incidents and fixes use operational_search."
    ),
    input_schema=FIND_INPUT,
    output_schema=FIND_OUTPUT,
    run=find,
    failed="Chunk search failed: {reason}. Try simplifying your query.",
)
