"""Checked at start: what would otherwise fail in front of somebody."""

from typing import Any

from django.core.checks import CheckMessage, Error, register

from browse import prompts


@register("browse")
def cards_are_complete(**_: Any) -> list[CheckMessage]:
    found = prompts.faults(prompts.BY_FOCUS, prompts.FALLBACK)
    return [Error(fault, id="browse.E001") for fault in found]
