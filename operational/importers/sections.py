"""A Markdown document as its sections, outside fences."""

import re
from dataclasses import dataclass

from core.text import fold

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LIST = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s*)?(.+)$")


@dataclass(frozen=True)
class Section:
    """`name` folded for comparison; `text` without the heading, deeper ones in it."""

    level: int
    title: str
    text: str

    @property
    def name(self) -> str:
        return re.sub(r"[^\w\s]", "", fold(self.title)).strip()


def split(markdown: str) -> list[Section]:
    """The opening (level 0, no title), then each heading with all below it."""
    lines = markdown.split("\n")
    heads = [(0, "", -1)]
    fence = ""
    for number, line in enumerate(lines):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (head := _HEADING.match(line)):
            heads.append((len(head[1]), head[2], number))
    found = []
    for place, (level, title, start) in enumerate(heads):
        later = heads[place + 1 :]
        end = next((at for lv, _, at in later if lv <= level), len(lines))
        if level == 0:
            end = later[0][2] if later else len(lines)
        found.append(Section(level, title, "\n".join(lines[start + 1 : end]).strip()))
    return found


def entries(text: str) -> tuple[str, ...]:
    """The lines of a list, without their marks."""
    found = (_LIST.match(line) for line in text.split("\n"))
    return tuple(match[1].strip() for match in found if match)


def code_lines(text: str) -> tuple[str, ...]:
    """The lines of a section that shows messages: of its code blocks if it has any,
    else of its list or quotation."""
    lines: list[str] = []
    fenced: list[str] = []
    fence = ""
    for line in text.split("\n"):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
            continue
        (fenced if fence else lines).append(line.strip())
    plain = [re.sub(r"^(?:[-*+]|\d+[.)]|>)\s+", "", line) for line in lines]
    return tuple(line.strip("` ") for line in (fenced or plain) if line.strip("` "))
