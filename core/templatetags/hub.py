"""Small drawings and words that templates share: icons, sketches, staves, bars."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.forms import BoundField
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core import navigation
from core.markdown import render_inline

register = template.Library()

SPRITE = "icons.svg"
PARTS = ("freshness", "completeness", "verification", "use")
TYPE_ICONS = {
    "qa_pair": "qa",
    "case_study": "case",
    "policy": "policy",
    "article": "article",
    "product": "product",
    "biography": "bio",
    "template": "template",
}
UNDRESSED = ("checkbox", "radio", "file")


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """An icon beside a word; one that stands alone gets a `label`."""
    voice = (
        format_html('role="img" aria-label="{}"', label)
        if label
        else SafeString('aria-hidden="true"')
    )
    return format_html(
        '<svg class="icon" width="16" height="16" {}><use href="{}#i-{}"/></svg>',
        voice,
        static(SPRITE),
        name,
    )


@register.simple_tag
def jump_icons() -> list[tuple[str, str]]:
    """Sections of the jump list and their icons."""
    return navigation.icons()


@register.filter
def type_icon(content_type: str) -> str:
    """The icon's name for a content type; a plain page for types added later."""
    return TYPE_ICONS.get(content_type, "file")


@register.simple_tag
def thumb(content_type: str) -> SafeString:
    """The page sketch that stands where an item has no picture."""
    return format_html(
        '<svg class="thumb" width="44" height="56" data-type="{}" aria-hidden="true">'
        '<use href="{}#t-{}"/></svg>',
        content_type,
        static(SPRITE),
        content_type if content_type in TYPE_ICONS else "article",
    )


@register.simple_tag
def stave(parts: Any) -> SafeString:
    """Four bars in the order of PARTS, from a mapping or an object."""
    bars = []
    for place, name in enumerate(PARTS):
        height = 14 * _percent(_get(parts, name)) / 100
        bars.append((place * 5, place * 5, f"{14 - height:.1f}", f"{height:.1f}"))
    return format_html(
        '<svg width="18" height="14" viewBox="0 0 18 14" aria-hidden="true">{}</svg>',
        format_html_join(
            "",
            '<rect class="bed" x="{}" width="3" height="14" rx="1"/>'
            '<rect x="{}" y="{}" width="3" height="{}" rx="1"/>',
            bars,
        ),
    )


@register.simple_tag
def bar(value: float, label: str = "") -> SafeString:
    """A bar, 0 to 100; it speaks if it has a label, else a number stands beside it."""
    width = _percent(value)
    voice = (
        format_html(
            'role="progressbar" aria-label="{}" aria-valuenow="{}"'
            ' aria-valuemin="0" aria-valuemax="100"',
            label,
            round(width),
        )
        if label
        else SafeString('aria-hidden="true"')
    )
    return format_html(
        '<svg class="bar" width="100%" height="8" {}>'
        '<rect class="track" width="100%" height="8" rx="4"/>'
        '<rect class="fill" width="{}%" height="8" rx="4"/></svg>',
        voice,
        f"{width:g}",
    )


@register.simple_tag
def split_bar(why: Iterable[Any]) -> SafeString:
    """The parts of a score side by side; `share` is a part's width, 0 to 100."""
    rects, start = [], 0.0
    for place, part in enumerate(why, start=1):
        width = min(_percent(_get(part, "share")), 100 - start)
        if width > 0:
            rects.append((place, f"{start:.1f}", f"{width:.1f}"))
            start += width
    return format_html(
        '<svg class="split-bar" width="100%" height="10" aria-hidden="true">'
        '<rect class="track" width="100%" height="10" rx="3"/>{}</svg>',
        format_html_join(
            "", '<rect class="k{}" x="{}%" width="{}%" height="10"/>', rects
        ),
    )


@register.filter
def inline(markdown: str) -> SafeString:
    """One line of Markdown, such as a step."""
    return render_inline(markdown)


@register.filter
def days(count: int) -> str:
    """`1 day`, `12 days`; a past count loses its sign, the word beside it says so."""
    return f"{abs(count)} day{'' if abs(count) == 1 else 's'}"


@register.filter
def initials(name: str) -> str:
    """The first letters of the first and the last word."""
    words = str(name).split()
    ends = words[:1] + words[1:][-1:]
    return "".join(word[0] for word in ends).upper()


@register.simple_tag
def control(field: BoundField, css: str = "", **attrs: str | bool) -> SafeString:
    """A field's control, dressed; Django adds aria-invalid and aria-describedby."""
    given = {name.replace("_", "-"): value for name, value in attrs.items()}
    if getattr(field.field.widget, "input_type", "") not in UNDRESSED:
        given["class"] = f"input {css}".strip()
    return field.as_widget(attrs=given)


def _get(parts: Any, name: str) -> float:
    """A number from a mapping or an object; 0 where there is none."""
    if isinstance(parts, Mapping):
        value = parts.get(name)
    else:
        value = getattr(parts, name, None)
    return value if isinstance(value, int | float) else 0.0


def _percent(value: float) -> float:
    return max(0.0, min(100.0, float(value)))
