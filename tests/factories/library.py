"""Items as tests need them: written through the domain, so indexed and with history."""

from datetime import UTC, datetime
from typing import Any

from accounts.viewer import Viewer
from kb.domain.lifecycle import create_items
from kb.embedding import embed_missing
from kb.enums import ReviewStatus
from kb.models import ContentItem, Domain

NOW = datetime(2026, 6, 15, 12, tzinfo=UTC)


def domain(name: str = "Information security", **values: Any) -> Domain:
    return Domain.objects.get_or_create(name=name, defaults=values)[0]


def unsaved(
    title: str = "Backup policy", content: str = "", **values: Any
) -> ContentItem:
    """Approved unless said otherwise."""
    values.setdefault("governance_review_status", ReviewStatus.APPROVED)
    return ContentItem(title=title, content=content or f"About {title}.", **values)


def item(
    title: str = "Backup policy",
    content: str = "",
    *,
    embedded: bool = True,
    now: datetime = NOW,
    **values: Any,
) -> ContentItem:
    """One item, indexed, and embedded unless `embedded` is false."""
    made = create_items(Viewer.system(), [unsaved(title, content, **values)], now)[0]
    if embedded:
        embed_missing()
    return made
