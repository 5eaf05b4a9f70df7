"""`/healthz` (alive) and `/readyz` (which dependency is down), for probes.

Rooms register probes; a probe returns None when well, else what is wrong. Only
`required` ones make the hub not ready: search without Valkey still answers.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass

from django.core.cache import cache
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse

log = logging.getLogger("hub.health")

Probe = Callable[[], str | None]
Detail = Callable[[], str]


@dataclass(frozen=True)
class _Registered:
    probe: Probe
    required: bool
    needs: str
    detail: Detail | None = None

    def told(self, problem: str | None) -> str:
        if problem or self.detail is None:
            return problem or "ok"
        try:
            detail = self.detail()
        except Exception as error:
            return f"ok, but without detail: {type(error).__name__}"
        return f"ok: {detail}" if detail else "ok"


_probes: dict[str, _Registered] = {}
_reports: dict[str, str] = {}


def register(
    name: str,
    probe: Probe,
    *,
    required: bool,
    needs: str = "",
    detail: Detail | None = None,
) -> None:
    """A probe that `needs` another is not asked while that one is down: two waits for
    the same time-out would be longer than a prober waits. `detail` is told where all is
    well."""
    _probes[name] = _Registered(probe, required, needs, detail)


def report(name: str, problem: str) -> None:
    """Remember a degradation seen while working, until `clear`ed."""
    _reports[name] = problem


def clear(name: str) -> None:
    _reports.pop(name, None)


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain")


def readyz(request: HttpRequest) -> JsonResponse:
    problems = {n: _problem(each) for n, each in _probes.items() if not each.needs}
    for name, each in _probes.items():
        if each.needs:
            lost = problems.get(each.needs)
            problems[name] = (
                f"unknown: the {each.needs} is down" if lost else _problem(each)
            )
    down = [n for n, p in problems.items() if p and _probes[n].required]
    checks = {n: _probes[n].told(problem) for n, problem in problems.items()} | _reports
    return JsonResponse(
        {"ready": not down, "checks": checks}, status=503 if down else 200
    )


def _problem(registered: _Registered) -> str | None:
    try:
        return registered.probe()
    except Exception as error:
        log.warning("probe failed", exc_info=error)
        return f"down: {type(error).__name__}"


def database() -> str | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return None


def shared_cache() -> str | None:
    cache.get("readyz")
    return None
