"""Quality scores as they are stored: the rule of `kb.domain.quality`, set-based.

Scores are worked out from the items as they are, so that a run may stop anywhere, be
started again, and do what an earlier one left. Only rows whose score or parts differ
are written: the breakdown is never older than the score. Both are without an index and
pages keep room (`0003_nightly`), so that a write touches none of the item's indexes.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from django.db import connection

from kb.domain import quality
from kb.enums import CadenceKind
from kb.querysets import start_of

# Items of one statement, each its own transaction: locks are short, and the room that
# one leaves in a page is there for the next.
_BATCH = 2_000

_SCORE = """
WITH facts AS MATERIALIZED (
    SELECT item.id, item.xmin AS version, item.quality_score, item.quality_parts,
        %(today)s::date - (greatest(item.content_changed_at, item.reviewed_at)
                           AT TIME ZONE 'UTC')::date AS age,
        item.next_review_date - %(today)s::date AS due_in,
        %(today)s::date - (item.verified_at AT TIME ZONE 'UTC')::date AS verified_age,
        %(today)s::date - (item.reviewed_at AT TIME ZONE 'UTC')::date AS reviewed_age,
        coalesce(CASE item.cadence WHEN %(period)s THEN item.review_cadence_days
                                   WHEN %(inherit)s THEN domain.cadence_days END,
                 %(holds)s) AS holds,
        item.governance_review_status AS state,
        array_remove(ARRAY[
            CASE WHEN item.summary = '' THEN 'summary' END,
            CASE WHEN cardinality(item.ai_keywords) = 0 THEN 'keywords' END,
            CASE WHEN domain.id IS NULL OR item.subtopic = '' THEN 'domain' END,
            CASE WHEN coalesce(item.owner_id, item.owner_group_id, domain.owner_id,
                               domain.owner_group_id) IS NULL THEN 'owner' END,
            CASE WHEN item.cadence = %(inherit)s AND domain.cadence_days IS NULL
                 THEN 'cadence' END,
            CASE WHEN NOT item.has_enough_words THEN 'words' END,
            -- Not EXISTS: that would be one scan of the whole index for each batch.
            CASE WHEN (
                SELECT indexed.embedding IS NOT NULL FROM kb_itemindex AS indexed
                WHERE indexed.item_id = item.id
            ) IS NOT TRUE THEN 'embedding' END
        ], NULL) AS missing,
        (SELECT count(*) FROM kb_citation AS citation WHERE citation.item_id = item.id)
            AS citations,
        (SELECT count(*) FROM kb_readmark AS mark
         WHERE mark.item_id = item.id AND mark.last_read_at >= %(read_since)s) AS reads
    FROM kb_contentitem AS item
    LEFT JOIN kb_domain AS domain ON domain.id = item.primary_domain_id
    WHERE {which}
), figures AS MATERIALIZED (
    SELECT id, version, quality_score, quality_parts, missing,
        greatest(0, CASE
            WHEN age <= %(fresh)s THEN 100.0::float8
            ELSE greatest(
                0, 100.0::float8 * (%(spent)s - age) / (%(spent)s - %(fresh)s)
            )
        END - CASE
            WHEN due_in IS NULL OR due_in > %(warning)s THEN 0.0::float8
            WHEN due_in > 0
            THEN %(warning_most)s::float8 * (%(warning)s - due_in) / (%(warning)s - 1)
            WHEN due_in >= -%(late_days)s THEN %(late)s
            WHEN due_in >= -%(later_days)s THEN %(later)s
            ELSE %(latest)s
        END) AS freshness,
        100.0::float8 * (%(checks)s - cardinality(missing)) / %(checks)s
            AS completeness,
        (CASE WHEN verified_age <= holds THEN %(verified)s
              WHEN reviewed_age <= holds THEN %(reviewed)s
              ELSE CASE state {by_state} END END)::float8 AS verification,
        100.0::float8 * (1 - exp(
            -least(%(citation_reads)s * citations + reads, %(use_most)s)::float8
            / %(use_scale)s
        )) AS use
    FROM facts
), scored AS MATERIALIZED (
    SELECT id, version, quality_score, quality_parts,
        round({total}) AS score,
        jsonb_build_object('freshness', round(freshness),
                           'completeness', round(completeness),
                           'verification', round(verification),
                           'use', round(use),
                           'missing', missing) AS parts
    FROM figures
), differing AS (
    -- In order of id, as all writers lock. A row that changed since it was read is left
    -- to the one who changed it, who scores it too.
    SELECT item.id, scored.score, scored.parts
    FROM scored JOIN kb_contentitem AS item USING (id)
    WHERE (scored.quality_score <> scored.score OR scored.quality_parts <> scored.parts)
      AND item.xmin = scored.version
    ORDER BY item.id
    FOR NO KEY UPDATE OF item {busy}
), written AS (
    UPDATE kb_contentitem AS item
    SET quality_score = differing.score, quality_parts = differing.parts
    FROM differing WHERE item.id = differing.id
    RETURNING 1
)
SELECT (SELECT count(*) FROM facts), (SELECT count(*) FROM written),
       (SELECT id FROM facts ORDER BY id DESC LIMIT 1)
