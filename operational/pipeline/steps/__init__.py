"""The steps of 7.3, in order. Each looks at a query and a library and names candidates;
none reads the database."""

from collections.abc import Callable

from operational.pipeline.query import Query
from operational.pipeline.rank import Candidate
from operational.pipeline.steps import (
    keywords,
    messages,
    patterns,
    slugs,
    tags,
    titles,
)

Step = Callable[[Query], list[Candidate]]

# Step 0 comes first for symptom queries only (`operational.pipeline.search`).
RECORDED: Step = messages.find
STEPS: tuple[Step, ...] = (
    slugs.find,
    tags.find,
    titles.find,
    patterns.find,
    keywords.find,
)
