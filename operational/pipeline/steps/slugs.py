"""Step 1: the query is a slug, or a slug written with other punctuation."""

from operational.pipeline.query import Query
from operational.pipeline.rank import EXACT_SLUG, Candidate, Reason


def find(query: Query) -> list[Candidate]:
    library = query.library
    places = library.by_slug.get(query.name) or library.by_slug.get(query.slug) or ()
    return [
        Candidate(place, EXACT_SLUG, Reason.SLUG, 2.0)
        for place in library.alive(places)
    ]
