"""Charts as numbers: where each mark stands, in percent, so that text keeps size."""

from collections.abc import Sequence
from dataclasses import dataclass

# Of the bar charts, in pixels: the top of the highest bar and the line they stand on.
_TOP = 42.0
_BASE = 148.0


@dataclass(frozen=True)
class Mark:
    """A part of a strip, or a bar. Lengths along x are in percent."""

    x: str
    width: str
    css: str
    y: str = "0"
    height: str = "36"
    value: str = ""
    value_x: str = ""
    value_y: str = ""


@dataclass(frozen=True)
class Row:
    """A line of the table that says the same as the chart, with the way into admin."""

    label: str
    count: int
    url: str = ""
    css: str = ""


@dataclass(frozen=True)
class Chart:
    """`sentence` is what the picture says to those who cannot see it."""

    sentence: str
    marks: Sequence[Mark]
    rows: Sequence[Row]
    head: str = ""
    ticks: Sequence[tuple[str, str, str]] = ()
    names: Sequence[tuple[str, str, str]] = ()
    lines: Sequence[str] = ()


def strip(rows: Sequence[Row], sentence: str) -> Chart:
    """Parts side by side, each as wide as its share; those of none are left out."""
    total = sum(row.count for row in rows) or 1
    marks, start = [], 0.0
    for row in rows:
        width = 100 * row.count / total
        if row.count:
            # A gap of 0.4 between parts, but never less than a hair of the part.
            shown = max(0.3, width - 0.4)
            marks.append(Mark(_n(start), _n(min(shown, 100 - start)), row.css))
        start += width
    return Chart(sentence, marks, rows)


def bars(rows: Sequence[Row], sentence: str, head: str, *, gap: float = 2.0) -> Chart:
    """One bar a row, with its number above it."""
    step = 100 / max(1, len(rows))
    most = max((row.count for row in rows), default=0) or 1
    marks = []
    for place, row in enumerate(rows):
        height = (_BASE - _TOP) * row.count / most
        top = _BASE - height
        marks.append(
            Mark(
                x=_n(place * step + gap / 2),
                width=_n(step - gap),
                css=row.css,
                y=_n(top),
                height=_n(height),
                value=f"{row.count:,}" if row.count else "",
                value_x=_n((place + 0.5) * step),
                value_y=_n(top - 6),
            )
        )
    return Chart(sentence, marks, rows, head)


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
