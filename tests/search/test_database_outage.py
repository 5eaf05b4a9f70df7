"""A hub whose database stops and comes back: a real server process, with its pool."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import User
from core.outages import DATABASE_MESSAGE
from kb.domain.terms import refresh_statistics
from tests.factories.library import item
from tests.search.gate import Gate

PROJECT = Path(__file__).resolve().parents[2]
LIMIT = 5.0
PATIENCE = 60.0


@dataclass
class Hub:
    address: str
    gate: Gate
    token: str
    session: str

    def ask(self, path: str, body: object = None) -> tuple[int, str]:
        """Status and text, within the limit."""
        request = urllib.request.Request(f"{self.address}{path}")  # noqa: S310
        if path.startswith("/api/"):
            request.add_header("Authorization", f"Bearer {self.token}")
        else:
            request.add_header("Cookie", f"sessionid={self.session}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        started = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                found = answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                found = error.code, error.read().decode()
        assert time.monotonic() - started < LIMIT, (path, found)
        return found

    def search(self) -> tuple[int, str]:
        return self.ask("/api/search", {"query": "backup"})


@pytest.fixture
def hub(transactional_db: None, charlie: User, tmp_path: Path) -> Iterator[Hub]:
    item("Backup policy")
    refresh_statistics(timezone.now())
    _, token = tokens.create(charlie, "test")
    client = Client()
    client.force_login(charlie)
    parameters = connection.get_connection_params()
    gate = Gate(parameters)
    gate.open()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    login = f"{parameters.get('user', '')}:{parameters.get('password', '')}"
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.search.pooled_settings",
        "DATABASE_URL": f"postgresql://{login}@127.0.0.1:{gate.port}/{parameters['dbname']}",
        "HUB_DATA_DIR": str(tmp_path),
        "SECRET_KEY": settings.SECRET_KEY,
    }
    command = ["-m", "uvicorn", "config.asgi:application", "--port", str(port)]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=PROJECT,
            env=environment,
            stdout=log,
            stderr=log,
        )
    try:
        made = Hub(
            f"http://127.0.0.1:{port}", gate, token, client.cookies["sessionid"].value
        )
        _wait_for(made)
        yield made
    finally:
        process.terminate()
        process.wait(PATIENCE)
        gate.shut()


def _wait_for(hub: Hub) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            hub.ask("/healthz")
            return
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_database_that_stops_and_comes_back(hub: Hub) -> None:
    status, text = hub.search()
    assert (status, json.loads(text)["total"]) == (200, 1)
    assert hub.ask("/browse?q=backup")[0] == 200

    hub.gate.shut()
    calls = [
        hub.search(),
        hub.ask("/api/search/sections", {"query": "backup"}),
        hub.ask("/api/search/preview?q=backup"),
    ]
    for status, text in calls:
        assert (status, json.loads(text)) == (
            500,
            {"error": DATABASE_MESSAGE, "code": "DATABASE_UNAVAILABLE"},
        )
    for path in ("/browse?q=backup", "/browse"):
        status, text = hub.ask(path)
        assert status == 500
        assert "<h1" in text
        assert DATABASE_MESSAGE in text
        assert not [
            said for said in ("psycopg", "Traceback", "OperationalE") if said in text
        ]
    status, text = hub.ask("/readyz")
    assert status == 503
    assert json.loads(text)["checks"]["nightly"] == "unknown: the database is down"
    assert hub.ask("/healthz")[0] == 200

    hub.gate.open()
    deadline = time.monotonic() + LIMIT
    while (found := hub.search())[0] != 200:
        assert time.monotonic() < deadline, found
    assert hub.ask("/browse?q=backup")[0] == 200
    assert hub.ask("/readyz")[0] == 200


def test_a_database_that_freezes_and_goes_on(hub: Hub) -> None:
    assert hub.search()[0] == 200
    hub.gate.freeze()
    refused = {"error": DATABASE_MESSAGE, "code": "DATABASE_UNAVAILABLE"}
    status, text = hub.search()
    assert (status, json.loads(text)) == (500, refused)
    assert hub.ask("/browse?q=backup")[0] == 500

    hub.gate.thaw()
    deadline = time.monotonic() + LIMIT
    while (found := hub.search())[0] != 200:
        assert time.monotonic() < deadline, found
