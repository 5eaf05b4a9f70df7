"""Times of calls, as percentiles after a warm-up."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from django.db import connection

T = TypeVar("T")
Times = dict[str, float]


def timed(call: Callable[[T], object], given: Sequence[T], clients: int = 1) -> Times:
    """Milliseconds of each call: each client takes its share of `given`."""
    for each in given[: max(10, len(given) // 5)]:
        call(each)
    if clients == 1:
        return _percentiles(_run(call, given))
    taken: list[float] = []

    def client(share: Sequence[T]) -> None:
        call(share[0])
        taken.extend(_run(call, share))
        connection.close()

    threads = [
        threading.Thread(target=client, args=(given[start::clients],))
        for start in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return _percentiles(taken)


def _run(call: Callable[[T], object], given: Sequence[T]) -> list[float]:
    taken = []
    for each in given:
        started = time.perf_counter()
        call(each)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def _percentiles(taken: Sequence[float]) -> Times:
    p50, p95, p99 = np.percentile(taken, [50, 95, 99])
    return {"p50": round(p50, 2), "p95": round(p95, 2), "p99": round(p99, 2)}
