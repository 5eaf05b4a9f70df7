"""From the bytes of a text file to its text."""

import codecs
import re

from core.errors import BadInput
from core.text import clean

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_SIGNATURES = (
    b"%PDF",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"\xd0\xcf\x11\xe0",
)


def decode(data: bytes) -> tuple[str, list[str]]:
    """The text with line ends `\\n`, and notices of what was guessed or left out."""
    if data.startswith(_SIGNATURES):
        raise BadInput("This is not a text file.")
    text, notices = _decoded(data)
    # A stray control character is dirt; many are another kind of file.
    if len(text) - len(_CONTROL.sub("", text)) > 3 + len(text) // 100:
        raise BadInput("This is not a text file.")
    if "\x00" in text:
        notices.append("NUL bytes were left out.")
    return clean(text).replace("\r\n", "\n").replace("\r", "\n"), notices


def _decoded(data: bytes) -> tuple[str, list[str]]:
    try:
        if data.startswith(_UTF16):
            return data.decode("utf-16"), []
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252"), ["Not UTF-8: read as Windows-1252."]
    except UnicodeDecodeError:
        raise BadInput("This is not a text file, or in an unknown encoding.") from None
