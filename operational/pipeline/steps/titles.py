"""Step 3: a significant part of a title in a short query, or the query in a title."""

from operational.pipeline.query import Query
from operational.pipeline.rank import TITLE_POINTS, Candidate, Reason

_SIGNIFICANT = 0.7  # share of a title's weight
_MAX = 200  # records with the rarest word: it is no significant one beyond


def find(query: Query) -> list[Candidate]:
    if not query.is_short or not query.words:
        return []
    library = query.library
    asked = set(query.words)
    known = [word for word in query.words if library.by_word.frequency(word)]
    rarest = max(known, key=lambda w: (library.rarity(w), w), default="")
    postings = library.by_word.get(rarest)
    if postings is None or len(postings[0]) > _MAX:
        return []
    found = []
    for place in library.alive(int(p) for p in postings[0]):
        share, whole = _shares(library.title_words(place), asked, query)
        if share >= _SIGNIFICANT or whole:
            found.append(Candidate(place, TITLE_POINTS, Reason.KEYWORD, share))
    return found


def _shares(words: frozenset[str], asked: set[str], query: Query) -> tuple[float, bool]:
    """How much of the title is in the query, and whether all the query is in it."""
    shared = words & asked
    if not shared:
        return 0.0, False
    total = sum(query.library.rarity(word) for word in words)
    share = sum(query.library.rarity(word) for word in shared) / total
    return (share if len(shared) > 1 else 0.0), asked <= words
