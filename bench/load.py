"""A large library made fast: items without history, indexed by the domain, vectors
copied in bulk, indexes dropped before and made again after as the migrations define
them."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Index, Model
from django.utils import timezone

from accounts.viewer import Viewer
from bench.database import SOURCE, empty, tidy
from bench.library import Matrix
from bench.sections import Section
from kb.domain.domains import ensure_domains
from kb.domain.indexing import index_items
from kb.domain.terms import refresh_statistics
from kb.embedding import recipe
from kb.enums import ReviewStatus
from kb.models import ContentChunk, ContentItem, ItemIndex, Word

BATCH = 1_000
# Filters that keep a share of the items: a domain each, of every so many items.
SHARES = {"50 %": 2, "5 %": 20, "0.5 %": 200, "0.05 %": 2_000}
_SLOW: tuple[type[Model], ...] = (ItemIndex, ContentChunk, Word)


def load(found: Sequence[Section], rows: Matrix) -> None:
    """Fill the scratch database, unless it holds as many items already."""
    if _complete(len(found)):
        return
    started = time.monotonic()
    empty()
    now = timezone.now()
    with _without_indexes():
        _create(found, now)
        refresh_statistics(now)
        _copy_vectors(rows)
        print(f"loaded in {time.monotonic() - started:.0f} s; building indexes")
    tidy()
    print(f"ready after {time.monotonic() - started:.0f} s")


def _create(found: Sequence[Section], now: datetime) -> None:
    domains = ensure_domains(Viewer.system(), SHARES, "bench")
    for start in range(0, len(found), BATCH):
        batch = [
            ContentItem(
                title=section.title,
                content=section.text,
                source=f"{SOURCE}speed",
                source_path=str(place),
                subtopic="5 %" if place % 20 == 3 else "",
                layer="0.5 %" if place % 200 == 5 else "",
                platform="0.05 %" if place % 2_000 == 7 else "",
                primary_domain=domains["50 %"] if place % 2 else None,
                governance_review_status=ReviewStatus.APPROVED,
                content_changed_at=now - timedelta(days=place % 700, seconds=place),
            )
            for place, section in enumerate(found[start : start + BATCH], start)
        ]
        ContentItem.objects.bulk_create(batch)
        index_items(batch, now)
        print(f"  {start + len(batch)} items", flush=True)


def _copy_vectors(rows: Matrix) -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE given (place int, vector vector)")
        with cursor.copy("COPY given FROM STDIN") as copy:
            for place, row in enumerate(rows):
                copy.write_row((place, f"[{','.join(f'{x:.6g}' for x in row)}]"))
        cursor.execute(
            """
            UPDATE kb_itemindex AS indexed
            SET embedding = given.vector, recipe = %(recipe)s,
                embedded_hash = indexed.text_hash
            FROM given JOIN kb_contentitem AS item ON item.source_path = place::text
            WHERE indexed.item_id = item.id
            """,
            {"recipe": recipe().name},
        )
        cursor.execute(
            """
            UPDATE kb_contentchunk AS section
            SET embedding = indexed.embedding, recipe = %(recipe)s
            FROM kb_itemindex AS indexed WHERE indexed.item_id = section.item_id
            """,
            {"recipe": recipe().name},
        )
        cursor.execute("DROP TABLE given")
        cursor.execute("VACUUM FULL kb_itemindex, kb_contentchunk, kb_itemterms")


def _indexes() -> list[tuple[type[Model], Index]]:
    return [(model, index) for model in _SLOW for index in model._meta.indexes]


def _complete(size: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexname FROM pg_indexes")
        made = {name for (name,) in cursor.fetchall()}
    wanted = {index.name for _, index in _indexes()}
    return wanted <= made and ContentItem.objects.count() == size


@contextmanager
def _without_indexes() -> Iterator[None]:
    with connection.cursor() as cursor:
        for _, index in _indexes():
            cursor.execute(f'DROP INDEX IF EXISTS "{index.name}"')
        yield
        cursor.execute("SET maintenance_work_mem = '1500MB'")
        cursor.execute("SET max_parallel_maintenance_workers = 2")
        for model, index in _indexes():
            started = time.monotonic()
            with connection.schema_editor() as editor:
                editor.add_index(model, index)
            print(f"  {index.name}: {time.monotonic() - started:.0f} s", flush=True)
        cursor.execute("RESET maintenance_work_mem")
