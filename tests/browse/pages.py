"""Reads what a page says, as a person would find it."""

import re
from html import unescape
from typing import Any

HTMX = {"HX-Request": "true"}


def text(response: Any) -> str:
    body = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(unescape(body).split())


def titles(response: Any) -> list[str]:
    """Titles of the items listed, in order: cards, rows or results."""
    found = re.findall(
        r'class="(?:card__title|result__title|table__title)"><a href="[^"]*">([^<]*)<',
        response.content.decode(),
    )
    return [unescape(each) for each in found]


def links(response: Any, label: str) -> list[str]:
    """Addresses of the links with exactly this text."""
    found = re.findall(
        r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', response.content.decode(), re.DOTALL
    )
    return [
        unescape(href)
        for href, inner in found
        if " ".join(re.sub(r"<[^>]+>", " ", inner).split()) == label
    ]


def facet(response: Any, name: str) -> dict[str, int]:
    """Counts of one group of the filter panel, zeros too."""
    found = re.findall(
        rf'name="{name}"\s+value="([^"]*)".*?facet__n">(\d+)<',
        response.content.decode(),
        re.DOTALL,
    )
    return {unescape(value): int(count) for value, count in found}


def hidden(response: Any, within: str) -> list[tuple[str, str]]:
    """Hidden fields of the form that carries the id or class `within`."""
    form = response.content.decode().split(within, 1)[1].split("</form>", 1)[0]
    found = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form)
    return [(name, unescape(value)) for name, value in found]
