"""`/mcp` over HTTP: both eras of the protocol, and who is let in."""

from typing import Any

import pytest
from django.db import OperationalError
from mcp import Client, types
from mcp.shared.exceptions import MCPError

from accounts import tokens
from accounts.models import User
from core.outages import DATABASE_MESSAGE
from kb.enums import ReviewStatus
from tests.factories.library import item
from tests.mcp.wire import HUB, connected, hub, message, run

pytestmark = pytest.mark.django_db

ACCEPT = "application/json, text/event-stream"
METADATA = f'resource_metadata="{HUB}/.well-known/oauth-protected-resource/mcp"'


@pytest.fixture
def token(charlie: User) -> str:
    return tokens.create(charlie, "test")[1]


def text_of(result: types.CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, types.TextContent)
    return block.text


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_client_lists_calls_and_reads_in_both_eras(
    mode: str, token: str
) -> None:
    made = item("Backup policy", "We restore a backup each quarter.")

    async def work() -> None:
        async with connected(token, mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert "find" in names
            found = await client.call_tool("find", {"query": "restore a backup"})
            assert not found.is_error
            hit = found.structured_content["results"][0]
            assert (hit["id"], hit["url"]) == (str(made.pk), f"{HUB}/items/{made.pk}")
            assert hit["url"] in text_of(found)
            read = await client.read_resource(f"kb://item/{made.pk}")
            assert "We restore a backup" in str(read.contents[0])
            refused = await client.call_tool("find", {"query": "x", "limit": 31})
            assert refused.is_error
            assert "maximum of 30" in text_of(refused)
            for call in (
                lambda: client.call_tool("nothing", {}),
                lambda: client.read_resource("kb://item/7"),
                lambda: client.read_resource("poem://x"),
            ):
                with pytest.raises(MCPError):
                    await call()

    run(work)


def test_a_client_of_2025_written_by_hand(token: str) -> None:
    item("Backup policy", "We restore a backup each quarter.")

    async def work() -> None:
        async with hub(token, Accept=ACCEPT) as client:
            hello = await client.post(
                "/mcp",
                json=message(
                    "initialize",
                    protocolVersion="2025-06-18",
                    capabilities={},
                    clientInfo={"name": "by hand", "version": "1"},
                ),
            )
            told = hello.json()["result"]
            assert hello.headers["content-type"] == "application/json"
            assert told["protocolVersion"] == "2025-06-18"
            assert told["instructions"]
            assert set(told["capabilities"]) == {"tools", "resources"}
            assert "mcp-session-id" not in hello.headers
            client.headers["MCP-Protocol-Version"] = "2025-06-18"
            noted = await client.post(
                "/mcp",
                json={"jsonrpc": "2.0", "method": "notifications/initialized"},
            )
            assert noted.status_code == 202
            for name in ("backup", "zebrafish"):
                answer = await client.post(
                    "/mcp",
                    json=message("tools/call", name="find", arguments={"query": name}),
                )
                found = answer.json()["result"]
                assert found["isError"] is False
                assert found["structuredContent"]["query"] == name
            for method in ("GET", "DELETE"):
                other = await client.request(method, "/mcp")
                assert other.status_code == 405

    run(work)


def test_drafts_open_for_editors_tokens_alone(charlie: User, bob: User) -> None:
    draft = item("Merger", governance_review_status=ReviewStatus.DRAFT)

    async def opened(client: Client) -> list[bool]:
        answers = [
            await client.call_tool(name, {"id": str(draft.pk)})
            for name in ("get_item", "fetch")
        ]
        return [not answer.is_error for answer in answers]

    async def work() -> None:
        for person, may in ((bob, True), (charlie, False)):
            secret = await _token(person)
            async with connected(secret) as client:
                assert await opened(client) == [may, may]
                found = await client.call_tool("find", {"query": "merger"})
                assert found.structured_content["results"] == []

    secrets = {each.pk: tokens.create(each, "x")[1] for each in (charlie, bob)}

    async def _token(person: User) -> str:
        return secrets[person.pk]

    run(work)


def test_a_database_that_is_gone_is_told_in_plain_words(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> None:
        raise OperationalError("secret detail")

    monkeypatch.setattr("config.mcp_http.user_of", gone)

    async def work() -> None:
        async with hub(token) as client:
            answer = await client.post("/mcp", json=message("tools/list"))
            assert answer.status_code == 500
            assert answer.json() == {
                "error": DATABASE_MESSAGE,
                "code": "DATABASE_UNAVAILABLE",
            }

    run(work)


def test_without_a_live_token_nothing_is_said(token: str, charlie: User) -> None:
    revoked, secret = tokens.create(charlie, "old")
    tokens.revoke(revoked, revoked.created_at)

    async def work() -> None:
        for given in ("", "kh_nonsense", secret, "oauth-nonsense", "\x01"):
            async with hub(given) as client:
                answer = await client.post("/mcp", json=message("tools/list"))
                assert answer.status_code == 401
                told = answer.headers["www-authenticate"]
                assert METADATA in told
                assert ('error="invalid_token"' in told) == bool(given)
                assert answer.json()["code"] == "NOT_AUTHENTICATED"

    run(work)


def test_each_call_has_its_id_and_its_line_without_anyones_words(
    token: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> Any:
        named = {"X-Request-ID": "proxy-12345", "Accept": ACCEPT}
        async with hub(token, **named) as client:
            asked = {"name": "find", "arguments": {"query": "secret merger"}}
            return await client.post("/mcp", json=message("tools/call", **asked))

    with caplog.at_level("INFO"):
        answer = run(work)
    assert answer.headers["x-request-id"] == "proxy-12345"
    line = next(each for each in caplog.records if each.name == "hub.request")
    assert (line.path, line.status) == ("/mcp", 200)  # type: ignore[attr-defined]
    assert "merger" not in caplog.text


def test_a_token_dies_with_its_users_account(token: str, charlie: User) -> None:
    charlie.is_active = False
    charlie.save()

    async def work() -> Any:
        async with hub(token) as client:
            return (await client.post("/mcp", json={})).status_code

    assert run(work) == 401


def test_names_and_origins_are_the_hubs_own(token: str, settings: Any) -> None:
    settings.PUBLIC_URL = "https://hub.example.org"
    settings.ALLOWED_HOSTS = ["hub.example.org"]
    settings.MCP_ALLOWED_ORIGINS = ["https://inspector.example"]

    async def status(host: str, origin: str) -> Any:
        headers = {"Host": host, "Accept": ACCEPT}
        async with hub(token, **headers | ({"Origin": origin} if origin else {})) as to:
            return await to.post("/mcp", json=message("ping"))

    async def work() -> None:
        own = "hub.example.org"
        assert (await status("evil.example", "")).status_code == 421
        assert (await status(own, "")).status_code == 200
        assert (await status(own, "https://hub.example.org")).status_code == 200
        assert (await status(own, "https://evil.example")).status_code == 403
        shared = await status(own, "https://inspector.example")
        assert shared.status_code == 200
        assert shared.headers["access-control-allow-origin"]
        settings.SECURE_SSL_REDIRECT = True
        settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        moved = await status(own, "")
        assert moved.headers["location"] == "https://hub.example.org/mcp"
        proxied = {"Host": own, "Accept": ACCEPT, "X-Forwarded-Proto": "https"}
        async with hub(token, **proxied) as client:
            answer = await client.post("/mcp", json=message("ping"))
            assert answer.status_code == 200
        settings.SECURE_SSL_REDIRECT = False
        async with hub("", Host=own, Origin="https://inspector.example") as client:
            wanted = {"Access-Control-Request-Method": "POST"}
            for path in ("/oauth/token", "/oauth/register", "/mcp"):
                asked = await client.options(path, headers=wanted)
                assert asked.status_code == 200
                told = asked.headers["access-control-allow-origin"]
                assert told == "https://inspector.example"
            answer = await client.post("/mcp", json={})
            told = answer.headers["www-authenticate"]
            assert "https://hub.example.org/.well-known/oauth-protected-" in told

    run(work)


BODIES = (b"", b"[]", b"{", b"null", b"\xff", b'{"id":1}', b"[" * 90_000)
# What JSON can say as arguments of `find`, and more.
ARGUMENTS = (
    r'{"query": "a\u0000b"}',
    r'{"query": "a\ud800b"}',
    r'{"query": "x", "scope": {"domain": "\ud800\u0000"}}',
    r'{"query": "x", "type": "\ud800"}',
    r'{"\ud800": "x"}',
    '{"query": "x", "limit": 10.0, "offset": 1.0, "granularity": "chunk"}',
    '{"query": "x", "limit": 1e400}',
    '{"query": "x", "limit": NaN}',
    '{"query": "x", "offset": 99999999999999999999}',
    '{"query": {"query": []}}',
    r'{"similar_to": "\ud800"}',
    '{"scope": []}',
)


@pytest.mark.parametrize("era", ["2025-06-18", "2026-07-28"])
def test_nothing_that_is_sent_breaks_it(era: str, token: str) -> None:
    meta = (
        '"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", '
        '"io.modelcontextprotocol/clientCapabilities": {}},'
    )
    start = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {'
    start += f'{meta if era > "2026" else ""} "name": "find", "arguments": '
    headers = {
        "Content-Type": "application/json",
        "Accept": ACCEPT,
        "MCP-Protocol-Version": era,
        "Mcp-Method": "tools/call",
        "Mcp-Name": "find",
    }

    async def work() -> None:
        async with hub(token, **headers) as client:
            for body in BODIES:
                answer = await client.post("/mcp", content=body)
                assert 400 <= answer.status_code < 500
            for arguments in ARGUMENTS:
                body = f"{start}{arguments}}}}}".encode()
                answer = await client.post("/mcp", content=body)
                told = answer.json()
                assert answer.status_code in (200, 400)
                assert ("result" in told) == (answer.status_code == 200)
                assert "Something went wrong" not in answer.text

    run(work)


def test_pages_are_served_beside_it(db: None) -> None:
    async def work() -> Any:
        async with hub() as client:
            return await client.get("/healthz"), await client.get("/mcpx")

    healthy, missing = run(work)
    assert (healthy.status_code, missing.status_code) == (200, 404)
