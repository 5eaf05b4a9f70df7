"""Fixtures of the whole suite: the database, and the cast."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from accounts.enums import Role
from accounts.models import User
from accounts.viewer import Viewer
from config.onebox import configured
from operational.domain import index
from tests.browser import browser, visit

__all__ = ["browser", "visit"]  # fixtures of every folder


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None,
) -> Iterator[None]:
    """The hub's own PostgreSQL, unless DATABASE_URL names another; a database for each
    process that tests."""
    with configured.database():
        yield


@pytest.fixture(autouse=True)
def _empty_cache() -> Iterator[None]:
    yield
    cache.clear()
    index.forget()  # the graph of operational memory, kept in the process


@pytest.fixture
def alice(db: None) -> User:
    """An admin."""
    return User.objects.create_user(
        "alice", password="alice-pass", role=Role.ADMIN, first_name="Alice"
    )


@pytest.fixture
def bob(db: None) -> User:
    """An editor."""
    return User.objects.create_user(
        "bob", password="bob-pass", role=Role.EDITOR, first_name="Bob"
    )


@pytest.fixture
def charlie(db: None) -> User:
    """A viewer."""
    return User.objects.create_user(
        "charlie", password="charlie-pass", role=Role.VIEWER, first_name="Charlie"
    )


@pytest.fixture
def editor(bob: User) -> Viewer:
    return bob.viewer()


@pytest.fixture
def reader(charlie: User) -> Viewer:
    return charlie.viewer()


@pytest.fixture
def governor(alice: User) -> Viewer:
    return alice.viewer()
