"""Small libraries for the tests of the steps: no database."""

from typing import Any

from operational.pipeline.library import Library
from operational.pipeline.query import Query
from operational.pipeline.records import Record


def failure(
    pk: int, slug: str, title: str = "", *symptoms: str, **facts: Any
) -> Record:
    return Record(
        pk=pk,
        type="failure",
        slug=slug,
        title=title or slug.replace("-", " "),
        symptoms=symptoms,
        **facts,
    )


def others(count: int = 40) -> list[Record]:
    """Failures of no interest, so that rare and common words differ."""
    nouns = "widget gadget socket bucket ledger ticket beacon anchor".split()
    verbs = "jammed drained misrouted flooded stalled rejected starved reset".split()
    return [
        failure(
            1_000 + n,
            f"other-{n}",
            f"{nouns[n % 8]} number {n} was {verbs[n // 8 % 8]}",
            f"{nouns[n % 8]}Fault{n}: the {nouns[(n + 3) % 8]} of {{name}} was"
            f" {verbs[n // 8 % 8]}",
        )
        for n in range(count)
    ]


def library(*records: Record) -> Library:
    return Library([*records, *others()])


def ask(text: str, *records: Record) -> Query:
    return Query(text, library(*records))


def slugs(query: Query, found: Any) -> list[str]:
    rows = sorted(found, key=lambda c: (-c.confidence, -c.support))
    return [r.slug for c in rows if (r := query.library.records[c.place])]
