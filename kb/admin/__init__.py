"""Django admin of the library: where content is governed. Every write goes through
`kb.domain`; what it refuses is shown in the form."""

from kb.admin import (
    bids,
    decisions,
    domains,
    duplicates,
    index,
    items,
    moderation,
    records,
    schedules,
)

__all__ = [
    "bids",
    "decisions",
    "domains",
    "duplicates",
    "index",
    "items",
    "moderation",
    "records",
    "schedules",
]
