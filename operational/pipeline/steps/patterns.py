"""Step 4: a pattern by its name and keywords, with every failure that belongs to it."""

from operational.pipeline.library import COMMON
from operational.pipeline.normalise import stem
from operational.pipeline.query import Query, split_words
from operational.pipeline.rank import PATTERN_POINTS, Candidate, Reason
from operational.pipeline.records import Record

_COVERED = 0.6  # of the query's words
_MEMBER = PATTERN_POINTS - 1  # its failures follow


def find(query: Query) -> list[Candidate]:
    if not query.is_short or not query.words:
        return []
    library = query.library
    found: list[Candidate] = []
    for place in library.alive(library.patterns):
        record = library.records[place]
        share = covered(query, record) if record else 0.0
        if share >= _COVERED and record:
            found.append(Candidate(place, PATTERN_POINTS, Reason.PATTERN, share))
            found += [
                Candidate(member, _MEMBER, Reason.PATTERN, share)
                for member in library.members(record.pk)
            ]
    return found


def covered(query: Query, pattern: Record) -> float:
    """How much of the query a pattern's name and keywords account for; a whole phrase
    of several words counts fully."""
    asked = [stem(word) for word in split_words(query.said)]
    telling = [word for word in asked if word not in COMMON] or asked
    said = f" {' '.join(asked)} "
    known = {stem(word) for word in split_words(pattern.title)}
    for keyword in pattern.keywords:
        words = [stem(word) for word in split_words(keyword)]
        known.update(words)
        if len(words) > 1 and f" {' '.join(words)} " in said:
            known.update(telling if len(words) * 2 >= len(telling) else ())
    return sum(word in known for word in telling) / len(telling)
