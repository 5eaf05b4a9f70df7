"""The version of the graph: what an answer was computed from."""

import time
from collections.abc import Iterable

from django.db import connection

from operational.models import Entity, GraphVersion

# The clock keeps a version from being used twice, also after a restored backup.
_NEXT = """
INSERT INTO operational_graphversion AS kept (id, version) VALUES (1, %s)
ON CONFLICT (id) DO UPDATE
SET version = greatest(kept.version + 1, excluded.version)
RETURNING version
"""


def current() -> int:
    row = GraphVersion.objects.values_list("version", flat=True).first()
    return row or 0


def touch(entity_ids: Iterable[int]) -> int:
    """Raise the version, within the caller's transaction, and mark what changed."""
    with connection.cursor() as cursor:
        cursor.execute(_NEXT, [time.time_ns() // 1000])
        version = int(cursor.fetchone()[0])
    Entity.objects.filter(pk__in=set(entity_ids)).update(version=version)
    return version