"""
_BY_STATE = " ".join(
    f"WHEN '{state.value}' THEN {figure}" for state, figure in quality.BY_STATE.items()
)
_TOTAL = " + ".join(
    f"{points / 100}::float8 * {name}" for name, points in quality.POINTS.items()
)
_THESE = "item.id = ANY(%(ids)s::uuid[])"
_NEXT = """item.archived_at IS NULL AND item.id > %(after)s::uuid
    ORDER BY item.id LIMIT %(size)s"""
_NUMBERS: dict[str, Any] = {
    "period": CadenceKind.PERIOD.value,
    "inherit": CadenceKind.INHERIT.value,
    "holds": quality.HOLDS_DAYS,
    "fresh": quality.FRESH_DAYS,
    "spent": quality.SPENT_DAYS,
    "warning": quality.WARNING_DAYS,
    "warning_most": quality.WARNING_MOST,
    "late_days": quality.LATE_DAYS,
    "late": quality.LATE,
    "later_days": quality.LATER_DAYS,
    "later": quality.LATER,
    "latest": quality.LATEST,
    "checks": len(quality.CHECKLIST),
    "verified": quality.VERIFIED,
    "reviewed": quality.REVIEWED,
    "citation_reads": quality.CITATION_READS,
    "use_scale": quality.USE_SCALE,
    "use_most": quality.USE_MOST,
}


def _statement(which: str, busy: str) -> str:
    return _SCORE.format(
        which=which,
        busy=busy,
        by_state=_BY_STATE,
        total=_TOTAL,
    )


_RESCORE = _statement(_THESE, busy="")
# What somebody has in hand is scored by them; waiting could end in a deadlock.
_RECOMPUTE = _statement(_NEXT, busy="SKIP LOCKED")


@dataclass
class Counts:
    items: int = 0
    changed: int = 0


def rescore(ids: Collection[UUID], today: date) -> None:
    """At once, for items just written, in the transaction of that write."""
    if ids:
        _run(_RESCORE, today, ids=[str(each) for each in ids])


def recompute(today: date) -> Counts:
    """All live items; each batch is kept as it is done."""
    counts, after = Counts(), UUID(int=0)
    while True:
        items, changed, last = _run(_RECOMPUTE, today, after=after, size=_BATCH)
        if last is None:
            return counts
        counts.items += items
        counts.changed += changed
        after = last


def _run(statement: str, today: date, **values: Any) -> tuple[int, int, UUID | None]:
    read_since = start_of(today - timedelta(days=quality.READING_DAYS))
    values |= {"today": today, "read_since": read_since}
    with connection.cursor() as cursor:
        cursor.execute(statement, _NUMBERS | values)
        items, changed, last = cursor.fetchone()
    return items, changed, last
