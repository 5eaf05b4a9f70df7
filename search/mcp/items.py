"""`get_item`, and the pair `search` and `fetch` that some clients look for."""

from accounts.assistants import Answer, Caller, Document, Schema, Tool
from core.errors import BadInput
from kb.domain.links import follow_links
from kb.domain.reading import readable
from kb.domain.supersession import current_of
from search import limits, log
from search.enums import Source
from search.mcp import facts, schema, text
from search.service import search
from search.timeouts import QUICK_MS, search_transaction
from search.types import SearchQuery, item_id

_RESULTS = 10


def get_item(caller: Caller, given: Schema) -> Answer:
    data = _whole(caller, given["id"])
    return Answer(_markdown(data), data)


def search_items(caller: Caller, given: Schema) -> Answer:
    query = SearchQuery.of(given["query"], limit=_RESULTS)
    limits.spend_search(query, caller.viewer)
    results = search(query, caller.viewer)
    log.record(log.Entry.of(results), Source.MCP, caller.viewer)
    found = [facts.of_item(hit.item, caller) for hit in results.hits]
    names = ("id", "title", "url")
    return Answer.of_json(
        {"results": [{name: each[name] for name in names} for each in found]}
    )


def fetch(caller: Caller, given: Schema) -> Answer:
    data = _whole(caller, given["id"])
    told = (
        "content_type",
        "primary_domain",
        "review_status",
        "verified_at",
        "verified_by",
        "next_review_date",
        "quality_score",
        "superseded_by",
        "content_changed_at",
    )
    return Answer.of_json(
        {
            "id": data["id"],
            "title": data["title"],
            "text": _markdown(data),
            "url": data["url"],
            "metadata": {name: str(data[name]) for name in told if data[name]},
        }
    )


def read(caller: Caller, name: str) -> str:
    return _markdown(_whole(caller, name))


def _whole(caller: Caller, name: str) -> Schema:
    wanted = item_id("id", name)
    if wanted is None:
        raise BadInput("id must be an item's id.", field="id")
    with search_transaction(QUICK_MS):
        item = readable(caller.viewer, wanted)
        # Replaced items lead to the one in use now, however long the chain.
        current = current_of(caller.viewer, wanted) if item.superseded_by_id else None
        content = follow_links(item.content, caller.viewer)
    told = facts.of_item(item, caller)
    # One that the caller may not see is neither named nor to be used instead.
    told["superseded_by"] = str(current.id) if current else None
    return told | {
        "superseded_reason": current.reason if current else None,
        "summary": item.summary,
        "author": item.author_name,
        "keywords": list(item.ai_keywords),
        "archived": item.archived_at is not None,
        "content": content,
    }


def _markdown(item: Schema) -> str:
    lines = [f"# {text.link(item)}", text.facts(item)]
    if item["archived"]:
        lines[1] += " · ARCHIVED"
    for label, value in (
        ("Author", item["author"]),
        ("Keywords", ", ".join(item["keywords"])),
        ("Summary", item["summary"]),
        ("Replaced because", item["superseded_reason"]),
    ):
        if value:
            lines.append(f"- {label}: {value}")
    return "\n".join([*lines, "", item["content"]])


GET_ITEM = Tool(
    name="get_item",
    title="Read one item",
    description=(
        "One item of the library whole, as Markdown, with its review state, verifier, "
        "dates and address. Takes the id of a result of find. Use it before you quote "
        "or rely on an item."
    ),
    input_schema=schema.ITEM_INPUT,
    output_schema=schema.ITEM_OUTPUT,
    run=get_item,
)

SEARCH = Tool(
    name="search",
    title="Search (connector form)",
    description=(
        "The ten best items for a query, as id, title and url alone, for clients that "
        "work with search and fetch. find tells more and has filters."
    ),
    input_schema=schema.SEARCH_INPUT,
    output_schema=schema.SEARCH_OUTPUT,
    run=search_items,
    failed="Search failed: {reason}. Try simplifying your query.",
)

FETCH = Tool(
    name="fetch",
    title="Fetch (connector form)",
    description="The full text of one result of search, with its metadata.",
    input_schema=schema.FETCH_INPUT,
    output_schema=schema.FETCH_OUTPUT,
    run=fetch,
)

ITEM = Document(
    scheme="kb://item/",
    variables="{id}",
    name="item",
    title="Item of the library",
    description="One item whole, as Markdown, by its id.",
    read=read,
)
