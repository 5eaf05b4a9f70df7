"""A search's own transaction: bounded in time, its settings gone with it."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from core.errors import Unavailable
from search import ranking

log = logging.getLogger("hub.search")

# Session-level SET leaks through PgBouncer, and SET LOCAL outside a transaction does
# nothing: hence set_config(…, true) inside one. The planner takes distances for cheap
# and would rather sort all rows by theirs than ask the index; what can only be sorted
# still is. Compiling a statement takes longer than running it.
_SETTINGS = """
SELECT set_config('statement_timeout', %s, true),
       set_config('hnsw.ef_search', %s, true),
       set_config('hnsw.iterative_scan', 'strict_order', true),
       set_config('enable_sort', 'off', true),
       set_config('jit', 'off', true)
"""
_LEFT = "SELECT set_config('statement_timeout', %s, true)"
# While this share of the time is left, the limit of each statement stays as it is.
_PLENTY = 0.8


QUICK_MS = 1_000
# What the ranking gets after an embedding that was just in time.
LEAST_MS = 500


class SearchTimeout(Unavailable):
    code = "SEARCH_TIMEOUT"

    def __init__(self) -> None:
        super().__init__("The search took too long. Use fewer or rarer words.")


class Budget:
    """The time of one search, embedding included: what its transactions may still
    take, so that it ends in time however many of its parts are slow."""

    def __init__(self, timeout_ms: int) -> None:
        self._all = timeout_ms
        self._started = time.monotonic()

    def quick_ms(self) -> int:
        """For lookups before the search itself."""
        return min(QUICK_MS, self.left_ms())

    def left_ms(self) -> int:
        spent = int((time.monotonic() - self._started) * 1000)
        return max(self._all - spent, min(LEAST_MS, self._all))


@contextmanager
def search_transaction(timeout_ms: int) -> Iterator[None]:
    """Statements inside run at most `timeout_ms` together; over that:
    `SearchTimeout`."""
    limit = _Limit(timeout_ms)
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(_SETTINGS, [str(timeout_ms), str(ranking.NEAREST_FIRST)])
            with connection.execute_wrapper(limit):
                yield
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            log.warning("search over its time limit")
            raise SearchTimeout from error
        raise


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
