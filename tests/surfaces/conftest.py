"""One library for the whole folder, in one transaction that is rolled back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from accounts import tokens
from accounts.models import User
from kb.models import ContentItem
from tests.surfaces import corpus


@pytest.fixture(scope="module")
def library(
    django_db_setup: None, django_db_blocker: Any
) -> Iterator[list[ContentItem]]:
    """Tests run in savepoints within it; they carry the mark `django_db`, without
    which a run of theirs alone would make no test database."""
    with django_db_blocker.unblock(), transaction.atomic():
        assert connection.settings_dict["NAME"].startswith("test_")
        try:
            made = corpus.build()
            # Else the first test's end checks all of it, under a search's time limit.
            connection.check_constraints()
            yield made
        finally:
            transaction.set_rollback(True)


@pytest.fixture(scope="module")
def person(library: list[ContentItem]) -> User:
    return User.objects.create_user("surface", password="surface-pass")


@pytest.fixture
def api(person: User) -> Client:
    _, secret = tokens.create(person, "test")
    return Client(headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture
def browser_client(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client
