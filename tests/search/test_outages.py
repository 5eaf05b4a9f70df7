"""What is stopped or slow: the agreed answers, within five seconds, and back by itself.

Everything here is real: a provider, a Valkey and a database that stop and start again.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import User
from config import onebox
from config.onebox import valkey
from core import health
from kb import embedding
from kb.domain.terms import refresh_statistics
from tests.factories.library import domain, item
from tests.kb.provider import Answer, Body, Provider, embedded, refusal, running

LIMIT = 5.0

UNAVAILABLE = {
    "error": "Search is temporarily unavailable. Please try again shortly.",
    "code": "EMBEDDING_FAILED",
}


@contextmanager
def in_time() -> Iterator[None]:
    started = time.monotonic()
    yield
    assert time.monotonic() - started < LIMIT


def signed(user: User) -> Client:
    _, secret = tokens.create(user, "test")
    client = Client(
        headers={"Authorization": f"Bearer {secret}"}, raise_request_exception=False
    )
    client.force_login(user)
    return client


def ask(client: Client, text: str = "backup", **body: Any) -> Any:
    with in_time():
        return client.post(
            "/api/search", {"query": text} | body, content_type="application/json"
        )


def checks(client: Client) -> Any:
    with in_time():
        return client.get("/readyz").json()["checks"]


def use(provider: Provider, settings: Any) -> None:
    settings.EMBEDDER = ""
    settings.OPENAI_BASE_URL = provider.url
    settings.EMBEDDING_MODEL = "m"
    settings.EMBEDDING_DIMENSIONS = 8


@pytest.mark.django_db
def test_a_provider_that_stops_and_comes_back(charlie: User, settings: Any) -> None:
    client = signed(charlie)
    with running() as provider:
        use(provider, settings)
        made = item("Backup policy")
        refresh_statistics(timezone.now())
        assert ask(client, "before").json()["total"] == 1
        port = provider.port
    # Stopped: nothing listens there any more.
    down = ask(client, "while it is stopped")
    assert (down.status_code, down.json()) == (503, UNAVAILABLE)
    with in_time():
        page = client.get("/browse?q=while+it+is+stopped")
    assert page.status_code == 503
    assert "mode=keyword" in page.content.decode()
    words = ask(client, "backup", mode="keyword").json()
    assert (words["degraded"], words["results"][0]["id"]) == (["keyword"], str(made.pk))
    # What was asked before needs no provider.
    assert ask(client, "before").status_code == 200
    with running(port):
        assert ask(client, "while it is stopped").json()["total"] == 1


def _hangs(request: Body) -> Answer:
    return Answer(hangs=True)


def _refuses(request: Body) -> Answer:
    return refusal(429, "Slow down.", retry_after="60")


def _breaks(request: Body) -> Answer:
    return Answer(200, "<html>not JSON</html>")


@pytest.mark.django_db
@pytest.mark.parametrize("behaviour", [_hangs, _refuses, _breaks])
def test_a_provider_that_hangs_refuses_or_talks_nonsense(
    behaviour: Any, charlie: User, settings: Any
) -> None:
    client = signed(charlie)
    with running() as provider:
        use(provider, settings)
        provider.behaviour = behaviour
        text = f"asked of {behaviour.__name__}"
        for path in ("/api/search", "/api/search/sections"):
            with in_time():
                down = client.post(
                    path, {"query": text}, content_type="application/json"
                )
            assert (down.status_code, down.json()) == (503, UNAVAILABLE)
        provider.behaviour = embedded
        provider.released.set()
        assert ask(client, text).status_code == 200
        embedding.embedder().close()  # type: ignore[attr-defined]


@pytest.fixture
def layout(tmp_path: Path, settings: Any) -> Iterator[onebox.Layout]:
    """Where a Valkey of this test's own runs or does not run."""
    layout = onebox.Layout.of(tmp_path)
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": onebox.redis_url(layout),
            "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 1},
        }
    }
    yield layout
    health.clear("rate_limits")


@contextmanager
def serving(layout: onebox.Layout) -> Iterator[None]:
    server = valkey.child(layout)
    server.start()
    try:
        valkey.wait_until_ready(server, layout)
        yield
    finally:
        server.ask_to_stop()
        server.wait_until_stopped()


