"""What the words of a query ask for: terms with their rarity, phrases, codes."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pgvector import SparseVector

from core.text import fold
from kb.analysis import dimension, is_code, tokens
from kb.domain.indexing import quote, title_key
from kb.models import IndexStatistics, TermStatistic
from kb.models.index import TERM_DIMENSIONS
from search.ranking import (
    RARE_CODE,
    WORD_MATCHES,
    inverse_document_frequency,
)

# The first terms decide; a paste of ten thousand words is not a better question.
MAX_TERMS = 64
_QUOTED = re.compile(r'["“”«»]([^"“”«»]{2,300})["“”«»]')
_HUMP = re.compile(r"\b(?=\w*[a-z])\w+[A-Z]\w*\b")


@dataclass(frozen=True)
class Term:
    text: str
    items: int
    idf: float


@dataclass(frozen=True)
class LexicalQuery:
    """`gate` finds candidate items: any of the rarest terms. `codes` and `phrases` pin
    what contains them."""

    folded: str
    title_key: str
    terms: tuple[Term, ...]
    gate: tuple[str, ...]
    codes: tuple[str, ...]
    phrases: tuple[str, ...]

    @property
    def vector(self) -> SparseVector:
        """The query side of BM25: each term's idf, at the term's place."""
        return SparseVector(
            {dimension(term.text): term.idf for term in self.terms if term.idf > 0},
            TERM_DIMENSIONS,
        )

    @property
    def gate_tsquery(self) -> str:
        return " | ".join(quote(term) for term in self.gate)

    @property
    def mass(self) -> float:
        """Sum of idf: how much there is to match."""
        return sum(term.idf for term in self.terms)


def analyse(text: str) -> LexicalQuery:
    """Read `text` against the term statistics of the index (two queries)."""
    words = _query_terms(text)
    statistics = IndexStatistics.objects.first() or IndexStatistics()
    frequencies = dict(
        TermStatistic.objects.filter(term__in=words).values_list("term", "items")
    )
    terms = tuple(
        Term(
            word,
            frequencies.get(word, 0),
            inverse_document_frequency(
                min(frequencies.get(word, 0), statistics.items), statistics.items
            ),
        )
        for word in words
    )
    return LexicalQuery(
        folded=fold(text),
        title_key=title_key(text),
        terms=terms,
        gate=_gate(terms),
        codes=_rare_codes(text, {term.text: term for term in terms}),
        phrases=tuple(filter(None, (fold(each) for each in _QUOTED.findall(text)))),
    )


def _query_terms(text: str) -> list[str]:
    found = dict.fromkeys(term for token in tokens(text) for term in token.terms)
    return list(found)[:MAX_TERMS]


def _gate(terms: Iterable[Term]) -> tuple[str, ...]:
    """The rarest terms whose matches together stay below WORD_MATCHES; at least one.
    A term that the statistics do not know yet may be in the newest items: it counts as
    rare."""
    gate: list[str] = []
    matches = 0
    for term in sorted(terms, key=lambda each: each.items):
        matches += term.items
        if gate and matches > WORD_MATCHES:
            break
        gate.append(term.text)
    return tuple(gate)


def _rare_codes(text: str, terms: dict[str, Term]) -> tuple[str, ...]:
    """Tokens that name something: with marks or digits, with inner capitals, or the
    only word asked for; and rare."""
    humps = {fold(word) for word in _HUMP.findall(text)}
    typed = list(tokens(text))
    codes = []
    for token in typed:
        whole = token.terms[-1] if token.terms else ""
        term = terms.get(whole)
        if term is None or not 0 < term.items <= RARE_CODE:
            continue
        if is_code(token.surface) or token.surface in humps or len(typed) == 1:
            codes.append(whole)
    return tuple(dict.fromkeys(codes))
