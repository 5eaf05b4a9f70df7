"""The sections of the kb/* corpora as items, with clustered synthetic vectors.

Vectors of real texts at 1024 dimensions need a hosted model. These are drawn instead:
sections of a page share its centre, pages share that of a topic, and what differs lies
in a space of few dimensions, as with real models.
"""

import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from bench.corpora import Document, handbook, lines
from bench.library import Matrix
from core.text import fold
from kb.analysis import tokens_of_folded
from kb.chunking import sections
from kb.models.index import DIMENSIONS

TOPICS = 200
LATENT = 96  # dimensions in which real vectors of one model differ
SEED = 11


@dataclass(frozen=True)
class Section:
    page: str
    title: str
    text: str


def read(count: int) -> list[Section]:
    """`count` sections, taken from all corpora in proportion."""
    found = list(_all())
    random.Random(SEED).shuffle(found)  # noqa: S311
    return found[:count]


def _all() -> Iterator[Section]:
    for name in ("18f_handbook", "gds_way", "govuk_devdocs"):
        for document in handbook(name):
            yield from _sections(name, document)
    for name in ("kubernetes_docs", "mdn", "mdn_webapi"):
        for document in lines(name):
            yield from _sections(name, document)


def _sections(corpus: str, document: Document) -> Iterator[Section]:
    for part in sections(document.text):
        title = ": ".join([document.title or document.id, *part.path[-1:]])
        yield Section(f"{corpus}/{document.id}", title[:500], part.text)


def vectors(found: list[Section]) -> Matrix:
    """One row a section, unit length."""
    rng = np.random.default_rng(SEED)
    basis = rng.standard_normal((LATENT, DIMENSIONS))
    topics = rng.standard_normal((TOPICS, LATENT))
    made = np.empty((len(found), DIMENSIONS), dtype=np.float32)
    for place, section in enumerate(found):
        page = np.random.default_rng(zlib.crc32(section.page.encode()))
        centre = topics[page.integers(TOPICS)] + 0.7 * page.standard_normal(LATENT)
        latent = centre + 0.7 * rng.standard_normal(LATENT)
        row = latent @ basis + 2.0 * rng.standard_normal(DIMENSIONS)
        made[place] = row / np.linalg.norm(row)
    return made


@dataclass(frozen=True)
class Question:
    text: str
    vector: Matrix


def questions(found: list[Section], rows: Matrix, count: int) -> list[Question]:
    """Words of a section (its title, or a run of three to eight of its words), with a
    vector near that section's own."""
    rng = random.Random(SEED)  # noqa: S311
    noise = np.random.default_rng(SEED)
    asked: dict[str, Question] = {}
    while len(asked) < count:
        place = rng.randrange(len(found))
        text = _text(found[place], rng)
        vector = rows[place] + 0.025 * noise.standard_normal(DIMENSIONS)
        if text:
            unit = (vector / np.linalg.norm(vector)).astype(np.float32)
            asked.setdefault(text, Question(text, unit))
    return list(asked.values())


def _text(section: Section, rng: random.Random) -> str:
    if rng.random() < 0.3:
        return section.title[:200]
    words = [each.surface for each in islice(tokens_of_folded(fold(section.text)), 400)]
    start = rng.randrange(max(1, len(words) - 8))
    return " ".join(words[start : start + rng.randint(3, 8)])
