"""The JSON shape of answers: API, command line and assistants give the same."""

from collections.abc import Sequence
from typing import Any

from kb.models import ContentItem
from search.sections import SectionHit
from search.types import Hit, SearchResults


def answer(results: SearchResults) -> dict[str, Any]:
    found = {
        "results": [hit_json(hit) for hit in results.hits],
        "count": len(results.hits),
        "total": results.total,
        "total_is_exact": results.total_is_exact,
        "offset": results.query.offset,
        "limit": results.query.limit,
        "mode": results.mode.value,
        "weak": results.weak,
        "degraded": list(results.degraded),
        "took_ms": results.took_ms,
    }
    if results.facets is not None:
        found["facets"] = {
            name: [{"value": value, "count": count} for value, count in values]
            for name, values in results.facets.items()
        }
    return found


def hit_json(hit: Hit) -> dict[str, Any]:
    return item_json(hit.item) | {
        "summary": hit.item.summary,
        "snippet": hit.snippet,
        "section": hit.section,
        "score": round(hit.score, 6),
        "relevance": round(hit.relevance, 4),
        "similarity": round(hit.parts.cosine, 6),
        "pinned": hit.pinned,
        "why": why(hit),
    }


def item_json(item: ContentItem) -> dict[str, Any]:
    """What every answer says of an item: what it is, and whether to trust it."""
    return {
        "id": str(item.pk),
        "title": item.title,
        "content_type": item.content_type,
        "primary_domain": item.primary_domain.name if item.primary_domain else None,
        "subtopic": item.subtopic,
        "layer": item.layer,
        "url": item.get_absolute_url(),
        "review_status": item.governance_review_status,
        "next_review_date": item.next_review_date,
        "verified_at": item.verified_at,
        "verified_by": item.verified_by.display_name() if item.verified_by else None,
        "quality_score": item.quality_score,
        "superseded_by": str(item.superseded_by_id) if item.superseded_by_id else None,
        "superseded_reason": (
            item.superseded_reason if item.superseded_by_id else None
        ),
        "content_changed_at": item.content_changed_at,
    }


def why(hit: Hit) -> dict[str, float]:
    """Each part's share of the score, as weighted; their sum times the win factor is
    the score."""
    parts, weights = hit.parts, hit.parts.weights
    return {
        "cosine": round(parts.cosine * weights.cosine, 6),
        "title": round(parts.title * weights.title, 6),
        "body": round(parts.body * weights.body, 6),
        "author": round(parts.author * weights.author, 6),
        "recency": round(parts.recency * weights.recency, 6),
        "win_factor": round(parts.win_factor, 6),
    }


def sections_answer(hits: Sequence[SectionHit]) -> dict[str, Any]:
    results = [
        {
            "item": item_json(hit.item),
            "heading_path": hit.heading_path,
            "text": hit.text,
            "position": hit.position,
            "similarity": round(hit.similarity, 6),
        }
        for hit in hits
    ]
    return {"results": results, "count": len(results)}
