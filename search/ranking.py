"""Every number that decides the order of results, with its reason.

They change by commit together with a benchmark run, never by environment. (How a
term's count in a document saturates is part of the index: `kb.domain.term_vectors`.)
"""

from dataclasses import dataclass

from search.types import PartWeights


@dataclass(frozen=True)
class Weights:
    """Shares of the score. Cosine moves between `cosine_low` and `cosine_high` with
    the query; the others keep their proportion 15 : 10 : 5."""

    cosine: float = 0.70  # meaning leads: people rarely use the words of the text
    title: float = 0.15  # a title says what the whole is about
    body: float = 0.10  # words somewhere in the text are weaker evidence
    author: float = 0.03  # "what Zoe wrote about …"; with recency the 5 %
    recency: float = 0.02  # between equals, what changed within 30 days
    cosine_low: float = 0.55
    cosine_high: float = 0.80

    def moved(self, cosine: float) -> PartWeights:
        """The weights with cosine at `cosine`, the rest in proportion."""
        scale = (1 - cosine) / (1 - self.cosine)
        return PartWeights(
            cosine=cosine,
            title=self.title * scale,
            body=self.body * scale,
            author=self.author * scale,
            recency=self.recency * scale,
        )


WEIGHTS = Weights()

# How far the words can be trusted: 1 when the best document matches them completely.
# Collections differ (rephrased questions: hardly; manuals and codes: very much), and
# this tells them apart query by query. Below TRUST_LOW cosine has its highest weight,
# above TRUST_HIGH its lowest. On seven sets unlike the judged ones this gained .017 in
# nDCG@10 over a fixed weight, on the judged ones nothing.
TRUST_LOW, TRUST_HIGH = 0.5, 0.9
# A complete match is worth FULL_MATCH × the query's idf mass, since counts rarely
# saturate, but at most EVIDENCE × ln(items): long questions need not match wholly.
# Dividing by the best match seen alone would make a poor match look complete.
FULL_MATCH = 1.75
EVIDENCE = 4.0
# Share of the title's grade that is likeness to the title as a whole.
TITLE_LIKENESS = 0.25
# A word read as another, one typo away, counts this much.
TYPO_DISCOUNT = 0.8

# The whole is multiplied by (1 + WIN_FACTOR × win rate) from two decided bids on.
WIN_FACTOR = 0.03
RECENT_DAYS = 30

# Candidates: the nearest by cosine, and the best by words.
NEAREST = 1_000
BEST_WORDS = 300
# Ranking every full-text match is slow; the rarest terms whose matches stay below this
# many rows decide which items are looked at.
WORD_MATCHES = 1_000
# The index scan under a filter reads items / passing × as much as without one, an exact
# scan reads all that pass: the exact one is faster up to √(EXACT_SCAN × items) passing.
EXACT_SCAN = 2_000

# A code-like token is rare, and pinned, when it stands in at most this many items.
RARE_CODE = 10
# Codes are asked for when they are this share of the query's idf mass.
CODES_SHARE = 1 / 3
# Below this author similarity a name in the query is not the author's.
AUTHOR_FLOOR = 0.5
# Nothing nearer than this and no better match of words: "weak matches only".
WEAK_COSINE = 0.30
WEAK_WORDS = 0.35
