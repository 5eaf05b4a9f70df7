"""Entities as the pipeline reads them: plain facts, no database."""

import re
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from operational.pipeline.normalise import clean

# Kinds of text by which a failure is recognised, most trusted first.
MESSAGE, TITLE, EXAMPLE, LEAD = "message", "title", "example", "lead"
# Read of a long body: its opening says what it is about.
MAX_BODY = 2000

_COMMENT = re.compile(
    r"(?://|#|--|;)\s*(?:\^+\s*)?error(?:\[\w+\])?:\s*(\S.{8,200})", re.IGNORECASE
)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|<[^>\n]{1,80}>|\*+")


@dataclass(frozen=True)
class Record:
    """One entity. `body` and `fix` are Markdown; `related` are slugs it names."""

    pk: int
    type: str
    slug: str
    title: str
    tags: tuple[str, ...] = ()
    body: str = ""
    source: str = ""
    is_public: bool = True
    failure_type: str = ""
    fix: str = ""
    symptoms: tuple[str, ...] = ()
    instances: int = 0
    last_occurrence: date | None = None
    playbook: bool = False
    pattern: int | None = None
    keywords: tuple[str, ...] = ()
    score: int = 0


def messages(record: Record) -> list[tuple[str, str]]:
    """Kind and text of everything that a paste may hold of a failure."""
    found = [(MESSAGE, text) for text in record.symptoms if text.strip()]
    found.append((TITLE, record.title))
    body = record.body[:MAX_BODY]
    found += [
        (EXAMPLE, m[1]) for m in _COMMENT.finditer(f"{body}\n{record.fix[:MAX_BODY]}")
    ]
    found += [(LEAD, text) for text in lead(body)]
    return found


def lead(body: str) -> list[str]:
    """The first sentences of a text: they often say what the message says."""
    plain = _FENCE.sub("", body).strip().partition("\n\n")[0]
    plain = clean(_MARKUP.sub(lambda m: m[1] or "", " ".join(plain.split())))
    return [each for each in _SENTENCE.split(plain)[:2] if 20 <= len(each) <= 200]


def names(record: Record) -> set[str]:
    """The ids by which others point at a record: its slug, and the last part of the
    address where it is documented."""
    found = {folded(record.slug)}
    if record.source:
        parts = urlsplit(record.source)
        tail = parts.fragment or parts.path.rstrip("/").rpartition("/")[2]
        found.add(folded(tail.partition(".")[0]))
    return {name for name in found if name}


def folded(name: str) -> str:
    return name.casefold().replace("_", "-").strip("-#@")
