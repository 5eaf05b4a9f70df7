"""Which of the servers that the settings name are the hub's own."""

from contextlib import AbstractContextManager, nullcontext

from django.conf import settings

from config.onebox.postgres import use_database


def own_database() -> bool:
    sockets = str(settings.ONEBOX.sockets)
    return bool(settings.DATABASES["default"].get("HOST") == sockets)


def own_valkey() -> bool:
    return str(settings.ONEBOX.valkey_socket) in settings.REDIS_URL


def database() -> AbstractContextManager[None]:
    """The database of the settings runs while this lasts, where that is ours to do."""
    return use_database(settings.ONEBOX) if own_database() else nullcontext()
