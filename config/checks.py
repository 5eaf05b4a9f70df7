"""System checks of the whole: what the database server must offer."""

import re
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

# Before 0.8.4 pgvector may corrupt HNSW indexes.
PGVECTOR_MINIMUM = (0, 8, 4)


def pgvector_problem(connection: BaseDatabaseWrapper) -> str | None:
    """What is wrong with the server's pgvector, in one line. The installed extension
    counts, and before the first migration the one that the server would install."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(installed_version, default_version) "
            "FROM pg_available_extensions WHERE name = 'vector'"
        )
        found = cursor.fetchone()
    minimum = ".".join(map(str, PGVECTOR_MINIMUM))
    if found is None:
        return f"The PostgreSQL server has no pgvector: install {minimum} or later."
    if _version(found[0]) < PGVECTOR_MINIMUM:
        return (
            f"pgvector {found[0]} may corrupt indexes: install {minimum} or later on "
            "the PostgreSQL server, then run ALTER EXTENSION vector UPDATE."
        )
    return None


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def check_pgvector(
    app_configs: Sequence[AppConfig] | None,
    databases: Sequence[str] | None = None,
    **kwargs: Any,
) -> list[CheckMessage]:
    """Runs with `check --database default` and before migrating."""
    problems = [
        pgvector_problem(connections[alias])
        for alias in databases or ()
        if connections[alias].vendor == "postgresql"
    ]
    return [Error(problem, id="config.E001") for problem in problems if problem]
