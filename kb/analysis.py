"""From text to terms: the same for documents and queries, on every surface.

Words are folded and stemmed. A token with marks in it (`ISO-27001`, `C++`, `.env`,
`$_GET`) counts whole, as typed, and in its parts. Han, kana and Hangul have no
spaces: they count as single characters and as pairs.
"""

import re
import threading
import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import Stemmer

from core.text import fold

MAX_TERM = 64
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_EMOJI = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF]")
_TOKEN = re.compile(
    rf"[{_CJK}]+"
    rf"|[.$@#_-]*[^\W{_CJK}]+(?:[-._/+#@:'&\\]+[^\W{_CJK}]+)*(?:\+\+|[#%+-])?"
    rf"|{_EMOJI.pattern}"
)
_CJK_RUN = re.compile(rf"[{_CJK}]+")
_PART = re.compile(r"[^\W_]+")
_CONTRACTION = re.compile(r"n't\b|(?<=[a-z])'(?:s|d|ll|ve|re|m|t)\b|'")

STOP_WORDS = frozenset(
    "a about above after again against all am an and any are as at be because been "
    "before being below between both but by can did do does doing don down during each "
    "few for from further had has have having he her here hers herself him himself his "
    "how i if in into is it its itself just me more most my myself no nor not now of "
    "off on once only or other our ours ourselves out over own s same she should so "
    "some such t than that the their theirs them themselves then there these they this "
    "those through to too under until up very was we were what when where which while "
    "who whom why will with you your yours yourself yourselves".split()
)


class Token(NamedTuple):
    """`terms` all stand at `position`; none for a stop word, which keeps its place."""

    position: int
    surface: str
    terms: tuple[str, ...]


def tokens(text: str) -> Iterator[Token]:
    return tokens_of_folded(fold(text))


def tokens_of_folded(text: str) -> Iterator[Token]:
    position = 0
    for match in _TOKEN.finditer(text):
        run = match.group()
        if _CJK_RUN.match(run):
            for index, character in enumerate(run):
                position += 1
                pair = run[index : index + 2]
                yield Token(
                    position, character, tuple(dict.fromkeys((character, pair)))
                )
            continue
        position += 1
        yield Token(position, run, terms_of(run))


def spans(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Start, end and terms of each token of a text as it stands, for marking it up."""
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if not _CJK_RUN.match(match.group()):
            yield start, end, _terms_as_written(match.group())
            continue
        run = fold(match.group())
        for index in range(end - start):
            character, pair = run[index : index + 1], run[index : index + 2]
            yield start + index, start + index + 1, (character, pair)


@lru_cache(maxsize=100_000)
def terms_of(token: str) -> tuple[str, ...]:
    """Terms of one folded token: stems of its parts, and the whole if it is a code."""
    if _EMOJI.fullmatch(token):
        return (token,)
    bare = _CONTRACTION.sub("", token)
    parts = _PART.findall(bare)
    found = [term for part in parts for term in _word(part)]
    if parts != [bare] and is_code(bare):
        found.append(bare[:MAX_TERM])
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=100_000)
def _terms_as_written(token: str) -> tuple[str, ...]:
    return terms_of(fold(token))


def is_code(token: str) -> bool:
    """Whether a folded token names something by its marks or digits: `iso-27001`,
    `c++`, `.env`, `nt_success`, `mysql2date`; not `well-known`, `e.g`, `2.5`."""
    parts = _PART.findall(token)
    if not parts:
        return False
    if token[-1] in "+#" or "_" in token or (token[0] in ".$@" and len(parts) == 1):
        return True
    return any(c.isdigit() for c in token) and any(c.isalpha() for c in token)


@lru_cache(maxsize=100_000)
def _word(part: str) -> tuple[str, ...]:
    if part in STOP_WORDS:
        return ()
    if not (part.isascii() and part.isalpha()):
        return (part[:MAX_TERM],)
    return (_local.stemmer.stemWord(part)[:MAX_TERM],)


class _Local(threading.local):
    """PyStemmer objects are not safe across threads."""

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("english")


_local = _Local()


@lru_cache(maxsize=200_000)
def dimension(term: str) -> int:
    """The term's place in a sparse vector, 0-based. Collisions are harmless: at half a
    million terms about one term in 4,000 shares its place."""
    return zlib.crc32(term.encode()) % 1_000_000_000
