"""Folding: one form for all comparisons of what people type with what is stored."""

import re
import unicodedata

_SPACE = re.compile(r"\s+")
# Letters that NFKD does not take apart but that people type without.
_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ı": "i"}
    | {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‐": "-", "‑": "-"}
)


def clean(text: str) -> str:
    """Drop what PostgreSQL or UTF-8 cannot hold: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")


def fold(text: str) -> str:
    """Lower case, no accents, one space between words, typographic marks plain."""
    decomposed = unicodedata.normalize("NFKD", clean(text).casefold().translate(_PLAIN))
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return _SPACE.sub(" ", unicodedata.normalize("NFC", bare)).strip()


def like(text: str) -> str:
    r"""Escape for LIKE: `\`, `%`, `_` are literal, in that order."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