@pytest.mark.django_db
def test_a_valkey_that_stops_and_comes_back(
    layout: onebox.Layout, charlie: User, settings: Any, still_clock: None
) -> None:
    settings.SEARCHES_PER_MINUTE = 2
    client = signed(charlie)
    item("Backup policy")
    refresh_statistics(timezone.now())
    with serving(layout):
        assert [ask(client).status_code for _ in range(3)] == [200, 200, 429]
        assert checks(client)["cache"] == "ok"
    # Stopped: search works, limits fail open and say so.
    assert [ask(client).status_code for _ in range(3)] == [200, 200, 200]
    with in_time():
        assert client.get("/browse?q=backup").status_code == 200
    with in_time():
        assert client.get("/api/search/preview?q=backup").json()["count"] == 1
    down = checks(client)
    assert down["rate_limits"] == "not enforced: the cache is unreachable"
    assert down["cache"].startswith("down")
    with serving(layout):
        assert 429 in [ask(client, "again").status_code for _ in range(3)]
        back = checks(client)
        assert (back.get("rate_limits"), back["cache"]) == (None, "ok")


@pytest.fixture
def slow(transactional_db: None) -> Iterator[psycopg.Connection]:
    """Somebody else's connection, to hold locks with."""
    parameters = connection.get_connection_params()
    known = ("host", "port", "user", "password", "dbname")
    given = {name: parameters[name] for name in known if parameters.get(name)}
    with psycopg.connect(**given) as other:
        yield other
        other.rollback()


@pytest.mark.parametrize(
    "table", ["kb_itemindex", "kb_contentchunk", "kb_termstatistic"]
)
def test_a_slow_database_is_a_timeout_and_passes(
    table: str, slow: psycopg.Connection, charlie: User, settings: Any
) -> None:
    if table != "kb_itemindex":  # there with the limit that is the default
        settings.SEARCH_STATEMENT_TIMEOUT_MS = 300
    client = signed(charlie)
    item("Backup policy")
    refresh_statistics(timezone.now())
    slow.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
    late = ask(client)
    assert (late.status_code, late.json()["code"]) == (503, "SEARCH_TIMEOUT")
    with in_time():
        page = client.get("/browse?q=backup")
    assert page.status_code == 503
    assert "took too long" in page.content.decode()
    slow.rollback()
    assert ask(client).json()["total"] == 1


def test_filters_sections_and_preview_are_bounded_too(
    slow: psycopg.Connection, charlie: User
) -> None:
    client = signed(charlie)
    item("Backup policy", primary_domain=domain("Hosting"))
    refresh_statistics(timezone.now())
    slow.execute("LOCK TABLE kb_contentitem IN ACCESS EXCLUSIVE MODE")
    for path in ("/api/search", "/api/search/sections"):
        with in_time():
            late = client.post(
                path,
                {"query": "backup", "domain": "hosting"},
                content_type="application/json",
            )
        assert (late.status_code, late.json()["code"]) == (503, "SEARCH_TIMEOUT")
    with in_time():
        late = client.get("/api/search/preview?q=backup")
    assert (late.status_code, late.json()["code"]) == (503, "SEARCH_TIMEOUT")


def test_a_log_that_waits_for_a_lock_holds_up_no_answer(
    slow: psycopg.Connection, charlie: User
) -> None:
    client = signed(charlie)
    item("Backup policy")
    refresh_statistics(timezone.now())
    slow.execute("LOCK TABLE search_searchlog IN ACCESS EXCLUSIVE MODE")
    started = time.monotonic()
    answer = ask(client).json()
    assert (answer["total"], answer["search_id"]) == (1, None)
    assert time.monotonic() - started < 2


@pytest.mark.django_db
def test_the_limit_is_of_all_statements_together(charlie: User, settings: Any) -> None:
    settings.SEARCH_STATEMENT_TIMEOUT_MS = 400

    def sluggish(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if "kb_termstatistic" in sql or "pins AS MATERIALIZED" in sql:
            with connection.wrap_database_errors:
                context["cursor"].cursor.execute("SELECT pg_sleep(0.25)")
        return execute(sql, params, many, context)

    client = signed(charlie)
    item("Backup policy")
    refresh_statistics(timezone.now())
    with connection.execute_wrapper(sluggish):
        late = ask(client)
    assert (late.status_code, late.json()["code"]) == (503, "SEARCH_TIMEOUT")
    assert ask(client, "again").status_code == 200
