"""Near-duplicates by title: advice, never a block."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, transaction

from core.text import fold
from kb.domain.indexing import title_key
from kb.importers.base import Draft
from kb.models import ContentItem

# Share of trigrams that two titles have in common.
SIMILAR = 0.8

# Candidates by index_title_trigrams. An indexed title is folded and has the suggested
# title behind it, so candidates hold the words, and the titles themselves are compared.
_SIMILAR = """
SELECT wanted.place, item.title
FROM unnest(%(titles)s::text[], %(folded)s::text[])
     WITH ORDINALITY AS wanted(title, folded, place)
JOIN kb_itemindex AS found ON found.title %%> wanted.folded
JOIN kb_contentitem AS item ON item.id = found.item_id AND item.archived_at IS NULL
WHERE similarity(item.title, wanted.title) >= %(similar)s
ORDER BY wanted.place, similarity(item.title, wanted.title) DESC
"""


class Seen:
    """Titles and contents of one run, by the path of the first that had them."""

    def __init__(self) -> None:
        self.titles: dict[str, str] = {}
        self.contents: dict[int, str] = {}

    def notices(self, draft: Draft) -> list[str]:
        path = draft.source_path
        content = draft.values.get("content", "").strip()
        same = self.contents.setdefault(hash(content), path) if content else path
        if same != path:
            return [f"Same content as {same}."]
        same = self.titles.setdefault(title_key(draft.title), path)
        return [f"Same title as {same}."] if same != path else []


def alike(drafts: Sequence[Draft], *, thorough: bool) -> dict[str, str]:
    """Source path → notice, where an item in use has the same title; when `thorough`,
    also one much like it."""
    found = _equal(drafts)
    if thorough:
        rest = [draft for draft in drafts if draft.source_path not in found]
        found |= _similar(rest)
    return found


def _equal(drafts: Iterable[Draft]) -> dict[str, str]:
    keys = {title_key(draft.title): draft.source_path for draft in drafts}
    rows = ContentItem.objects.live().filter(index__title_key__in=list(keys))
    return {
        keys[key]: f"Same title as the item {title!r}."
        for key, title in rows.values_list("index__title_key", "title")
    }


def _similar(drafts: Sequence[Draft]) -> dict[str, str]:
    found: dict[str, str] = {}
    titles = [draft.title for draft in drafts]
    values: dict[str, Any] = {
        "titles": titles,
        "folded": [fold(title) for title in titles],
        "similar": SIMILAR,
    }
    with transaction.atomic(), connection.cursor() as cursor:
        # The index also where a table grew too fast for the planner's statistics.
        cursor.execute(
            "SELECT set_config('pg_trgm.word_similarity_threshold', %s, true),"
            " set_config('enable_seqscan', 'off', true)",
            [str(SIMILAR)],
        )
        cursor.execute(_SIMILAR, values)
        for place, title in cursor.fetchall():
            path = drafts[place - 1].source_path
            found.setdefault(path, f"Much like the item {title!r}.")
    return found
