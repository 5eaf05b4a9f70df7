"""A database that is there but does not answer: frozen, or behind a dead line.

Limits of statements are kept by the server, which says nothing when it is stopped. A
request that reads has its answer within seconds all the same.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

import psycopg
from django.http import HttpRequest, HttpResponse
from psycopg import abc
from psycopg.errors import _WaitTimeout

RV = TypeVar("RV")

# Seconds that a statement may keep a request waiting; None outside requests, where
# nightly jobs may run long.
patience: ContextVar[float | None] = ContextVar("patience", default=None)
_SECONDS = 4.0
# What only reads, by method or by address: searches are sent by POST.
_READING = ("/api/", "/mcp")


class PatientConnection(psycopg.Connection):
    def wait(
        self,
        gen: abc.PQGen[RV],
        interval: float = 0.1,
        timeout: float | None = None,
    ) -> RV:
        try:
            return super().wait(
                gen, interval, patience.get() if timeout is None else timeout
            )
        except _WaitTimeout as late:
            # It is in the middle of a statement that nobody will read.
            self.close()
            message = "the database does not answer"
            raise psycopg.OperationalError(message) from late


class PatienceMiddleware:
    """Uploads and bulk changes may take longer than a page or an answer may."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        reads = request.method in ("GET", "HEAD") or request.path.startswith(_READING)
        token = patience.set(_SECONDS if reads else None)
        try:
            return self.get_response(request)
        finally:
            patience.reset(token)
