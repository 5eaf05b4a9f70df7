"""Folding: one form for all comparisons of what people type with what is stored."""

import unicodedata

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
    text = clean(text).casefold()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    if not text.isascii():
        marks = {ord(c): None for c in set(text) if unicodedata.combining(c)}
        text = unicodedata.normalize("NFC", text.translate(marks))
    return " ".join(text.split())


def like(text: str) -> str:
    r"""Escape for LIKE: `\`, `%`, `_` are literal, in that order."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
