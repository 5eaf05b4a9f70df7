import contextlib
import os
from typing import Any

import anyio
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_REQUEST

from accounts import tokens
from accounts.assistants import Caller
from config.mcp import Context, server

TOKEN = "KNOWLEDGE_HUB_TOKEN"  # noqa: S105 - the name of a variable


class Command(BaseCommand):
    help = (
        "Serve assistants on standard input and output, as the user whose access token "
        f"stands in {TOKEN}; for desktop clients that start a process."
    )

    requires_system_checks = ()  # a client waits for the start

    def handle(self, *args: Any, **options: Any) -> None:
        secret = os.environ.get(TOKEN, "").strip()
        if not secret:
            raise CommandError(
                f"{TOKEN} holds no access token. Make one with: "
                "manage.py create_token NAME"
            )
        if _caller(secret) is None:
            raise CommandError(f"The access token in {TOKEN} is not valid, or no more.")
        with contextlib.suppress(KeyboardInterrupt):
            anyio.run(_serve, secret)


async def _serve(secret: str) -> None:
    def caller_of(context: Context) -> Caller:
        """Each call asks anew: a token may be revoked meanwhile."""
        caller = _caller(secret)
        if caller is None:
            raise MCPError(INVALID_REQUEST, "The access token is no longer valid.")
        return caller

    hub = server(caller_of)
    async with stdio_server() as (received, sent):
        await hub.run(received, sent, hub.create_initialization_options())


def _caller(secret: str) -> Caller | None:
    token = tokens.find(secret, timezone.now())
    base = settings.PUBLIC_URL.rstrip("/")
    return Caller(token.user.viewer(), base) if token else None
