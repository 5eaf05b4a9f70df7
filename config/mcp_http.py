"""`/mcp` over HTTP: who calls, from where, and on to the server."""

import io
import json
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.db import DatabaseError, InterfaceError
from django.utils import timezone
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from accounts.assistants import Caller
from accounts.bearer import user_of
from config.mcp import Context, in_thread, server
from core import requests
from core.addresses import base_of, mcp_of
from core.logs import request_id
from core.outages import DATABASE_MESSAGE

log = logging.getLogger("hub.mcp")

PATH = "/mcp"
# What a client that signs people in calls besides.
SIGN_IN_PATHS = ("/oauth/", "/.well-known/oauth-")
METADATA = "/.well-known/oauth-protected-resource/mcp"
# Where the caller stands in the scope of a request that has been let in.
_CALLER = "hub.caller"


def shared(app: ASGIApp) -> ASGIApp:
    """Let pages of the allowed origins call `app`."""
    return CORSMiddleware(
        app,
        allow_origins=settings.MCP_ALLOWED_ORIGINS,
        allow_methods=["GET", "POST"],
        allow_headers=["*"],
        expose_headers=["WWW-Authenticate"],
    )


class Endpoint:
    """An ASGI application. Serves only inside `run()`, which can be entered once."""

    def __init__(self) -> None:
        self._sessions = StreamableHTTPSessionManager(
            server(_let_in_as),
            json_response=True,
            stateless=True,
            # Host and Origin are checked below, by Django's rules for names.
            security_settings=TransportSecuritySettings(
                enable_dns_rebinding_protection=False
            ),
        )
        self._app = shared(self._let_in)

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = Headers(scope=scope).get("x-request-id", "")
        token = request_id.set(requests.id_of(given))
        started = time.perf_counter()

        async def told(sent: Message) -> None:
            if sent["type"] == "http.response.start":
                MutableHeaders(scope=sent)["X-Request-ID"] = request_id.get()
                requests.note(scope["method"], PATH, sent["status"], started)
            await send(sent)

        try:
            await self._app(scope, receive, told)
        finally:
            request_id.reset(token)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = ASGIRequest(scope, io.BytesIO())
        refusal = _refused(request)
        if refusal is None:
            caller = await in_thread(_known, request)
            if isinstance(caller, Response):
                refusal = caller
            elif request.method != "POST":
                # No streams and no sessions: nothing to listen to, nothing to end.
                refusal = Response(status_code=405, headers={"Allow": "POST"})
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._sessions.handle_request({**scope, _CALLER: caller}, receive, send)


def _let_in_as(context: Context) -> Caller:
    caller: Caller = context.request.scope[_CALLER]  # type: ignore[union-attr]
    return caller


def _refused(request: ASGIRequest) -> Response | None:
    """A name that is not the hub's, a token that anyone could read on the way, or a
    page of another site that calls."""
    try:
        base = base_of(request)
        own = {base, f"{request.scheme}://{request.get_host()}"}
    except DisallowedHost:
        return _error(421, "BAD_HOST", "The hub does not answer to this name.")
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        secure = f"https://{request.get_host()}{PATH}"
        return Response(status_code=308, headers={"Location": secure})
    origin = request.headers.get("Origin")
    if origin and origin not in {*map(_origin, own), *settings.MCP_ALLOWED_ORIGINS}:
        return _error(403, "BAD_ORIGIN", "Pages of this origin may not call the hub.")
    return None


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _known(request: ASGIRequest) -> Caller | Response:
    """Who calls, or why that cannot be told."""
    try:
        return _caller(request) or _unauthorized(request)
    except (DatabaseError, InterfaceError) as error:
        log.error("database failure", exc_info=error)
        return _error(500, "DATABASE_UNAVAILABLE", DATABASE_MESSAGE)


def _caller(request: ASGIRequest) -> Caller | None:
    secret = _secret(request)
    user = user_of(secret, mcp_of(request), timezone.now()) if secret else None
    return Caller(user.viewer(), base_of(request)) if user else None


def _secret(request: ASGIRequest) -> str:
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.casefold() == "bearer" else ""


def _unauthorized(request: ASGIRequest) -> Response:
    told = [
        'realm="Knowledge Hub"',
        f'resource_metadata="{base_of(request)}{METADATA}"',
        f'scope="{settings.OAUTH_SCOPE}"',
    ]
    message = "Say who you are with an access token."
    if _secret(request):
        message = "This access token is not valid, or no longer."
        told[1:1] = ['error="invalid_token"', f'error_description="{message}"']
    response = _error(401, "NOT_AUTHENTICATED", message)
    response.headers["WWW-Authenticate"] = f"Bearer {', '.join(told)}"
    return response


def _error(status: int, code: str, message: str) -> Response:
    body = json.dumps({"error": message, "code": code})
    return Response(body, status, media_type="application/json")
