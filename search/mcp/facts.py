"""Items and hits as the tools' structured content has them."""

import re
from html import unescape
from typing import Any

from accounts.assistants import Caller, Schema
from kb.models import ContentItem
from search import present
from search.sections import SectionHit
from search.types import Hit

_TAG = re.compile(r"</?[a-z]+[^<>]*>")
# A part of the score under this much is not why an item ranks where it does.
_NOTABLE = 0.005
_PARTS = {
    "cosine": "meaning",
    "title": "title and keywords",
    "body": "summary and text",
    "author": "author",
    "recency": "changed lately",
}


def of_item(item: ContentItem, caller: Caller) -> Schema:
    found = {name: _plain(value) for name, value in present.item_json(item).items()}
    return found | {"url": caller.address(item.get_absolute_url())}


def of_hit(hit: Hit, caller: Caller) -> Schema:
    return of_item(hit.item, caller) | {
        "heading": hit.section,
        "text": unescape(_TAG.sub("", hit.snippet)) or hit.item.summary,
        "score": round(hit.score, 4),
        "reason": _reason(hit),
    }


def of_section(hit: SectionHit, caller: Caller) -> Schema:
    similarity = round(hit.similarity, 4)
    return of_item(hit.item, caller) | {
        "heading": hit.heading_path,
        "text": hit.text,
        "score": similarity,
        "reason": f"meaning, similarity {similarity:.2f}",
    }


def _reason(hit: Hit) -> str:
    parts = present.why(hit)
    named = [
        f"{label} {parts[name]:.2f}"
        for name, label in _PARTS.items()
        if parts[name] >= _NOTABLE
    ]
    if hit.parts.win_factor != 1:
        named.append(f"won bids ×{hit.parts.win_factor:.2f}")
    pinned = [f"first because of {hit.pinned}"] if hit.pinned else []
    return "; ".join([*pinned, " + ".join(named)]) if named else "".join(pinned)


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
