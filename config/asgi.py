"""The hub as an ASGI application: `/mcp` beside Django."""

import os
from typing import Any

from django.core.asgi import get_asgi_application
from starlette.types import ASGIApp, Receive, Scope, Send

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django = get_asgi_application()

# Both need the apps.
from config.mcp_http import PATH, SIGN_IN_PATHS, Endpoint, shared  # noqa: E402
from operational.service import warm  # noqa: E402


def beside(django: Any, assistants: Endpoint) -> ASGIApp:
    """A mounted application never gets its lifespan, hence the one entered here."""

    signing_in = shared(django)

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            warm()
            async with assistants.run():
                await send({"type": "lifespan.startup.complete"})
                await receive()
            await send({"type": "lifespan.shutdown.complete"})
        elif scope["type"] == "http" and scope["path"].rstrip("/") == PATH:
            await assistants(scope, receive, send)
        elif scope["type"] == "http" and scope["path"].startswith(SIGN_IN_PATHS):
            await signing_in(scope, receive, send)
        else:
            await django(scope, receive, send)

    return application


application = beside(django, Endpoint())
