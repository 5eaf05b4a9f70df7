"""What the words of a query ask for: terms with their rarity, phrases, codes."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import log

from pgvector import SparseVector

from core.text import fold
from kb.analysis import Token, is_code, terms_of, tokens
from kb.domain.indexing import title_key
from kb.domain.lexemes import quote
from kb.domain.term_vectors import (
    frequencies,
    inverse_document_frequency,
    sparse,
    title_weights,
)
from kb.domain.words import correct, is_ordinary
from kb.models import IndexStatistics
from search.ranking import (
    CODES_SHARE,
    EVIDENCE,
    FULL_MATCH,
    RARE_CODE,
    TYPO_DISCOUNT,
    WORD_MATCHES,
)

# As many as the longest query holds; beyond it a paste is not a better question.
MAX_TOKENS = 400
_QUOTED = re.compile(r'["“”«»]([^"“”«»]{2,300})["“”«»]')
_HUMP = re.compile(r"\b(?=\w*[a-z])\w+[A-Z]\w*\b")


@dataclass(frozen=True)
class Term:
    """`weight` is idf × how often it is asked for, less when it is a correction."""

    text: str
    items: int
    idf: float
    weight: float


@dataclass(frozen=True)
class LexicalQuery:
    """`gate` finds candidate items: any of the rarest terms. `codes` and `phrases` pin
    what contains them. `full` is the BM25 that counts as a complete match; `corrected`
    says which unknown words were read as which known ones; `items` is the size of the
    index."""

    folded: str
    title_key: str
    terms: tuple[Term, ...]
    title: SparseVector
    full: float
    gate: tuple[str, ...]
    codes: tuple[str, ...]
    phrases: tuple[str, ...]
    corrected: Mapping[str, str]
    items: int

    @property
    def vector(self) -> SparseVector:
        """The query side of BM25."""
        return sparse({term.text: term.weight for term in self.terms})

    @cached_property
    def rarities(self) -> Mapping[str, float]:
        """The idf of each term that tells anything."""
        return {term.text: term.idf for term in self.terms if term.idf > 0}

    @property
    def gate_tsquery(self) -> str:
        return " | ".join(quote(term) for term in self.gate)


def analyse(text: str) -> LexicalQuery:
    """Read `text` against the statistics of the index (two queries, three more when
    a word is unknown)."""
    statistics = IndexStatistics.objects.first() or IndexStatistics()
    typed = list(islice(tokens(text), MAX_TOKENS))
    containing = frequencies(term for token in typed for term in token.terms)
    unknown = [t.surface for t in typed if t.terms and not _known(t, containing)]
    corrected = correct(unknown) if statistics.items else {}
    read = [terms_of(corrected.get(t.surface, "")) or t.terms for t in typed]
    discounted = {t for word in corrected.values() for t in terms_of(word)}
    if discounted:
        containing |= frequencies(discounted)
    terms = _weighted(read, containing, discounted, statistics.items)
    flat = [term for each in read for term in each]
    return LexicalQuery(
        folded=fold(text),
        title_key=title_key(text),
        terms=terms,
        title=sparse(title_weights(flat, containing, statistics.items)),
        full=_full(terms, statistics.items),
        gate=_gate(terms),
        codes=_rare_codes(text, typed, containing, terms),
        phrases=_phrases(text),
        corrected=corrected,
        items=statistics.items,
    )


def _known(token: Token, containing: Mapping[str, int]) -> bool:
    return any(containing.get(term) for term in token.terms)


def _weighted(
    read: Iterable[tuple[str, ...]],
    containing: Mapping[str, int],
    discounted: set[str],
    items: int,
) -> tuple[Term, ...]:
    terms = []
    for term, asked in Counter(term for each in read for term in each).items():
        found = containing.get(term, 0)
        idf = inverse_document_frequency(found, items)
        discount = TYPO_DISCOUNT if term in discounted else 1.0
        terms.append(Term(term, found, idf, idf * asked * discount))
    return tuple(terms)


def _full(terms: Iterable[Term], items: int) -> float:
    mass = sum(term.weight for term in terms)
    return min(FULL_MATCH * mass, EVIDENCE * log(items + 1))


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


def _phrases(text: str) -> tuple[str, ...]:
    """What stands in quotation marks. One word in a longer question is a button or an
    odd word, no phrase."""
    quoted = [fold(each) for each in _QUOTED.findall(text)]
    whole = not _QUOTED.sub("", text).strip()
    return tuple(each for each in quoted if " " in each or (whole and each))


def _rare_codes(
    text: str,
    typed: list[Token],
    containing: Mapping[str, int],
    terms: Iterable[Term],
) -> tuple[str, ...]:
    """Tokens that name something: with marks or digits, with inner capitals, or a word
    of no language that is all that was asked; rare, and together CODES_SHARE of what is
    asked. A code that a long question mentions is its background."""
    names = {fold(word) for word in _HUMP.findall(text)}
    if len(typed) == 1 and not is_ordinary(typed[0].surface):
        names.add(typed[0].surface)
    codes = [
        token
        for token in typed
        if token.terms
        and 0 < containing.get(token.terms[-1], 0) <= RARE_CODE
        and (is_code(token.surface) or token.surface in names)
    ]
    weights = {term.text: term.weight for term in terms}
    named = {term for token in codes for term in token.terms}
    if sum(weights.get(each, 0.0) for each in named) < CODES_SHARE * sum(
        weights.values()
    ):
        return ()
    return tuple(dict.fromkeys(token.terms[-1] for token in codes))
