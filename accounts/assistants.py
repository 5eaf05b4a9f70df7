"""What assistants may call as a user: the rooms define tools and documents, and
`config.mcp` serves them."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db import DatabaseError, InterfaceError
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

from accounts.viewer import Viewer
from core.errors import HubError, Unavailable

log = logging.getLogger("hub.assistants")

Schema = dict[str, Any]

_LONGEST_REFUSAL = 400


@dataclass(frozen=True)
class Caller:
    """Who calls, and the address by which people reach the hub (`https://…`)."""

    viewer: Viewer
    base: str = ""

    def address(self, path: str) -> str:
        return f"{self.base}{path}"


@dataclass(frozen=True)
class Answer:
    """The same twice: Markdown that suffices alone, and what the output schema says."""

    text: str
    data: Schema

    @classmethod
    def of_json(cls, data: Schema) -> "Answer":
        return cls(json.dumps(data, ensure_ascii=False), data)


@dataclass(frozen=True)
class Refusal:
    """Why there is no answer, in words that help to ask again."""

    text: str


@dataclass(frozen=True)
class Tool:
    """`failed` puts the reason of a failure into the sentence agreed for this tool."""

    name: str
    title: str
    description: str
    input_schema: Schema
    output_schema: Schema
    run: Callable[[Caller, Schema], Answer]
    failed: str = "{reason}."

    @cached_property
    def _validator(self) -> Draft202012Validator:
        return Draft202012Validator(self.input_schema)

    def call(self, caller: Caller, arguments: Mapping[str, Any]) -> Answer | Refusal:
        """Never raises. Null stands for an argument left out: many models send it."""
        given = {
            name: _whole(value)
            for name, value in arguments.items()
            if value is not None
        }
        wrong = best_match(self._validator.iter_errors(given))
        if wrong is not None:
            return Refusal(_refusal(wrong))
        try:
            return self.run(caller, given)
        except HubError as error:
            if not isinstance(error, Unavailable) and error.status < 500:
                return Refusal(error.message)
            return Refusal(self._failure(error.message))
        except (DatabaseError, InterfaceError) as error:
            log.error("database failure", exc_info=error)
            return Refusal(self._failure("The library cannot be reached"))
        except Exception as error:
            log.error("unexpected failure", exc_info=error)
            return Refusal(self._failure("Something went wrong; it has been logged"))

    def _failure(self, reason: str) -> str:
        return self.failed.format(reason=reason.rstrip("."))


@dataclass(frozen=True)
class Document:
    """A kind of resource. `scheme` is its address without the name at its end."""

    scheme: str
    variables: str
    name: str
    title: str
    description: str
    read: Callable[[Caller, str], str] = field(repr=False)

    @property
    def template(self) -> str:
        return self.scheme + self.variables


def _whole(value: Any) -> Any:
    """JSON has one kind of number: some clients write 10 as 10.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refusal(error: ValidationError) -> str:
    where = ".".join(map(str, error.absolute_path))
    what = error.message
    if len(what) > _LONGEST_REFUSAL:  # it quotes the value
        what = f"does not fit {error.validator} {error.validator_value}"
    return f"Invalid arguments. {f'{where}: ' if where else ''}{what}."


def closed(properties: Schema, *, optional: tuple[str, ...] = ()) -> Schema:
    """The schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
