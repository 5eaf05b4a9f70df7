"""nDCG@10 and recall@100, as BENCH.md's baselines compute them."""

from collections.abc import Mapping, Sequence
from math import log2
from statistics import fmean

Ranking = Sequence[str]


def ndcg(ranking: Ranking, grades: Mapping[str, int], depth: int = 10) -> float:
    gains = [grades.get(each, 0) for each in ranking[:depth]]
    best = sorted((g for g in grades.values() if g > 0), reverse=True)[:depth]
    return _discounted(gains) / _discounted(best)


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / log2(place + 2) for place, gain in enumerate(gains))


def recall(ranking: Ranking, grades: Mapping[str, int], depth: int = 100) -> float:
    relevant = {each for each, grade in grades.items() if grade > 0}
    return len(relevant.intersection(ranking[:depth])) / len(relevant)


def means(
    rankings: Mapping[str, Ranking],
    judged: Mapping[str, Mapping[str, int]],
    dropped: Mapping[str, set[str]],
) -> dict[str, float]:
    """Over all queries that have a relevant document."""
    scored = [query for query in judged if any(g > 0 for g in judged[query].values())]
    kept = {
        query: [d for d in rankings[query] if d not in dropped.get(query, set())]
        for query in scored
    }
    return {
        "ndcg@10": fmean(ndcg(kept[query], judged[query]) for query in scored),
        "recall@100": fmean(recall(kept[query], judged[query]) for query in scored),
    }
