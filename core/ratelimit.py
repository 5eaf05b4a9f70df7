"""One wrapper around django-ratelimit: counts per user, fails open, says so.

django-ratelimit lets exceptions of the cache escape even with RATELIMIT_FAIL_OPEN, so
they are caught here; `/readyz` tells that limits are not enforced meanwhile.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.http import HttpRequest
from django_ratelimit.core import get_usage

from core import health
from core.errors import RateLimited

log = logging.getLogger("hub.ratelimit")


@dataclass(frozen=True)
class Limit:
    """`per_minute` calls a minute in a budget named `group`."""

    group: str
    per_minute: int


class Payer(Protocol):
    @property
    def limit_key(self) -> str: ...


def payer(meta: Mapping[str, Any], who: Payer | None) -> str:
    """Whose budget a request draws on: its user's, or that of where it comes from."""
    return who.limit_key if who else f"address:{meta.get('REMOTE_ADDR')}"


def spend(limit: Limit, key: str) -> None:
    """Count one call by `key`; raise `RateLimited` when the budget is used up."""
    usage = _usage(limit, key, increment=True)
    if usage is not None and usage["should_limit"]:
        wait = max(1, int(usage["time_left"]))
        raise RateLimited(
            f"Too many requests. Try again in {wait} seconds.", retry_after=wait
        )


def exhausted(limit: Limit, key: str) -> int | None:
    """Seconds until `key` may call again, or None; counts nothing."""
    usage = _usage(limit, key, increment=False)
    if usage is None or usage["count"] < limit.per_minute:
        return None
    return max(1, int(usage["time_left"]))


def _usage(limit: Limit, key: str, *, increment: bool) -> dict[str, int] | None:
    try:
        usage: dict[str, int] | None = get_usage(
            HttpRequest(),
            group=limit.group,
            key=lambda _group, _request: key,
            rate=f"{limit.per_minute}/m",
            increment=increment,
        )
    except Exception as error:
        log.warning("rate limits fail open", extra={"error": type(error).__name__})
        health.report("rate_limits", "not enforced: the cache is unreachable")
        return None
    health.clear("rate_limits")
    return usage
