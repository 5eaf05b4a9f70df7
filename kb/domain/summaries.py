"""Generated summaries as they are stored: only where people wrote nothing.

`summary_data["generated"]` says by which method, when, of which text, and which fields,
so that a text is summarised once and what people changed since stays theirs.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.db.models.fields.json import KT

from accounts.viewer import Viewer
from core.jobs import enqueue
from kb.domain import history, scores
from kb.domain.access import locked
from kb.domain.indexing import index_items
from kb.models import ContentItem
from kb.querysets import ContentItemQuerySet
from kb.summarisers.base import Summary

MARK = "generated"
FIELDS = ("summary", "suggested_title", "ai_keywords")


def waiting() -> ContentItemQuerySet:
    """Items in use with something missing, or generated, whose text was not read yet by
    any method."""
    missing = Q(summary="") | Q(suggested_title="") | Q(ai_keywords=[])
    known = KT(f"summary_data__{MARK}__text_hash")
    return (
        ContentItem.objects.live()
        .filter(
            missing | Q(summary_data__has_key=MARK),
            superseded_by=None,
            index__isnull=False,
        )
        .exclude(content="")
        .annotate(read_hash=known)
        .exclude(read_hash=F("index__text_hash"), read_hash__isnull=False)
    )


def store_summary(
    item_id: UUID, found: Summary, text_hash: str, method: str, now: datetime
) -> tuple[str, ...]:
    """Fill what is empty or was generated; the fields filled. Nothing if the text
    changed since it was read. The content counts as unchanged."""
    with transaction.atomic():
        item = locked(Viewer.system(), [item_id])[0]
        if item.index.text_hash != text_hash:
            return ()
        filled = _fill(item, found)
        item.summary_data = {
            **item.summary_data,
            **({"points": list(found.points)} if found.points else {}),
            MARK: {
                "method": method,
                "at": now.isoformat(timespec="seconds"),
                "text_hash": text_hash,
                "values": {name: getattr(item, name) for name in _ours(item, filled)},
            },
        }
        item.updated_at = now
        fields = [*filled, "summary_data", "updated_at"]
        history.update(Viewer.system(), [item], fields, f"Summary by {method}")
        if filled:
            index_items([item], now)
            scores.rescore([item.pk], now.date())
    return tuple(filled)


def _fill(item: ContentItem, found: Summary) -> list[str]:
    ours = item.summary_data.get(MARK, {}).get("values", {})
    values: dict[str, Any] = {
        "summary": found.summary,
        "suggested_title": "" if found.title == item.title else found.title,
        "ai_keywords": list(found.keywords),
    }
    filled = []
    for name in FIELDS:
        now = getattr(item, name)
        free = not now or (name in ours and ours[name] == now)
        if free and values[name] and values[name] != now:
            setattr(item, name, values[name])
            filled.append(name)
    return filled


def _ours(item: ContentItem, filled: Sequence[str]) -> list[str]:
    """Generated now, or before and unchanged since."""
    before = item.summary_data.get(MARK, {}).get("values", {})
    kept = [n for n in FIELDS if n in before and before[n] == getattr(item, n)]
    return [name for name in FIELDS if name in filled or name in kept]


def summarise_again(viewer: Viewer, ids: Sequence[UUID]) -> int:
    """Have a worker summarise items anew. What people wrote stays."""
    viewer.require_editor()
    with transaction.atomic():
        items = locked(viewer, ids)
        marked = [item for item in items if MARK in item.summary_data]
        for item in marked:
            item.summary_data[MARK] = item.summary_data[MARK] | {"text_hash": ""}
        history.update(viewer, marked, ["summary_data"], "Summary asked for anew")
        enqueue("kb.generate_summaries", [str(item.pk) for item in items])
    return len(items)
