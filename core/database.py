"""Transactions that are bounded in time."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from core.errors import HubError

log = logging.getLogger("hub.database")

_LEFT = "SELECT set_config('statement_timeout', %s, true)"
# While this share of the time is left, the limit of each statement stays as it is.
_PLENTY = 0.8


@contextmanager
def limited(
    timeout_ms: int,
    slow: Callable[[], HubError],
    settings: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Statements inside run at most `timeout_ms` together, waits for locks included;
    over that, `slow()` is raised. `settings` of PostgreSQL hold inside too.

    Not to be nested: what an inner one sets stays for the rest of the outer one.
    """
    # Session-level SET leaks through PgBouncer, and SET LOCAL outside a transaction
    # does nothing: hence set_config(…, true) inside one.
    values = {"statement_timeout": str(timeout_ms), **(settings or {})}
    chosen = ", ".join("set_config(%s, %s, true)" for _ in values)
    params = [each for pair in values.items() for each in pair]
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT {chosen}", params)
            with connection.execute_wrapper(_Limit(timeout_ms)):
                yield
    except OperationalError as error:
        if not isinstance(error.__cause__, QueryCanceled):
            raise
        late = slow()
        log.warning("over its time limit", extra={"code": late.code})
        raise late from error


class _Limit:
    """PostgreSQL limits each statement; this gives later ones what earlier ones left,
    at no cost while all are fast."""

    def __init__(self, timeout_ms: int) -> None:
        self._all = timeout_ms
        self._until = time.monotonic() + timeout_ms / 1000

    def __call__(
        self,
        execute: Callable[..., Any],
        sql: str,
        params: Any,
        many: bool,
        context: Any,
    ) -> Any:
        left = int((self._until - time.monotonic()) * 1000)
        if left < self._all * _PLENTY:
            with connection.wrap_database_errors:
                context["cursor"].cursor.execute(_LEFT, [str(max(1, left))])
        return execute(sql, params, many, context)
