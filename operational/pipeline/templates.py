"""A recorded message as a template: literals that must be there, slots that are free.

Free is what the record marks as a placeholder (`…`, `{x}`, `%s`, `<name>`, `${x}`, the
names that documentation uses for "any": x, foo), and what varies by its shape (paths,
ids, times, versions, numbers). A quoted value that is not marked is literal: `'fs'` and
`'path'` are two failures.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import cached_property

from operational.pipeline.normalise import (
    CODE,
    MARK,
    NUMBER,
    VALUE,
    WORD,
    Token,
    clean,
    tokens,
)

# Raised when templates come out differently; stored keys keep the version they have.
VERSION = 1

SLOT = "\u0000slot"
_SLOT_MARK = " \u0001 "
HTML_TAGS = frozenset(
    "html head body title script style link meta img a p div span ul ol li table tr td"
    " th form input button select option svg h1 h2 h3 h4 h5 h6 iframe main nav section"
    " slot template canvas video audio br hr pre code".split()
)
PLACEHOLDER = re.compile(
    r"…|\.\.\.(?!\w)|\$\{[^{}\n]{0,80}\}|\{\{[^{}\n]{0,80}\}\}|\{[\w .:-]{0,40}\}"
    r"|%(?:\(\w+\))?[sdifrvqxp](?![A-Za-z%])|#<\w+>|\[object \w+\]"
)
ANGLED = re.compile(r"<([a-z][\w .:-]{0,40})>")
_QUOTED = re.compile(r"(?<!\w)(`[^`\n]{1,80}`|'[^'\n]{1,80}'|\"[^\"\n]{1,80}\")(?!\w)")
# What documentation writes for "any name".
_ANY = frozenset("x y z #x #y foo bar baz".split())
_PREFIX = re.compile(
    r"\s*(?:uncaught\s+)?(?:\w+(?:error|exception|warning)|error|warning)\s*:\s+",
    re.IGNORECASE,
)
# Numbers that name a failure rather than count something.
_STATUS = re.compile(r"[45]\d\d")


@dataclass(frozen=True)
class Template:
    """`literals[i]` is preceded by a slot where `slots[i]`; `prefix` is the class of
    error that the record names and a paste may lack. `open_end`: a slot ends it."""

    literals: tuple[Token, ...]
    slots: tuple[bool, ...]
    prefix: str
    open_end: bool

    @cached_property
    def shown(self) -> str:
        words = [self.prefix] if self.prefix else []
        for literal, slot in zip(self.literals, self.slots, strict=True):
            words += ["…", literal.text] if slot else [literal.text]
        return " ".join([*words, "…"] if self.open_end else words)

    @property
    def key(self) -> str:
        return hashlib.sha256(self.shown.encode()).hexdigest()[:32]


def compile_template(text: str, *, free_quotes: bool = False) -> Template:
    """`free_quotes` for messages taken from examples, whose quoted values are only
    instances."""
    body = clean(text)
    prefix = ""
    if match := _PREFIX.match(body):
        prefix = match.group().rpartition(":")[0].strip().casefold()
        body = body[match.end() :]
    if free_quotes:
        body = _QUOTED.sub(_SLOT_MARK, body)
    marked = PLACEHOLDER.sub(_SLOT_MARK, body)
    marked = ANGLED.sub(_angled, marked)
    literals, slots, pending = _elements(marked)
    if not literals:  # nothing but values: then the values are what it is known by
        literals = [t for t in tokens(body) if t.kind != MARK]
        slots, pending = [False] * len(literals), False
    return Template(tuple(literals), tuple(slots), prefix, pending)


def _angled(match: re.Match[str]) -> str:
    tag = match[1].partition(" ")[0]
    return match.group() if tag in HTML_TAGS else _SLOT_MARK


def _elements(marked: str) -> tuple[list[Token], list[bool], bool]:
    literals: list[Token] = []
    slots: list[bool] = []
    pending = False
    for place, piece in enumerate(marked.split(_SLOT_MARK.strip())):
        pending = pending or place > 0
        for token in tokens(piece):
            if is_free(token):
                pending = True
            elif token.kind != MARK:
                literals.append(token)
                slots.append(pending)
                pending = False
    return literals, slots, pending


def is_free(token: Token) -> bool:
    if token.kind == NUMBER:
        return _STATUS.fullmatch(token.text) is None
    return token.kind == VALUE or (token.kind in (WORD, CODE) and token.text in _ANY)
