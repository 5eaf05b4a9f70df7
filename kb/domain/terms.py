"""Document frequencies and mean lengths of the index, kept fresh by the sweep."""

from datetime import datetime

from django.db import connection, transaction
from django.db.models import Avg, Count, Max

from kb.domain.indexing import rewrite_terms
from kb.models import IndexStatistics, ItemIndex, ItemTerms, TermStatistic

# Term vectors are written anew when a mean length has moved by more than this share,
DRIFT = 0.10
# those of titles when the number of items, whose logarithm is in idf, moved by this.
GROWTH = 0.50
# Below this many items any plan is fast.
ANALYSE_FROM = 500

_ANALYSE = "ANALYZE kb_contentitem, kb_contentchunk, kb_itemindex, kb_itemterms"
_REBUILD = """
INSERT INTO kb_termstatistic (term, items)
SELECT word, ndoc FROM ts_stat('SELECT search FROM kb_itemindex')
WHERE length(word) <= 200
"""


def statistics_outdated() -> bool:
    built = IndexStatistics.objects.values_list("built_at", flat=True).first()
    newest = ItemIndex.objects.aggregate(at=Max("indexed_at"))["at"]
    return newest is not None and (built is None or newest > built)


def refresh_statistics(now: datetime) -> IndexStatistics:
    """Count terms and lengths anew, in one transaction; readers see old or new."""
    with transaction.atomic():
        means = ItemTerms.objects.aggregate(
            items=Count("pk"), title=Avg("title_length"), body=Avg("body_length")
        )
        old = IndexStatistics.objects.select_for_update().first() or IndexStatistics()
        drifted = _drifted(old.mean_title_length, means["title"], DRIFT) or _drifted(
            old.mean_body_length, means["body"], DRIFT
        )
        grown = _drifted(old.items, means["items"], GROWTH)
        new = IndexStatistics(
            pk=1,
            items=means["items"],
            mean_title_length=means["title"] if drifted else old.mean_title_length,
            mean_body_length=means["body"] if drifted else old.mean_body_length,
            built_at=now,
        )
        new.save(force_insert=old.pk is None)
        TermStatistic.objects.all().delete()
        with connection.cursor() as cursor:
            cursor.execute(_REBUILD)
    if drifted or grown:
        rewrite_terms(titles_only=not drifted)
    if grown and new.items >= ANALYSE_FROM:
        # Until the planner hears of a large import, searches may take seconds.
        with connection.cursor() as cursor:
            cursor.execute(_ANALYSE)
    return new


def _drifted(old: float, new: float | None, share: float) -> bool:
    return new is not None and abs(new - old) > share * old
