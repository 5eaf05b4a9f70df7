"""`manage.py mcp_stdio`: a process of its own, started by the SDK's client."""

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from asgiref.sync import async_to_sync
from django.core.management import CommandError, call_command
from django.db import connection
from mcp import Client, StdioServerParameters

from accounts import tokens
from accounts.models import User
from config.management.commands.mcp_stdio import TOKEN
from tests.factories.library import item

ROOT = Path(__file__).resolve().parent.parent.parent


def _url() -> str:
    """Of the test's database."""
    told = {
        name: str(value)
        for name, value in connection.get_connection_params().items()
        if name in ("host", "port", "password")
    }
    user = connection.get_connection_params()["user"]
    return f"postgresql://{user}@/{connection.settings_dict['NAME']}?{urlencode(told)}"


@pytest.mark.django_db(transaction=True)
def test_a_client_starts_it_and_calls_as_the_tokens_user(charlie: User) -> None:
    made = item("Backup policy", "We restore a backup each quarter.")
    _, secret = tokens.create(charlie, "desktop")
    process = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp_stdio"],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings_test",
            "DATABASE_URL": _url(),
            "PUBLIC_URL": "https://hub.example.org",
            TOKEN: secret,
        },
    )

    async def work() -> Any:
        async with Client(process, read_timeout_seconds=60) as client:
            return await client.call_tool("get_item", {"id": str(made.pk)})

    found = async_to_sync(work)()
    assert not found.is_error
    assert found.structured_content["url"] == f"https://hub.example.org/items/{made.pk}"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("secret", "said"), [("", "holds no access token"), ("kh_x", "is not valid")]
)
def test_without_a_live_token_it_says_so_in_a_line(
    secret: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TOKEN, secret)
    with pytest.raises(CommandError, match=said):
        call_command("mcp_stdio")
