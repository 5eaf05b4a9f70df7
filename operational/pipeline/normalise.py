"""One form for recorded messages and for what people paste: tokens.

Names and codes stay whole (`ERR_REQUIRE_ESM`, `E0382`, `KubePodCrashLooping`,
`next/image`); values that differ from case to case (paths, addresses, ids, times,
versions, colours) are recognised by their shape.
"""

import re
import sys
import unicodedata
from functools import lru_cache
from typing import NamedTuple

# Messages are made of few distinct words: reading one again is most of the work.
_REMEMBERED = 65_536
WORD, CODE, NUMBER, VALUE, MARK = "word", "code", "number", "value", "mark"

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)?|[@-Z\\-_])"
    r"|(?<!\[)\[(?:\d{1,3}(?:;\d{1,3}){0,5})m"
)
_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "´": "'", "«": '"', "»": '"'}
    | {"–": "-", "—": "-", "‐": "-", "‑": "-", "\u00a0": " ", "↵": "\n", "\ufeff": ""}
)
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]")

# "can't" is "cannot", "isn't" is "is not", with or without the apostrophe.
_NEGATED = "ca|could|did|does|do|has|have|had|is|are|was|were|wo|would|should"
_CONTRACTED = re.compile(rf"\b({_NEGATED})n['`]t\b", re.IGNORECASE)
_BARE = re.compile(
    r"\b(ca|could|did|does|do|has|have|is|are|was|were|would|should)nt\b",
    re.IGNORECASE,
)
_CANNOT = re.compile(r"\bcan\s+not\b", re.IGNORECASE)

TOKEN = re.compile(
    r"""
    (?P<value>
        [a-z][a-z0-9+.-]{1,20}://[^\s"'`<>()\[\]{}]+
      | \\\\\?\\\S+
      | \b[a-z]:[\\/][^\s"'`<>|*?:]+(?::\d+)*
      | \d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:z|[+-]\d\d:?\d\d)?)?
      | \d{4}/\d\d/\d\d | \b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?
      | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b
      | \b\d{1,3}(?:\.\d{1,3}){3}(?::\d+|/\d+)?\b
      | \b0x[0-9a-f]+\b
      | \b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b
      | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
      | (?:\.{0,2}|~|(?<![\w.]))/(?:[\w@.+%\[\]()-]+/)*[\w@.+%\[\]()-]+(?::\d+)*
      | (?:[\w@.+-]+/){2,}[\w@.+\[\]-]+(?::\d+)*
      | [\w@.+\[\]-]+\.(?:jsx?|tsx?|mjs|cjs|py|rs|go|java|rb|php|cc?|cpp|h)(?::\d+)+
      | \bv?\d+\.\d+\.\d+[\w.+-]*
      | \#[0-9a-f]{6}\b
    )
  | (?P<number>(?<![\w.])-?\d+(?:[.,]\d+)*(?:\s?(?:ms|kib|mib|gib|kb|mb|gb|%))?(?![\w]))
  | (?P<word>
        [$@\#]?[^\W\d][\w$]*(?:(?:[-./]|::|->)(?=[\w$])[\w$]+)*
      | \d[\w$]*(?:[-.][\w$]+)*
    )
  | (?P<mark>[^\w\s'"`,.;]+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2,}[a-z]{2}")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


class Token(NamedTuple):
    """`text` in lower case as written, `stem` for comparison."""

    text: str
    stem: str
    kind: str


def clean(text: str) -> str:
    """Without colours, control characters and typographic variants."""
    text = _ANSI.sub("", text).translate(_PLAIN)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.replace("…", "\ue000"))
        text = text.replace("\ue000", "…").encode("utf-8", "ignore").decode()
    return _UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def tokens(text: str) -> list[Token]:
    """The tokens of cleaned text, in order."""
    if "'" in text or "nt" in text or "NT" in text or "`" in text:
        text = _BARE.sub(_expanded, _CONTRACTED.sub(_expanded, text))
    text = _CANNOT.sub("cannot", text)
    return [read(match) for match in TOKEN.finditer(text)]


def _expanded(match: re.Match[str]) -> str:
    verb = match[1].lower()
    return {"ca": "cannot", "wo": "will not"}.get(verb, f"{verb} not")


def read(match: re.Match[str]) -> Token:
    """What a match of `TOKEN` is."""
    return _read(match.lastgroup or WORD, match.group())


@lru_cache(maxsize=_REMEMBERED)
def _read(kind: str, written: str) -> Token:
    if kind == WORD:
        written = written.lstrip("@")
        if _is_code(written):
            kind = CODE
    text = sys.intern(written.casefold())
    return Token(text, stem(text) if kind == WORD else text, kind)


def _is_code(written: str) -> bool:
    """A name or code rather than a word of a sentence."""
    if written.isalpha() and (written.islower() or written.istitle()):
        return False
    return (
        any(c in "_$/:.@#" or c.isdigit() for c in written)
        or _CAMEL.search(written) is not None
    )


def stem(word: str) -> str:
    """Without the plural's s."""
    if len(word) > 3 and word[-1] == "s" and word[-2] not in "sui":
        return sys.intern(word[:-1])
    return word


def parts(written: str) -> list[str]:
    """The words inside a name: `PydanticImportError` → pydantic, import, error."""
    found = [stem(part.casefold()) for part in _PARTS.findall(written)]
    return found if len(found) > 1 else []
