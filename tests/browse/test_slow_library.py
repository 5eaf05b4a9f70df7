"""A library that does not answer: said in time, and over when the lock is."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client

from tests.browse.pages import HTMX, text, titles
from tests.factories.library import item

SLOW = "The library is slow to answer. Try again shortly."


@pytest.fixture
def other(transactional_db: None, settings: Any) -> Iterator[psycopg.Connection]:
    """Somebody else's connection, to hold locks with."""
    settings.PAGE_TIMEOUT_MS = 200
    settings.SEARCH_STATEMENT_TIMEOUT_MS = 200
    parameters = connection.get_connection_params()
    known = ("host", "port", "user", "password", "dbname")
    given = {name: parameters[name] for name in known if parameters.get(name)}
    with psycopg.connect(**given) as held:
        yield held
        held.rollback()


def test_a_list_that_waits_for_a_lock_says_so_and_comes_back(
    other: psycopg.Connection, as_reader: Client
) -> None:
    made = item("Backup policy")
    other.execute("LOCK TABLE kb_contentitem IN ACCESS EXCLUSIVE MODE")
    for path in ("/browse", "/browse?q=backup", f"/items/{made.pk}"):
        page = as_reader.get(path)
        assert page.status_code == 503
        assert SLOW in text(page)
    assert as_reader.get("/browse?offset=20&q=backup", headers=HTMX).status_code == 503
    other.rollback()
    assert titles(as_reader.get("/browse")) == ["Backup policy"]


def test_a_search_that_was_slow_keeps_the_page_around_it(
    other: psycopg.Connection, as_reader: Client
) -> None:
    item("Backup policy")
    other.execute("LOCK TABLE kb_itemindex IN ACCESS EXCLUSIVE MODE")
    page = as_reader.get("/browse?q=backup")
    assert page.status_code == 503
    assert "The search took too long." in text(page)
    assert 'value="backup"' in page.content.decode()
