"""Two texts as what was taken out and put in, line by line."""

from collections.abc import Iterator
from difflib import unified_diff

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

CONTEXT = 2
# Longer texts are compared by their first lines; the item's page holds the rest.
MOST_LINES = 2_000
_TAGS = {"-": "del", "+": "ins"}


def changed_lines(before: str, after: str) -> SafeString:
    return format_html_join("", "{}", ((line,) for line in _lines(before, after)))


def _lines(before: str, after: str) -> Iterator[SafeString]:
    old, new = (text.splitlines()[:MOST_LINES] for text in (before, after))
    for number, line in enumerate(unified_diff(old, new, n=CONTEXT, lineterm="")):
        mark, text = line[:1], line[1:]
        if number < 2:  # the names of the two
            continue
        if mark == "@":
            yield format_html("<div>{}</div>", "…")
        elif mark in _TAGS:
            tag = _TAGS[mark]
            yield format_html("<div><{}>{}</{}></div>", tag, text or "¶", tag)
        else:
            yield format_html("<div>{}</div>", text or "\u00a0")
