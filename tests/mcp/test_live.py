"""A real server: many calls at once, one that is cancelled, and nothing left over."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import anyio
import anyio.to_thread
import httpx2
import pytest
import uvicorn
from asgiref.sync import async_to_sync
from django.db import connection
from django.test import override_settings
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from accounts import tokens
from accounts.models import User
from config.asgi import beside, django
from config.mcp_http import Endpoint
from kb.embeddings.base import Vector
from tests.embedder import HashEmbedder
from tests.factories.library import item

pytestmark = pytest.mark.django_db(transaction=True)

CALLS = 50


class SlowEmbedder(HashEmbedder):
    """One question waits for the test."""

    asked, go_on = threading.Event(), threading.Event()

    def embed_query(self, text: str) -> Vector:
        if text == "slow":
            self.asked.set()
            self.go_on.wait(20)
        return super().embed_query(text)


class Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, *args: Any, **kwargs: Any) -> None:
        await super().startup(*args, **kwargs)
        self.ready.set()


@pytest.fixture
def address() -> Iterator[str]:
    server = Server(
        uvicorn.Config(
            beside(django, Endpoint()), port=0, lifespan="on", log_level="warning"
        )
    )
    before = set(threading.enumerate())
    thread = threading.Thread(target=server.run)
    thread.start()
    assert server.ready.wait(20)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/mcp"
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()
    left = [each for each in set(threading.enumerate()) - before if not each.daemon]
    assert left == []
    deadline = time.monotonic() + 10  # a backend ends a little after its connection
    while _others() and time.monotonic() < deadline:
        pass
    assert _others() == 0


def _others() -> int:
    """Connections of the hub to the test's database, but for the test's own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND application_name = 'knowledge-hub' AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def client_of(address: str, token: str) -> Any:
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    return http, Client(streamable_http_client(address, http_client=http))


def test_fifty_calls_at_once_are_all_answered(address: str, charlie: User) -> None:
    made = item("Backup policy", "We restore a backup each quarter.")
    _, token = tokens.create(charlie, "test")
    outcomes: Counter[tuple[str, bool]] = Counter()

    async def work() -> None:
        http, hub = client_of(address, token)
        async with http, hub as client, anyio.create_task_group() as group:

            async def call(number: int) -> None:
                if number % 2:
                    name, given = "find", {"query": f"restore a backup {number}"}
                else:
                    name, given = "get_item", {"id": str(made.pk)}
                answer = await client.call_tool(name, given)
                outcomes[name, answer.is_error] += 1

            for number in range(CALLS):
                group.start_soon(call, number)

    async_to_sync(work)()
    half = CALLS // 2
    assert outcomes == {("find", False): half, ("get_item", False): half}


def test_a_cancelled_call_holds_up_nobody(address: str, charlie: User) -> None:
    item("Backup policy", "We restore a backup each quarter.")
    _, token = tokens.create(charlie, "test")

    async def work() -> Any:
        http, hub = client_of(address, token)
        async with http, hub as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "find", {"query": "slow"})
                await anyio.to_thread.run_sync(SlowEmbedder.asked.wait, 20)
                group.cancel_scope.cancel()
            during = await client.call_tool("find", {"query": "backup"})
            SlowEmbedder.go_on.set()
            return during

    with override_settings(EMBEDDER="tests.mcp.test_live.SlowEmbedder"):
        assert async_to_sync(work)().structured_content["count"] == 1
