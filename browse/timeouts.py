"""What pages read apart from searches is bounded in time as well."""

from contextlib import AbstractContextManager

from django.conf import settings

from core.database import limited
from core.errors import Unavailable

# The page around a search that failed: that one has waited already.
AFTER_FAILURE_MS = 2_000


class LibrarySlow(Unavailable):
    code = "LIBRARY_SLOW"

    def __init__(self) -> None:
        super().__init__("The library is slow to answer. Try again shortly.")


def page_reads(most_ms: int | None = None) -> AbstractContextManager[None]:
    """Queries inside take at most PAGE_TIMEOUT_MS together, and `most_ms`; over that:
    `LibrarySlow`. Searches have a limit of their own and stand outside."""
    limit = settings.PAGE_TIMEOUT_MS
    return limited(min(limit, most_ms or limit), LibrarySlow)
