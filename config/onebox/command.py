"""What `manage.py` does around Django's commands: the data folder from the command
line, and with no DATABASE_URL the hub's own database for as long as a command runs."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import (
    CommandParser,
    call_command,
    execute_from_command_line,
    handle_default_options,
)
from django.db import connection

from config.onebox import configured
from config.onebox.errors import OneboxError
from config.onebox.layout import Layout
from config.onebox.locks import locked
from config.onebox.postgres import START_TIMEOUT
from core import jobs

NEEDS_NO_DATABASE = {
    "collectstatic",
    "compilemessages",
    "diffsettings",
    "findstatic",
    "help",
    "hub",  # it sees to its own
    "makemessages",
    "startapp",
    "startproject",
    "version",
}
# On a new database these do what they are told, with no migration before them.
LEAVES_TABLES_ALONE = {
    "check",
    "dbshell",
    "makemigrations",
    "migrate",
    "optimizemigration",
    "showmigrations",
    "sqlmigrate",
    "squashmigrations",
}


def run(arguments: list[str]) -> None:
    try:
        _refuse_unreadable(arguments)
        arguments = take_data_dir(arguments)
        with _database_for(arguments):
            execute_from_command_line(arguments)
    except OneboxError as error:
        sys.exit(str(error))


def _refuse_unreadable(arguments: list[str]) -> None:
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            shown = os.fsencode(argument).decode(errors="replace")
            raise OneboxError(f'"{shown}" is not UTF-8. Nothing was done.') from error


def take_data_dir(arguments: list[str]) -> list[str]:
    """Put --data-dir into HUB_DATA_DIR before the settings are read."""
    kept = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            kept += [argument, *rest]
        elif argument == "--data-dir":
            folder = next(rest, "")
            if not folder:
                raise OneboxError("--data-dir needs a folder.")
            os.environ["HUB_DATA_DIR"] = folder
        elif argument.startswith("--data-dir="):
            os.environ["HUB_DATA_DIR"] = argument.partition("=")[2]
        else:
            kept.append(argument)
    return kept


def needs_database(arguments: list[str]) -> bool:
    name, *options = [*arguments[1:], "help"]
    if name.startswith("-") or name in NEEDS_NO_DATABASE:
        return False
    if {"-h", "--help", "--version"} & set(options):
        return False
    return name != "check" or any(o.startswith("--database") for o in options)


def _database_for(arguments: list[str]) -> AbstractContextManager[None]:
    if not needs_database(arguments):
        return nullcontext()
    parser = CommandParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--settings")
    parser.add_argument("--pythonpath")
    handle_default_options(parser.parse_known_args(arguments[2:])[0])
    try:
        own = configured.own_database()
    except ImproperlyConfigured:
        return nullcontext()  # Django tells it better.
    return _own_database(arguments[1]) if own else nullcontext()


@contextmanager
def _own_database(name: str) -> Iterator[None]:
    with configured.database():
        if name not in LEAVES_TABLES_ALONE:
            _migrate_if_new(settings.ONEBOX)
        status: SystemExit | None = None
        try:
            yield
        except SystemExit as error:
            status = error
        embed_what_no_worker_will()
        if status:
            raise status


def _migrate_if_new(layout: Layout) -> None:
    django.setup()
    with locked(layout.migrate_lock, timeout=START_TIMEOUT):
        if "django_migrations" not in connection.introspection.table_names():
            call_command("migrate", interactive=False, verbosity=0)
    connection.close()


def embed_what_no_worker_will() -> None:
    """What this process could not tell a worker of, it embeds itself."""
    if not jobs.undelivered():
        return
    from kb import embedding  # noqa: PLC0415  (models, once Django is set up)

    try:
        embedding.embed_missing()
    except Exception as error:
        # Nothing is lost: a running hub embeds what is missing each minute.
        sys.stderr.write(f"Not embedded yet ({error}); a running hub will do it.\n")
