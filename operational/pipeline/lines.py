"""The telling part of a paste: which lines speak of the failure, and which only say
where it happened (stack frames, source excerpts) or repeat a log's preamble."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from operational.pipeline.normalise import MARK, Token, clean, tokens

# A paste beyond this is read from both ends: errors stand first or last.
MAX_CHARACTERS = 64 * 1024
MAX_LINES = 5_000
MAX_TOKENS = 1_200

_FRAME = re.compile(
    r"""^\s*(?:
        at\s+(?:async\s+|new\s+)?[\w$.<>\[\]/@*#: -]{1,160}\s*(?:\(|$)
      | at\s+\S+:\d+ | \S+@\S+:\d+:\d+\s*$ | .{0,80}\s@\s\S+:\d+
      | File\s+"[^"]*",\s+line\s+\d+ | -->\s | \d*\s*\|\s | \d*\s*\|$ | \^+ | ~+\^?
      | >\s*\d+\s*\| | \d+\s*\|
      | \#\d+\s+0x | goroutine\s\d+ | \s*from\s\S+:\d+:in | \.{3}\s\d+\smore
      | (?:[A-Za-z]:)?[\w./\\-]+\.\w{1,5}:\d+:\s*in\s | stack\s+backtrace:
      | Import\strace\sfor | Traceback\s\(most
    )""",
    re.VERBOSE,
)
_PREFIX = re.compile(
    r"""^(?:
        [\w.-]{1,40}\s+\|\s | \#\d+\s+\d+\.\d+\s | E\s{2,}
      | \[?\d{4}[-/]\d\d[-/]\d\d[T\s]\d\d:\d\d:\d\d\S*\s*\]?\s*
      | \[?\d\d:\d\d:\d\d\S*\]?\s* | [A-Z][a-z]{2}\s+\d+\s\d\d:\d\d:\d\d\s\S+\s
      | [IWEF]\d{4}\s\d\d:\d\d:\d\d\S*\s+\d+\s\S+\]\s
      | (?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|CRITICAL|TRACE)\]?)\s*[:\]-]?\s+
    )""",
    re.VERBOSE,
)
_ERROR = re.compile(
    r"error|exception|fail|fatal|panic|cannot|can't|could not|couldn't|denied|refused"
    r"|invalid|unexpected|not found|warning|⨯|✖|✗|\bE\d{4}\b|must be|should be"
    r"|undefined|unable|unsupported|illegal|missing|timed? ?out",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_JSON_TELLING = frozenset(
    "message msg error err exception exc_info stack stacktrace stack_trace reason"
    " detail details log textpayload description title name type code alertname summary"
    " cause errormessage error_message errors annotations labels jsonpayload fields"
    " data".split()
)


@dataclass(frozen=True)
class Line:
    """`weight`: how likely the line names the failure itself."""

    text: str
    tokens: tuple[Token, ...]
    weight: float


def telling(raw: str) -> list[Line]:
    """The lines of a paste with their weight. Where it is long, those that speak of an
    error go first, then plain ones, then frames: a paste may hold nothing else. Lines
    that repeat another with other numbers, as logs do, go last."""
    weighed = _weighed(_lines(clean(_bounded(raw))))
    again = _repeated(weighed)
    found: dict[int, Line] = {}
    budget = MAX_TOKENS
    for number in sorted(weighed, key=lambda n: (n in again, -weighed[n][1], n)):
        line, weight = weighed[number]
        said = tuple(t for t in tokens(line) if t.kind != MARK)[:budget]
        if said:
            found[number] = Line(line, said, weight)
            budget -= len(said)
        if budget <= 0:
            break
    return [found[number] for number in sorted(found)]


def _weighed(lines: Iterator[str]) -> dict[int, tuple[str, float]]:
    """Number → line and weight; a line that comes again is left out."""
    found: dict[int, tuple[str, float]] = {}
    seen: set[str] = set()
    after_frame = False
    for number, line in enumerate(lines):
        frame = _FRAME.match(line) is not None
        code = after_frame and line.startswith("    ")
        after_frame = frame and line.lstrip().startswith("File ")
        if line not in seen:
            seen.add(line)
            told = 1.0 if _ERROR.search(line) else 0.9
            found[number] = (line, 0.5 if frame or code else told)
    return found


def _repeated(weighed: dict[int, tuple[str, float]]) -> set[int]:
    """Lines that differ from an earlier one in numbers alone."""
    seen: set[str] = set()
    again: set[int] = set()
    for number, (line, _) in weighed.items():
        shape = _NUMBER.sub("0", line)
        if shape in seen:
            again.add(number)
        seen.add(shape)
    return again


def _bounded(raw: str) -> str:
    if len(raw) <= MAX_CHARACTERS:
        return raw
    half = MAX_CHARACTERS // 2
    return f"{raw[:half]}\n{raw[-half:]}"


def _lines(text: str) -> Iterator[str]:
    count = 0
    for line in text.split("\n"):
        for each in _unfolded(line):
            bare = _stripped(each)
            if not bare.strip():
                continue
            yield bare
            count += 1
            if count == MAX_LINES:
                return


def _stripped(line: str) -> str:
    """Without the preambles that loggers and runners write before a message."""
    for _ in range(4):
        shorter = _PREFIX.sub("", line, count=1)
        if shorter == line:
            break
        line = shorter
    return line[:4_000]


def _unfolded(line: str) -> Iterator[str]:
    """A line as it is, or the telling fields of a JSON object in it."""
    start = line.find("{")
    if start < 0 or '"' not in line:
        yield line
        return
    try:
        value, _ = json.JSONDecoder().raw_decode(line[start:])
    except (ValueError, RecursionError):
        if '\\"' in line or "\\n" in line:
            line = line.replace("\\n", "\n").replace('\\"', '"')
        yield from line.split("\n")
        return
    said = [each for text in _texts(value, 0) for each in text.split("\n")]
    if line[:start].strip():
        yield line[:start]
    if said:
        yield from said
    else:
        yield line


def _said(text: str, depth: int) -> Iterator[str]:
    """A text, or what a JSON object in its place says: a log line within another."""
    if text.lstrip().startswith("{"):
        try:
            inner = list(_texts(json.loads(text), depth + 1))
        except (ValueError, RecursionError):
            inner = []
        if inner:
            yield from inner
            return
    yield clean(text)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if depth > 4 or not isinstance(value, dict):
        return
    for name, each in value.items():
        if name.casefold() not in _JSON_TELLING:
            continue
        if isinstance(each, str):
            yield from _said(each, depth)
        elif isinstance(each, dict):
            yield from _texts(each, depth + 1)
        elif isinstance(each, list):
            for one in each[:10]:
                yield from (
                    [clean(one)] if isinstance(one, str) else _texts(one, depth + 1)
                )
