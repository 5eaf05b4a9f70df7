"""A scratch database on the server of the settings: the hub's own one in bench/cache,
or that of DATABASE_URL. The database that the URL names is never touched."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from bench.settings import SERVED
from config.onebox import configured
from kb.models import ContentItem

SOURCE = "bench: "


@contextmanager
def scratch(name: str) -> Iterator[None]:
    """A migrated database of this name, kept from run to run."""
    with configured.database():
        connection.settings_dict["TEST"]["NAME"] = f"{SERVED}_bench_{name}"
        connection.creation.create_test_db(verbosity=0, keepdb=True, serialize=False)
        _refuse_library()
        try:
            yield
        finally:
            connection.close()


def _refuse_library() -> None:
    if ContentItem.objects.exclude(source__startswith=SOURCE).exists():
        name = connection.settings_dict["NAME"]
        raise SystemExit(f"Database {name} holds items that no benchmark made.")


def empty() -> None:
    """Back to an empty library; only in a scratch database."""
    _refuse_library()
    with connection.cursor() as cursor:
        cursor.execute(
            "TRUNCATE kb_contentitem, kb_historicalcontentitem, kb_termstatistic,"
            " kb_indexstatistics, kb_word CASCADE"
        )


def tidy() -> None:
    """What autovacuum would have done by the time that people search."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)")
