"""Every number that decides the order of results, with its reason.

They change by commit together with a benchmark run, never by environment. (How a
term's count saturates in a document is part of the index: `kb.domain.indexing`.)
"""

from dataclasses import dataclass
from math import log

from search.types import PartWeights


@dataclass(frozen=True)
class Weights:
    """Shares of the score. Cosine may move between `cosine_low` and `cosine_high`; the
    others keep their proportion 15 : 10 : 5."""

    cosine: float = 0.70  # meaning leads: people rarely use the words of the text
    title: float = 0.15  # a title says what the whole is about
    body: float = 0.10  # words somewhere in the text are weaker evidence
    author: float = 0.03  # "what Zoe wrote about …"; with recency the 5 %
    recency: float = 0.02  # between equals, what changed within 30 days
    cosine_low: float = 0.55
    cosine_high: float = 0.80

    def moved(self, cosine: float) -> PartWeights:
        """The weights with cosine at `cosine`, the rest in proportion."""
        cosine = min(max(cosine, self.cosine_low), self.cosine_high)
        scale = (1 - cosine) / (1 - self.cosine)
        return PartWeights(
            cosine=cosine,
            title=self.title * scale,
            body=self.body * scale,
            author=self.author * scale,
            recency=self.recency * scale,
        )

    def without_cosine(self) -> PartWeights:
        """Keyword mode: the rest in proportion, to sum 1."""
        scale = 1 / (1 - self.cosine)
        return PartWeights(
            cosine=0.0,
            title=self.title * scale,
            body=self.body * scale,
            author=self.author * scale,
            recency=self.recency * scale,
        )


WEIGHTS = Weights()

# The whole is multiplied by (1 + WIN_FACTOR × win rate) from two decided bids on.
WIN_FACTOR = 0.03
RECENT_DAYS = 30

# Candidates: the nearest by cosine, and the best by words.
NEAREST = 1_000
BEST_WORDS = 300
# Ranking every full-text match is slow; the rarest terms whose matches stay below this
# many rows decide which items are looked at.
WORD_MATCHES = 4_000
# Up to this many filtered rows an exact scan beats the iterative index scan.
EXACT_SCAN = 5_000

# A code-like token is rare, and pinned, when it stands in at most this many items.
RARE_CODE = 10
# Below this author similarity a name in the query is not the author's.
AUTHOR_FLOOR = 0.5
# No candidate above this cosine and no lexical grade above it: say "weak matches only".
WEAK_COSINE = 0.30
WEAK_WORDS = 0.35


def inverse_document_frequency(containing: int, items: int) -> float:
    """BM25's idf, never negative (Robertson and Zaragoza 2009, with Lucene's +1)."""
    return log(1 + (items - containing + 0.5) / (containing + 0.5))
