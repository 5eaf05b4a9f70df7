"""Browsers of the cast: the test client, signed in."""

import pytest
from django.test import Client

from accounts.models import User


def _client(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def as_editor(bob: User) -> Client:
    return _client(bob)


@pytest.fixture
def as_reader(charlie: User) -> Client:
    return _client(charlie)
