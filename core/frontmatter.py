"""Front matter: the YAML between two lines of `---` at the head of a Markdown file.

Every value is read as the text that was written: no "Norway is false", no version 1.10
that becomes 1.1, and no date that YAML refuses. Meaning is the caller's business.
"""

import re
from typing import Any

import yaml

from core.errors import BadInput
from core.text import clean

MAX_CHARACTERS = 64 * 1024
# Aliases can make a small text into a value of billions of nodes.
MAX_NODES = 10_000
_FENCE = re.compile(r"---[ \t]*\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.MULTILINE)
_EMPTY = ("~", "null")

# A text, a list or a mapping of texts, lists and mappings.
Value = Any


def split(text: str) -> tuple[dict[str, Value], str]:
    """The fields (keys in lower case) and the body; no fields where no block starts
    the text. `BadInput` says what cannot be read."""
    opening = _FENCE.match(text)
    if opening is None:
        return {}, text
    closing = _END.search(text, opening.end())
    if closing is None:
        # A line across the page at the head of a document, not front matter.
        return {}, text
    block = text[opening.end() : closing.start()]
    if len(block) > MAX_CHARACTERS:
        raise BadInput("The front matter is longer than 64 KB.", field="front matter")
    return _fields(block), text[closing.end() :].lstrip("\n")


def join(fields: dict[str, Value], body: str) -> str:
    """The Markdown that `split` takes apart again."""
    block = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=1_000)
    return f"---\n{block}---\n\n{body}"


def _fields(block: str) -> dict[str, Value]:
    try:
        loaded = yaml.load(block, Loader=yaml.CBaseLoader)  # noqa: S506 texts only
    except yaml.YAMLError as error:
        raise BadInput(
            f"The front matter is not valid YAML: {_where(error)}.",
            field="front matter",
        ) from error
    if not loaded:
        return {}
    if not isinstance(loaded, dict):
        raise BadInput(
            "The front matter is not a list of keys and values.", field="front matter"
        )
    budget = [MAX_NODES]
    return {
        str(key).strip().casefold(): _bounded(value, budget)
        for key, value in loaded.items()
    }


def _bounded(value: Any, budget: list[int]) -> Value:
    """A copy without aliases, its texts fit for the database."""
    budget[0] -= 1
    if budget[0] < 0:
        raise BadInput("The front matter holds too many values.", field="front matter")
    if isinstance(value, dict):
        return {clean(str(k)): _bounded(v, budget) for k, v in value.items()}
    if isinstance(value, list):
        return [_bounded(each, budget) for each in value]
    text = clean(str(value)).strip()
    return "" if text in _EMPTY else text


def _where(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or "it cannot be read"
    mark = getattr(error, "problem_mark", None)
    # The mark counts from 0 below the opening line of the block.
    return f"{problem} (line {mark.line + 2})" if mark else str(problem)
