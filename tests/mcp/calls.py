"""Tools called as the server calls them, without a wire between."""

from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from accounts.assistants import Answer, Caller, Refusal
from accounts.viewer import Viewer
from config.mcp import TOOLS

BASE = "https://hub.example.org"


def outcome(viewer: Viewer, name: str, **arguments: Any) -> Answer | Refusal:
    return TOOLS[name].call(Caller(viewer, BASE), arguments)


def answer(viewer: Viewer, name: str, **arguments: Any) -> Answer:
    """An answer whose structured content is what its schema says."""
    found = outcome(viewer, name, **arguments)
    assert isinstance(found, Answer), found
    schema = TOOLS[name].output_schema
    Draft202012Validator(schema, format_checker=FormatChecker()).validate(found.data)
    return found


def refusal(viewer: Viewer, name: str, **arguments: Any) -> str:
    found = outcome(viewer, name, **arguments)
    assert isinstance(found, Refusal), found
    return found.text


def ids(found: Answer) -> list[str]:
    return [each["id"] for each in found.data["results"]]
