"""Step 5: specific words of a short query in what a failure records."""

from operational.pipeline.library import most
from operational.pipeline.query import Query
from operational.pipeline.rank import KEYWORD_HIGH, KEYWORD_LOW, Candidate, Reason

_COVERED = 0.6  # of the weight of the query's words
_SPECIFIC = 0.7  # of the greatest rarity there is, by one word at least
_MOST = 20


def find(query: Query) -> list[Candidate]:
    if not query.is_short or not query.words:
        return []
    library = query.library
    weighed = sorted((-library.rarity(word), word) for word in query.words)
    total = sum(-negative for negative, _ in weighed)
    scores = library.by_word.add_up(
        [(-n, word) for n, word in weighed], len(library.records), frequency=False
    )
    if not total:
        return []
    greatest = library.rarity("\x00")
    specific = _specific(query, greatest)
    candidates = []
    for place in most(scores, _MOST):
        record = library.records[place]
        share = float(scores[place]) / total
        if share < _COVERED:
            break
        if record is None or record.type != "failure" or place not in specific:
            continue
        worth = share * min(1.0, float(scores[place]) / greatest)
        points = round(KEYWORD_LOW + (KEYWORD_HIGH - KEYWORD_LOW) * worth)
        candidates.append(Candidate(place, points, Reason.SYMPTOM, worth))
    return candidates


def _specific(query: Query, greatest: float) -> set[int]:
    """The records that have a word of the query which hardly any other has."""
    library = query.library
    found: set[int] = set()
    for word in query.words:
        postings = library.by_word.get(word)
        rare = library.rarity(word) >= _SPECIFIC * greatest
        if postings is not None and rare and not word.isdigit():
            found.update(postings[0].tolist())
    return found
