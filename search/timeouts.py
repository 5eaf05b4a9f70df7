"""A search's own transaction: bounded in time, its settings gone with it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from psycopg.errors import QueryCanceled

from core.errors import Unavailable
from search import ranking

log = logging.getLogger("hub.search")

# Session-level SET leaks through PgBouncer, and SET LOCAL outside a transaction does
# nothing: hence set_config(…, true) inside one.
_SETTINGS = """
SELECT set_config('statement_timeout', %s, true),
       set_config('hnsw.ef_search', %s, true),
       set_config('hnsw.iterative_scan', 'strict_order', true)
"""


class SearchTimeout(Unavailable):
    code = "SEARCH_TIMEOUT"

    def __init__(self) -> None:
        super().__init__("The search took too long. Use fewer or rarer words.")


@contextmanager
def search_transaction(timeout_ms: int) -> Iterator[None]:
    """Statements inside run at most `timeout_ms` each; over that: `SearchTimeout`."""
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(_SETTINGS, [str(timeout_ms), str(ranking.NEAREST)])
            yield
    except OperationalError as error:
        if isinstance(error.__cause__, QueryCanceled):
            log.warning("search over its time limit")
            raise SearchTimeout from error
        raise
