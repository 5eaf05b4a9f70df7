"""The hub on one machine: its own PostgreSQL and Valkey in a data folder.

Settings use the names below; importing them costs nothing but the standard library.
"""

from config.onebox.errors import OneboxError
from config.onebox.layout import (
    Layout,
    broker_url,
    database,
    redis_url,
    secret_key,
)

__all__ = [
    "Layout",
    "OneboxError",
    "broker_url",
    "database",
    "redis_url",
    "secret_key",
]
