"""The document side of ranking by words: two sparse vectors an item.

`lexical` is BM25F of the whole document without its idf: its inner product with the
query's idf is the BM25F score (Robertson and Zaragoza 2009, section 3.6). `title` is
the unit vector of the title's words and neighbouring pairs, weighted by idf: its inner
product with the query's own is how nearly the title *is* the query.

The numbers are part of the index: a change asks for `rewrite_terms`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import log, sqrt

from pgvector import SparseVector

from kb.analysis import Token, dimension
from kb.models import IndexStatistics, TermStatistic
from kb.models.index import TERM_DIMENSIONS

# How fast repetition stops counting; flat from 0.9 to 1.6 on eleven judged sets.
K1 = 1.2
# How much length discounts; flat from 0.6 to 0.75.
B = 0.7
# One word of a title, or a keyword, counts as five of the text; flat from 3 to 8.
TITLE_WEIGHT = 5.0
# What a term's count can reach at most, so that a complete match can be known.
SATURATION = K1 + 1

# pgvector keeps at most 16,000 entries of a sparse vector.
_MAX_TERMS = 16_000


def flat(tokens: Iterable[Token]) -> list[str]:
    return [term for token in tokens for term in token.terms]


def inverse_document_frequency(containing: int, items: int) -> float:
    """BM25's idf, never negative (Robertson and Zaragoza 2009, with Lucene's +1)."""
    containing = min(containing, items)
    return log(1 + (items - containing + 0.5) / (containing + 0.5))


def frequencies(terms: Iterable[str]) -> dict[str, int]:
    """In how many items each term stood when they were last counted."""
    found = TermStatistic.objects.filter(term__in=set(terms))
    return dict(found.values_list("term", "items"))


def lexical_vector(
    title: Sequence[str], body: Sequence[str], statistics: IndexStatistics
) -> SparseVector:
    rates = Counter[str]()
    for terms, weight, mean in (
        (title, TITLE_WEIGHT, statistics.mean_title_length),
        (body, 1.0, statistics.mean_body_length),
    ):
        norm = 1 - B + B * len(terms) / max(mean, 1.0)
        for term, count in Counter(terms).items():
            rates[term] += weight * count / norm  # type: ignore[assignment]
    return sparse(
        {
            term: SATURATION * rate / (rate + K1)
            for term, rate in rates.most_common(_MAX_TERMS)
        }
    )


def title_weights(
    terms: Sequence[str], containing: Mapping[str, int], items: int
) -> dict[str, float]:
    """The unit vector of a title, or of a query seen as one: words and neighbouring
    pairs, a pair as rare as its rarer word."""
    weights = {
        term: inverse_document_frequency(containing.get(term, 0), items)
        for term in terms
    }
    weights |= {
        f"{first} {second}": max(weights[first], weights[second])
        for first, second in pairwise(terms)
    }
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()} if length else {}


def sparse(weights: Mapping[str, float]) -> SparseVector:
    return SparseVector(
        {dimension(term): weight for term, weight in weights.items() if weight},
        TERM_DIMENSIONS,
    )
