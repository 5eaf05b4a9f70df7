"""A user's last searches: they follow their user to any browser, and can be cleared."""

import hashlib
from datetime import datetime

from accounts.viewer import Viewer
from browse.models import RecentSearch
from core.text import fold

KEPT = 10


def remember(viewer: Viewer, words: str, now: datetime) -> None:
    """Put `words` first, once; what falls off the end is forgotten."""
    digest = hashlib.sha256(fold(words).encode()).hexdigest()
    RecentSearch.objects.bulk_create(
        [
            RecentSearch(
                user_id=viewer.person(), query=words, digest=digest, searched_at=now
            )
        ],
        update_conflicts=True,
        unique_fields=["user", "digest"],
        update_fields=["query", "searched_at"],
    )
    own = RecentSearch.objects.filter(user=viewer.user_id)
    kept = own.values("pk")[:KEPT]
    own.exclude(pk__in=kept).order_by().delete()


def recents(viewer: Viewer, containing: str = "") -> list[str]:
    """Newest first; those that contain what is typed."""
    own = RecentSearch.objects.filter(user=viewer.user_id)
    if containing:
        own = own.filter(query__icontains=containing)
    return list(own.values_list("query", flat=True)[:KEPT])


def forget(viewer: Viewer) -> None:
    RecentSearch.objects.filter(user=viewer.user_id).delete()
