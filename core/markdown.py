"""Markdown → HTML that is safe to show, an outline, and plain text.

HTML tags of the allow-list keep their meaning; anything else in angle brackets, such as
`<client name>` or `List<String>`, is text and is shown as typed. What comes out is
cleaned by nh3, whatever went in.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from itertools import pairwise
from urllib.parse import unquote

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.tasklists import tasklists_plugin

from core.text import fold

# Rendering takes about a second for 500,000 characters.
MAX_RENDERED = 500_000
_CUT = "\n\n*This document is too long to show in full. Export it to read the rest.*\n"
# No id from a document can be one of the page's own.
ANCHOR = "s-"
_MAX_SLUG = 80

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TAGS = frozenset(
    (
        "a abbr b blockquote br caption code dd del details div dl dt em hr i img "
        "input ins kbd li mark ol p pre q s samp small span strong sub summary sup "
        "table tbody td tfoot th thead tr u ul var"
    ).split()
).union(_HEADINGS)
_ATTRIBUTES = {
    "a": {"href", "title"},
    "abbr": {"title"},
    "code": {"class"},
    "details": {"open"},
    "img": {"src", "alt", "title"},
    "input": {"checked", "class"},
    "li": {"class"},
    "ol": {"start"},
    "ul": {"class"},
    "td": {"class", "colspan", "rowspan"},
    "th": {"class", "colspan", "rowspan"},
    **{tag: {"id"} for tag in _HEADINGS},
}
_CLASS = re.compile(
    r"language-[\w+#.-]{1,40}|align-(?:left|center|right)"
    r"|(?:contains-)?task-list(?:-item)?(?:-checkbox)?"
)
_ALIGN = re.compile(r"text-align:(left|center|right)")
_BOX = '<input class="task-list-item-checkbox"'
_KNOWN = "|".join(_TAGS - {"input"})
_BRACKET = re.compile(rf"<(?!!--)(?!{_BOX[1:]})(?!/?(?:{_KNOWN})[\s/>])", re.IGNORECASE)
_IMG = re.compile(r"<img\b[^<>]*>", re.IGNORECASE)
_IMG_ATTRIBUTE = re.compile(r"""\b(src|alt)\s*=\s*(?:"([^"]*)"|'([^']*)')""")


@dataclass(frozen=True)
class Heading:
    """`id` is the heading's anchor in the rendered HTML."""

    level: int
    id: str
    title: str


def render(markdown: str) -> SafeString:
    """Safe HTML. The page has the `h1`, so a document that uses `#` moves down one."""
    if len(markdown) > MAX_RENDERED:
        markdown = markdown[:MAX_RENDERED].rpartition("\n")[0] + _CUT
    tokens = _parse(markdown)
    parser = _parser()
    html = parser.renderer.render(tokens, parser.options, {})
    return mark_safe(_cleaner().clean(html))  # noqa: S308 cleaned on this line


def render_inline(markdown: str) -> SafeString:
    """Safe HTML of one line: code, emphasis and links, no blocks."""
    tokens = _parser().parseInline(markdown[:MAX_RENDERED])
    _settle(tokens)
    html = _parser().renderer.render(tokens, _parser().options, {})
    return mark_safe(_cleaner().clean(html))  # noqa: S308 cleaned on this line


def outline(markdown: str) -> list[Heading]:
    """The headings outside quotations and lists, with the anchors of `render`."""
    tokens = _parse(markdown[:MAX_RENDERED])
    return [
        Heading(int(token.tag[1]), str(token.attrs["id"]), _text(inline))
        for token, inline in _headings(tokens)
        if token.level == 0
    ]


def plain(markdown: str) -> str:
    """The words alone, one block a line."""
    lines = []
    for token in _parser().parse(markdown):
        if token.type == "inline":
            lines.append(_text(token))
        elif token.type in ("fence", "code_block"):
            lines.append(token.content.strip())
        elif token.type == "html_block":
            bare = nh3.clean(_BRACKET.sub("&lt;", token.content), tags=set())
            lines.append(" ".join(unescape(bare).split()))
    return "\n".join(filter(None, lines))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": 40})
    return parser.enable(["table", "strikethrough"]).use(tasklists_plugin)


