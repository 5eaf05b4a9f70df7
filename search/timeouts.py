"""A search's own transaction: bounded in time, its settings gone with it."""

import time
from contextlib import AbstractContextManager

from core.database import limited
from core.errors import Unavailable
from search import ranking

# Compiling a statement, or starting workers for it, takes longer than running it. And
# each page of the index table holds a vector, whose distance the planner leaves out: it
# would sort some 10,000 rows by theirs rather than ask the index.
_SETTINGS = {
    "hnsw.ef_search": str(ranking.NEAREST),
    "hnsw.iterative_scan": "strict_order",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
    "seq_page_cost": "1.5",
}

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


def search_transaction(timeout_ms: int) -> AbstractContextManager[None]:
    """Statements inside run at most `timeout_ms` together; over that:
    `SearchTimeout`."""
    return limited(timeout_ms, SearchTimeout, _SETTINGS)
