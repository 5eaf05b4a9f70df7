"""What clients read before they call anything."""

import json
from typing import Any

from asgiref.sync import async_to_sync
from jsonschema import Draft202012Validator
from mcp import Client

from accounts.assistants import Caller
from accounts.viewer import Viewer
from config.mcp import server


async def _listed() -> tuple[list[dict[str, Any]], list[str]]:
    hub = server(lambda _: Caller(Viewer.system()))
    async with Client(hub) as client:
        tools = (await client.list_tools()).tools
        templates = (await client.list_resource_templates()).resource_templates
        assert (await client.list_resources()).resources == []
    return (
        [
            each.model_dump(mode="json", by_alias=True, exclude_none=True)
            for each in tools
        ],
        [each.uri_template for each in templates],
    )


listed = async_to_sync(_listed)


def test_the_listing_is_the_same_each_time_and_small() -> None:
    tools, templates = listed()
    assert (tools, templates) == listed()
    assert [each["name"] for each in tools] == [
        "find", "get_item", "search", "fetch", "operational_search"
    ]  # fmt: skip
    assert templates == ["kb://item/{id}", "ops://{type}/{slug}"]
    assert len(json.dumps(tools).encode()) < 16_000
    bare = [{k: v for k, v in each.items() if k != "outputSchema"} for each in tools]
    assert len(json.dumps(bare).encode()) < 8_000


def test_every_tool_only_reads_and_says_what_it_takes_and_gives() -> None:
    for tool in listed()[0]:
        for name in ("inputSchema", "outputSchema"):
            Draft202012Validator.check_schema(tool[name])
            assert (tool[name]["type"], tool[name]["additionalProperties"]) == (
                "object", False
            )  # fmt: skip
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": False,
        }
        assert tool["title"]
        assert len(tool["description"]) > 40
