"""Two texts beside each other, as people read changes: by paragraph, then by word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

# Over this, comparing takes longer than anybody waits.
MOST = 60_000
_MOST_WORDS = 1_500
# Paragraphs that stay the same are shown this far around a change.
_AROUND = 1
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")

SAME, DELETED, ADDED, GAP = "same", "del", "add", "gap"


@dataclass(frozen=True)
class Part:
    text: str
    changed: bool = False


@dataclass(frozen=True)
class Line:
    """One paragraph; `kind` is one of the four above."""

    kind: str
    parts: Sequence[Part] = ()


def diff(old: str, new: str) -> list[Line]:
    """Empty where the texts are the same, or too long to compare."""
    if old == new or len(old) + len(new) > MOST:
        return []
    before, after = _paragraphs(old), _paragraphs(new)
    lines: list[Line] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            lines += [Line(SAME, [Part(text)]) for text in before[a:b]]
        else:
            lines += _changed(before[a:b], after[c:d])
    return list(_around(lines))


def words(old: str, new: str) -> list[Line]:
    """A short value: what it was and what it is."""
    found = _changed([old] if old else [], [new] if new else [])
    return found if old != new else []


def _paragraphs(text: str) -> list[str]:
    return [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]


def _changed(before: Sequence[str], after: Sequence[str]) -> list[Line]:
    """Paragraphs that took each other's place are compared word by word."""
    gone, come = [], []
    for place in range(max(len(before), len(after))):
        old = before[place] if place < len(before) else None
        new = after[place] if place < len(after) else None
        if old is not None and new is not None:
            was, now = _by_words(old, new)
        else:
            was, now = [Part(old or "", True)], [Part(new or "", True)]
        if old is not None:
            gone.append(Line(DELETED, was))
        if new is not None:
            come.append(Line(ADDED, now))
    return gone + come


def _by_words(old: str, new: str) -> tuple[list[Part], list[Part]]:
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    if len(before) + len(after) > _MOST_WORDS:
        return [Part(old, True)], [Part(new, True)]
    was: list[Part] = []
    now: list[Part] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        changed = tag != "equal"
        if b > a:
            was.append(Part("".join(before[a:b]), changed))
        if d > c:
            now.append(Part("".join(after[c:d]), changed))
    return was, now


def _around(lines: list[Line]) -> Iterator[Line]:
    near = {
        close
        for place, line in enumerate(lines)
        if line.kind != SAME
        for close in range(place - _AROUND, place + _AROUND + 1)
    }
    skipped = False
    for place, line in enumerate(lines):
        if place in near:
            yield line
        elif not skipped:
            yield Line(GAP)
        skipped = place not in near
