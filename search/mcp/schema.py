"""Schemas of the library's tools: small, since every conversation carries them."""

from accounts.assistants import Schema, closed
from kb.enums import ContentType, ReviewStatus
from search.sections import MAX_DUE_DAYS, MAX_LIMIT
from search.types import MAX_OFFSET, MAX_QUERY

TEXT: Schema = {"type": "string"}
ID: Schema = {"type": "string", "format": "uuid"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}

# `qa` is what people say; results say `qa_pair`.
TYPES = ("all", "qa", *ContentType.values)

QUERY: Schema = {"type": "string", "maxLength": MAX_QUERY}

FIND_INPUT: Schema = {
    "type": "object",
    "properties": {
        "query": QUERY
        | {
            "description": "What is wanted, in plain words; a rare code or a "
            '"quoted phrase" is matched literally. May be left out with similar_to.'
        },
        "type": {"enum": list(TYPES), "description": "Kind of item. Default: all"},
        "scope": {
            "type": "object",
            "properties": {"domain": TEXT, "layer": TEXT, "source": TEXT},
            "additionalProperties": False,
            "description": "Only items of this domain, layer or source (exact names)",
        },
        "granularity": {
            "enum": ["item", "chunk"],
            "description": "item: whole documents (default). chunk: the sections that "
            "answer, with their text",
        },
        "similar_to": ID | {"description": "Items like the one with this id"},
        "content_item_id": ID
        | {"description": "Only sections of this one item (implies chunk)"},
        "overdue_review": {
            "type": "boolean",
            "description": "true: only what is overdue for review; false: leave it out",
        },
        "review_due_within_days": {
            "type": "integer",
            "minimum": 1,
            "maximum": MAX_DUE_DAYS,
            "description": "Only what has its next review within so many days, or late",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": 10},
        "offset": {
            "type": "integer",
            "minimum": 0,
            "maximum": MAX_OFFSET,
            "default": 0,
        },
    },
    "additionalProperties": False,
}

# What every answer says of an item: what it is, and whether to trust it.
FACTS: Schema = {
    "id": ID,
    "title": TEXT,
    "url": TEXT,
    "content_type": {"enum": list(ContentType.values)},
    "primary_domain": _TEXT_OR_NULL,
    "subtopic": TEXT,
    "layer": TEXT,
    "review_status": {"enum": list(ReviewStatus.values)},
    "verified_at": _TEXT_OR_NULL,
    "verified_by": _TEXT_OR_NULL,
    "next_review_date": _TEXT_OR_NULL,
    "quality_score": {"type": "integer", "description": "0 to 100"},
    "superseded_by": _TEXT_OR_NULL | {"description": "Id of the item that replaced it"},
    "superseded_reason": _TEXT_OR_NULL | {"description": "Why it was replaced"},
    "content_changed_at": TEXT,
}

HIT: Schema = closed(
    {
        **FACTS,
        "heading": TEXT | {"description": "Path of headings to the text"},
        "text": TEXT | {"description": "Excerpt; for a chunk the whole section"},
        "score": {"type": "number"},
        "reason": TEXT | {"description": "Why it ranks here"},
    }
)

FIND_OUTPUT: Schema = closed(
    {
        "query": _TEXT_OR_NULL,
        "count": {"type": "integer", "description": "Of results in this answer"},
        "content_item_id": _TEXT_OR_NULL,
        "overdue_review_filter": {"type": ["boolean", "null"]},
        "review_due_within_days_filter": {"type": ["integer", "null"]},
        "results": {"type": "array", "items": HIT},
    }
)

ITEM_INPUT: Schema = closed({"id": ID | {"description": "Id from find"}})

ITEM_OUTPUT: Schema = closed(
    {
        **FACTS,
        "summary": TEXT,
        "author": TEXT,
        "keywords": {"type": "array", "items": TEXT},
        "archived": {"type": "boolean"},
        "content": TEXT | {"description": "Markdown"},
    }
)

SEARCH_INPUT: Schema = closed({"query": QUERY})

SEARCH_OUTPUT: Schema = closed(
    {
        "results": {
            "type": "array",
            "items": closed({"id": TEXT, "title": TEXT, "url": TEXT}),
        }
    }
)

FETCH_INPUT: Schema = closed({"id": TEXT | {"description": "Id from search"}})

FETCH_OUTPUT: Schema = closed(
    {
        "id": TEXT,
        "title": TEXT,
        "text": TEXT,
        "url": TEXT,
        "metadata": {"type": "object", "additionalProperties": TEXT},
    }
)
