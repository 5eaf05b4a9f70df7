"""The hub's ASGI application in the test's own thread and transaction."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from asgiref.sync import async_to_sync
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from config.asgi import beside, django
from config.mcp_http import Endpoint

HUB = "http://testserver"


@asynccontextmanager
async def hub(token: str = "", **headers: str) -> AsyncIterator[httpx2.AsyncClient]:
    endpoint = Endpoint()
    if token:
        headers["Authorization"] = f"Bearer {token}"
    transport = httpx2.ASGITransport(app=beside(django, endpoint))
    async with (
        endpoint.run(),
        httpx2.AsyncClient(
            transport=transport, base_url=HUB, headers=headers, timeout=30
        ) as client,
    ):
        yield client


@asynccontextmanager
async def connected(token: str, mode: str = "auto") -> AsyncIterator[Client]:
    """The SDK's own client: `auto` for today's protocol, `legacy` with initialize."""
    async with hub(token) as http:
        transport = streamable_http_client(f"{HUB}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


def message(method: str, /, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def run(work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Its threads are this one: what the test wrote is seen, and nothing is left."""
    return async_to_sync(work)()
