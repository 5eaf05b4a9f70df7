"""Whether the embedding provider is down, known to all processes through the cache.

Background work rests meanwhile, each time longer, and comes back by itself. With the
cache down, each process knows only of itself.
"""

import logging
import time
from dataclasses import dataclass

from django.core.cache import cache

log = logging.getLogger("hub.embedding")

FIRST_REST = 15.0
LONGEST_REST = 120.0
_KEY = "embedding:outage"
_KEPT = 900  # longer than any rest; one that nobody meets again is forgotten


@dataclass(frozen=True)
class Outage:
    detail: str
    failures: int
    rests_until: float  # seconds since the epoch: processes share it


@dataclass
class _Process:
    outage: Outage | None = None


_process = _Process()


def current() -> Outage | None:
    """The outage that lasts, as far as anybody noticed."""
    try:
        found = cache.get(_KEY)
    except Exception:
        return _process.outage
    _process.outage = found if isinstance(found, Outage) else None
    return _process.outage


def noticed() -> bool:
    """Whether this process knows of an outage; costs nothing."""
    return _process.outage is not None


def resting() -> bool:
    outage = current()
    return outage is not None and time.time() < outage.rests_until


def failed(detail: str) -> None:
    """Note a failure. Several within one rest, of many workers, count as one."""
    before = current()
    if before is not None and time.time() < before.rests_until:
        return
    if before is None:
        log.warning("embedding provider down", extra={"detail": detail})
    failures = before.failures + 1 if before else 1
    rest = min(FIRST_REST * 2 ** min(failures - 1, 10), LONGEST_REST)
    _keep(Outage(detail, failures, time.time() + rest))


def recovered() -> None:
    outage = current()
    if outage is not None:
        log.info("embedding provider back", extra={"failures": outage.failures})
        _keep(None)


def _keep(outage: Outage | None) -> None:
    _process.outage = outage
    try:
        cache.set(_KEY, outage, _KEPT) if outage else cache.delete(_KEY)
    except Exception as error:
        log.debug("cache unreachable", extra={"error": type(error).__name__})


def probe() -> str | None:
    """For `/readyz`: the last known state; calls nobody."""
    outage = current()
    return f"down: {outage.detail}" if outage else None
