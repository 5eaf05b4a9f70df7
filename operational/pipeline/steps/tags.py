"""Step 2: the words of a short query among the tags and the slug of an entity."""

from collections import Counter

from operational.pipeline.query import Query
from operational.pipeline.rank import TAG_POINTS, Candidate, Reason

_FEW = 3  # of so many words, half is enough


def find(query: Query) -> list[Candidate]:
    if not query.is_short or not query.words:
        return []
    library, asked = query.library, query.words
    matched: Counter[int] = Counter()
    for word in asked:
        matched.update(library.by_tag.get(word, ()))
    found = []
    for place in library.alive(matched):
        hits = matched[place]
        half = len(asked) <= _FEW and hits * 2 >= len(asked)
        if hits >= 2 or half:
            points = round(hits / len(asked) * TAG_POINTS)
            found.append(Candidate(place, points, Reason.TAGS, hits / len(asked)))
    return found
