"""The ranking statement: candidates of all legs, graded, scored, ordered, cut.

Legs come compiled from `search.legs`; values travel only as parameters. Every part of
the score comes back as a column, so that an answer can say why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from kb.domain.citations import MIN_DECIDED
from search import ranking
from search.legs import GRADES, Leg, Pin
from search.lexical import LexicalQuery
from search.types import ScoreParts

# `near` reads index_embedding (or the few rows that pass the filters), `words`
# index_search, `pins` index_title_key, the trigram indexes and index_search.
_RANK = """
WITH near AS MATERIALIZED ({near}),
words AS MATERIALIZED ({words}),
pins AS MATERIALIZED ({pins}),
candidates AS (
    SELECT {grades}, NULL::int AS pin_rank FROM near WHERE distance <= %s
    UNION ALL SELECT {grades}, NULL FROM words
    UNION ALL SELECT {grades}, pin_rank FROM pins
),
found AS (
    SELECT id,
           min(pin_rank) AS pin_rank,
           greatest(0, 1 - coalesce(min(distance), 1)) AS cosine,
           max(author) AS author,
           (max(content_changed_at) >= %s)::int AS recency,
           CASE WHEN max(bids_decided) >= %s
                THEN max(bids_won)::float / max(bids_decided) END AS win_rate
    FROM candidates GROUP BY id
),
raw AS (
    SELECT found.*,
           -(terms.lexical <#> %s::sparsevec) AS words,
           -(terms.title <#> %s::sparsevec) AS likeness
    FROM found JOIN kb_itemterms AS terms ON terms.item_id = found.id
),
best AS (
    SELECT max(cosine) AS cosine,
           greatest(max(words), %s, 1e-9) AS complete,
           max(words) / greatest(max(words), %s, 1e-9) AS trust
    FROM raw
),
weights AS (
    SELECT share, (1 - share) / (1 - %s::float) AS scale
    FROM (SELECT ({share})::float AS share FROM best) AS chosen
),
graded AS (
    SELECT raw.id, pin_rank, raw.cosine, recency,
           %s * likeness + (1 - %s) * words / best.complete AS title,
           words / best.complete AS body,
           CASE WHEN author >= %s THEN author ELSE 0 END AS author,
           1 + %s * coalesce(win_rate, 0) AS win_factor,
           best.cosine AS best_cosine, best.trust
    FROM raw CROSS JOIN best
),
scored AS (
    SELECT *,
           (share * cosine
            + scale * (%s * title + %s * body + %s * author + %s * recency)
           ) * win_factor AS score
    FROM graded CROSS JOIN weights
),
placed AS (
    SELECT *, row_number() OVER (ORDER BY pin_rank NULLS LAST, score DESC, id) AS place
    FROM scored
)
SELECT id, pin_rank, cosine, title, body, author, recency, win_factor,
       share, best_cosine, trust, score,
       (SELECT count(*) FROM raw) AS total,
       (SELECT count(*) FROM near) AS near_count,
       (SELECT count(*) FROM words) AS words_count,
       CASE WHEN place = %s THEN ARRAY(SELECT id FROM raw) END AS matched
FROM placed WHERE place > %s ORDER BY place LIMIT %s
"""

# The share of cosine: high where the words cannot be trusted, low where they can.
_FOLLOWING_TRUST = """
%s - (%s - %s) * least(greatest((trust - %s) / (%s - %s), 0), 1)
"""
# Of the same columns as a leg, for a leg that is not asked.
_NONE = """
SELECT id, NULL::float AS distance, NULL::float AS author, content_changed_at,
       bids_won, bids_decided, NULL::int AS pin_rank
FROM kb_contentitem WHERE false
"""


def pin_reason(pin_rank: int | None) -> str | None:
    return None if pin_rank is None else list(Pin)[pin_rank].value


@dataclass(frozen=True)
class Row:
    id: UUID
    pin_rank: int | None
    score: float
    parts: ScoreParts


@dataclass(frozen=True)
class Ranked:
    """`best_cosine` and `trust` (how completely the best document matches the words)
    tell whether the answer is any good. `matched` are all ids that `rows` are a page
    of, if the plan asks for them."""

    rows: tuple[Row, ...]
    total: int
    is_exact: bool
    best_cosine: float
    trust: float
    matched: tuple[UUID, ...]


@dataclass(frozen=True)
class Plan:
    """What to rank: the compiled legs and the numbers of this query."""

    near: Leg | None
    words: Leg | None
    pins: Sequence[Leg]
    lexical: LexicalQuery
    threshold: float
    now: datetime
    limit: int
    offset: int
    all_ids: bool = False


def rank(plan: Plan) -> Ranked:
    """Run the statement; the caller holds a `search_transaction`."""
    rows = _run(plan)
    # The numbers come with the rows; past the end there are none to bring them.
    past_end = plan.offset and not rows
    first = _run(replace(plan, limit=1, offset=0)) if past_end else rows[:1]
    return _ranked(rows, first[0] if first else {})


def _run(plan: Plan) -> list[dict[str, Any]]:
    sql, params = _statement(plan)
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        columns = [column.name for column in cursor.description or ()]
        rows = cursor.fetchall()
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _statement(plan: Plan) -> tuple[str, list[Any]]:
    parts = {
        "near": _compiled(plan.near),
        "words": _compiled(plan.words),
        "pins": _union(plan.pins),
    }
    share, share_params = _share(plan)
    sql = _RANK.format(
        **{name: part for name, (part, _) in parts.items()},
        grades=", ".join(GRADES),
        share=share,
    )
    lexical, weights = plan.lexical, ranking.WEIGHTS
    params = [
        *(each for _, given in parts.values() for each in given),
        1 - plan.threshold,
        plan.now - timedelta(days=ranking.RECENT_DAYS),
        MIN_DECIDED,
        lexical.vector.to_text(),
        lexical.title.to_text(),
        lexical.full,
        lexical.full,
        weights.cosine,
        *share_params,
        ranking.TITLE_LIKENESS,
        ranking.TITLE_LIKENESS,
        ranking.AUTHOR_FLOOR,
        ranking.WIN_FACTOR,
        weights.title,
        weights.body,
        weights.author,
        weights.recency,
        plan.offset + 1 if plan.all_ids else None,
        plan.offset,
        plan.limit,
    ]
    return sql, params


def _share(plan: Plan) -> tuple[str, list[float]]:
    if plan.near is None:
        return "%s", [0.0]
    low, high = ranking.TRUST_LOW, ranking.TRUST_HIGH
    most, least = ranking.WEIGHTS.cosine_high, ranking.WEIGHTS.cosine_low
    return _FOLLOWING_TRUST, [most, most, least, low, high, low]


def _compiled(leg: Leg | None) -> tuple[str, Sequence[Any]]:
    return (_NONE, ()) if leg is None else leg.query.sql_with_params()


def _union(pins: Sequence[Leg]) -> tuple[str, list[Any]]:
    compiled = [_compiled(leg) for leg in pins]
    sql = " UNION ALL ".join(f"({part})" for part, _ in compiled)
    return sql or _NONE, [each for _, given in compiled for each in given]


def _ranked(rows: list[dict[str, Any]], first: dict[str, Any]) -> Ranked:
    cut = (
        first.get("near_count", 0) >= ranking.NEAREST
        or first.get("words_count", 0) >= ranking.BEST_WORDS
    )
    return Ranked(
        rows=tuple(_row(row) for row in rows),
        total=first.get("total", 0),
        is_exact=not cut,
        best_cosine=first.get("best_cosine", 0.0),
        trust=first.get("trust", 0.0),
        matched=tuple(first.get("matched") or ()),
    )


def _row(row: dict[str, Any]) -> Row:
    parts = ScoreParts(
        cosine=row["cosine"],
        title=row["title"],
        body=row["body"],
        author=row["author"],
        recency=row["recency"],
        win_factor=row["win_factor"],
        weights=ranking.WEIGHTS.moved(row["share"]),
    )
    return Row(row["id"], row["pin_rank"], row["score"], parts)