@lru_cache(maxsize=1)
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        attribute_filter=_attribute,
        set_tag_attribute_values={
            "input": {"type": "checkbox", "disabled": "", "aria-label": "Task"}
        },
        link_rel="noopener nofollow",
        url_schemes={"http", "https", "mailto"},
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    if name == "class":
        kept = " ".join(each for each in value.split() if _CLASS.fullmatch(each))
        return kept or None
    if name == "id":
        return value if value.startswith(ANCHOR) else None
    if name == "href" and value.startswith("#"):
        return f"#{ANCHOR}{_slug(unquote(value[1:]))}"
    if name == "src":
        return value if _is_own(value) else None
    return value


def _parse(markdown: str) -> list[Token]:
    tokens = _parser().parse(markdown)
    _settle(tokens)
    shift = any(token.tag == "h1" for token, _ in _headings(tokens))
    taken: dict[str, int] = {}
    for token, inline in _headings(tokens):
        token.attrs["id"] = ANCHOR + _unique(_slug(_text(inline)), taken)
    if shift:
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(int(token.tag[1]) + 1, 6)}"
    return tokens


def _settle(tokens: Iterable[Token]) -> None:
    """Turn into what may be shown: foreign tags, outside images, styles."""
    for token in tokens:
        if token.type == "html_inline" and _BRACKET.match(token.content):
            token.type = "text"
        elif token.type in ("html_inline", "html_block"):
            token.content = _BRACKET.sub(
                "&lt;", _IMG.sub(lambda tag: _image_tag(tag.group()), token.content)
            )
        elif token.type == "image":
            source = str(token.attrs.get("src", ""))
            if not _is_own(source):
                token.content = _image_link(source, _text(token))
                token.type, token.children = "html_inline", None
        elif token.type in ("td_open", "th_open"):
            align = _ALIGN.search(str(token.attrs.pop("style", "")))
            if align:
                token.attrs["class"] = f"align-{align.group(1)}"
        _settle(token.children or ())


def _is_own(source: str) -> bool:
    """Whether the hub itself serves the picture; no page loads any other."""
    return source.startswith("/") and not source.startswith(("//", "/\\"))


def _image_tag(tag: str) -> str:
    found = {m[1].lower(): m[2] or m[3] or "" for m in _IMG_ATTRIBUTE.finditer(tag)}
    source = unescape(found.get("src", ""))
    return (
        tag if _is_own(source) else _image_link(source, unescape(found.get("alt", "")))
    )


def _image_link(source: str, label: str) -> str:
    name = label.strip() or unquote(source.rpartition("/")[2]) or "Picture"
    return f'<a href="{escape(source)}">{escape(name)}</a>'


def _headings(tokens: list[Token]) -> Iterator[tuple[Token, Token]]:
    """Each opening token of a heading, and the inline token that follows it."""
    for token, inline in pairwise(tokens):
        if token.type == "heading_open":
            yield token, inline


def _text(inline: Token) -> str:
    parts = []
    for token in inline.children or ():
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_text(token))
        elif token.type != "html_inline" or _BRACKET.match(token.content):
            parts.append(token.content)
    return " ".join("".join(parts).split())


def _slug(title: str) -> str:
    words = re.sub(r"[^\w\s-]", "", fold(title))
    return re.sub(r"[\s-]+", "-", words).strip("-")[:_MAX_SLUG] or "section"


def _unique(slug: str, taken: dict[str, int]) -> str:
    """The slug, or the first of slug-1, slug-2 … that is free."""
    name = slug
    while name in taken:
        name = f"{slug}-{taken[slug]}"
        taken[slug] += 1
    taken[name] = 1
    return name
