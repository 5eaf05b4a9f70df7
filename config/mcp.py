"""The hub's MCP server: the tools and documents of both rooms, called as a user."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

import anyio
from anyio.lowlevel import RunVar
from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.db import connections
from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

import operational.mcp
import search.mcp
from accounts.assistants import Answer, Caller, Document, Refusal, Tool
from core.errors import HubError

TOOLS: Mapping[str, Tool] = {
    tool.name: tool for tool in (*search.mcp.TOOLS, *operational.mcp.TOOLS)
}
DOCUMENTS: tuple[Document, ...] = (*search.mcp.DOCUMENTS, *operational.mcp.DOCUMENTS)

INSTRUCTIONS = (
    "Knowledge Hub holds an organisation's governed library and its operational memory "
    "of failures and fixes. Start with find for questions and documents, and with "
    "operational_search for errors and incidents. Results tell whether they are "
    "approved, verified and current: say so, and cite their address. An empty result "
    "means that nothing is recorded; do not fill it in."
)
UNREAD = "This cannot be read now. Please try again shortly."
# Tools and templates change with a release only, and are the same for everybody.
_LISTS = CacheHint(ttl_ms=3_600_000, scope="public")

log = logging.getLogger("hub.assistants")

Context = ServerRequestContext[Any, Any]
# Runs in a thread, at each call.
CallerOf = Callable[[Context], Caller]

_at_once: RunVar[anyio.CapacityLimiter] = RunVar("mcp_calls_at_once")


async def in_thread(work: Callable[..., Any], *args: Any) -> Any:
    """Run `work`, which may use the database, beside others: in a thread and with a
    connection of its own, and no more at once than leave connections for pages."""
    limiter = _at_once.get(None)
    if limiter is None:
        limiter = anyio.CapacityLimiter(settings.MCP_CALLS_AT_ONCE)
        _at_once.set(limiter)
    async with limiter, ThreadSensitiveContext():
        return await sync_to_async(_and_let_go)(work, *args)


def _and_let_go(work: Callable[..., Any], *args: Any) -> Any:
    try:
        return work(*args)
    finally:
        for connection in connections.all(initialized_only=True):
            # Only a caller's own thread, which is not ours to clear, has begun one.
            if not connection.in_atomic_block:
                connection.close()


def server(caller_of: CallerOf) -> Server[Any]:
    async def list_tools(context: Context, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(each) for each in TOOLS.values()])

    async def call_tool(
        context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            known = ", ".join(TOOLS)
            raise MCPError(
                types.INVALID_PARAMS, f"Unknown tool: {params.name[:80]!r} ({known})."
            )
        arguments = params.arguments or {}
        return _result(
            await in_thread(lambda: tool.call(caller_of(context), arguments))
        )

    async def list_resources(
        context: Context, params: Any
    ) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[])

    async def list_templates(
        context: Context, params: Any
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[_template(each) for each in DOCUMENTS]
        )

    async def read_resource(
        context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        text = await in_thread(lambda: _read(caller_of(context), uri))
        found = types.TextResourceContents(
            uri=params.uri, mime_type="text/markdown", text=text
        )
        return types.ReadResourceResult(contents=[found])

    return Server(
        "knowledge-hub",
        title="Knowledge Hub",
        version="1",
        instructions=INSTRUCTIONS,
        website_url=settings.PUBLIC_URL or None,
        cache_hints={
            "tools/list": _LISTS,
            "resources/list": _LISTS,
            "resources/templates/list": _LISTS,
        },
        get_tool_input_schema=_input_schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _input_schema(name: str) -> dict[str, Any] | None:
    tool = TOOLS.get(name)
    return tool.input_schema if tool else None


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations(
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


def _template(document: Document) -> types.ResourceTemplate:
    return types.ResourceTemplate(
        uri_template=document.template,
        name=document.name,
        title=document.title,
        description=document.description,
        mime_type="text/markdown",
    )


def _result(outcome: Answer | Refusal) -> types.CallToolResult:
    content: list[Any] = [types.TextContent(type="text", text=outcome.text)]
    if isinstance(outcome, Refusal):
        return types.CallToolResult(content=content, is_error=True)
    return types.CallToolResult(content=content, structured_content=outcome.data)


def _read(caller: Caller, uri: str) -> str:
    for document in DOCUMENTS:
        if uri.startswith(document.scheme):
            try:
                return document.read(caller, uri.removeprefix(document.scheme))
            except HubError as error:
                ours = error.status >= 500
                code = types.INTERNAL_ERROR if ours else types.INVALID_PARAMS
                raise MCPError(code, error.message, {"uri": uri}) from error
            except Exception as error:
                log.error("unexpected failure", exc_info=error)
                raise MCPError(types.INTERNAL_ERROR, UNREAD, {"uri": uri}) from error
    raise MCPError(types.INVALID_PARAMS, "Unknown resource.", {"uri": uri[:200]})
