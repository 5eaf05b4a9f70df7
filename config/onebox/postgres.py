"""The hub's own PostgreSQL: started, shared by the hub and by commands, and stopped
when nobody uses it any more."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from config.onebox import cluster
from config.onebox.account import account_for
from config.onebox.cluster import SUPERUSER, programs
from config.onebox.errors import OneboxError
from config.onebox.layout import (
    DATABASE_NAME,
    DATABASE_PORT,
    DATABASE_ROLE,
    Layout,
)
from config.onebox.locks import POLL_SECONDS, FileLock, is_held, locked

PROJECT = Path(__file__).resolve().parent.parent.parent

# Recovery after a crash replays at most a few checkpoints, but a disk may be slow.
START_TIMEOUT = 300.0
STOP_TIMEOUT = 90.0

# The keepers that this process has started. One may outlive it, and is no leak.
_keepers: list[subprocess.Popen[bytes]] = []


@contextmanager
def use_database(layout: Layout) -> Iterator[None]:
    """PostgreSQL runs while this lasts. Whoever is last to leave sees it stop."""
    with FileLock(layout.users_lock) as user:
        user.acquire(shared=True, timeout=STOP_TIMEOUT)
        ensure_running(layout)
        try:
            yield
        finally:
            user.release()
            _wait_unless_shared(layout)
            _reap()


def is_running(layout: Layout) -> bool:
    return is_held(layout.keeper_lock)


def ensure_running(layout: Layout) -> None:
    """Start the server if it does not run, and wait until it answers. The caller holds
    the users' lock."""
    with locked(layout.start_lock, timeout=START_TIMEOUT):
        keeper: subprocess.Popen[bytes] | None = None
        deadline = time.monotonic() + START_TIMEOUT
        while not _answers(layout):
            if keeper and keeper.poll() is not None:
                raise OneboxError(f"PostgreSQL did not start: {cluster.reason(layout)}")
            if time.monotonic() > deadline:
                raise OneboxError(
                    f"PostgreSQL did not answer within {START_TIMEOUT:.0f} seconds: "
                    f"{cluster.reason(layout)}"
                )
            keeper = keeper or _start(layout)
            time.sleep(POLL_SECONDS)
        _prepare(layout)


def _wait_unless_shared(layout: Layout) -> None:
    deadline = time.monotonic() + STOP_TIMEOUT
    with FileLock(layout.users_lock) as users:
        while is_running(layout) and time.monotonic() < deadline:
            if users.try_acquire():
                users.release()  # Nobody uses it; the keeper is about to notice.
            elif users.try_acquire(shared=True):
                return  # Others still use it.
            time.sleep(POLL_SECONDS)


def _reap() -> None:
    _keepers[:] = [keeper for keeper in _keepers if keeper.poll() is None]


def _answers(layout: Layout) -> bool:
    try:
        _connect(layout, SUPERUSER).close()
    except psycopg.OperationalError:
        return False
    return True


def _connect(layout: Layout, name: str) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(
        host=str(layout.sockets),
        port=DATABASE_PORT,
        user=SUPERUSER,
        dbname=name,
        autocommit=True,
        connect_timeout=3,
        application_name="knowledge-hub start",
    )


def _start(layout: Layout) -> subprocess.Popen[bytes] | None:
    """Start the keeper, which starts the server; None if there already is one."""
    with FileLock(layout.keeper_lock) as lock:
        if not lock.try_acquire():
            return None
        account = account_for(layout, programs())
        cluster.check_version(layout)
        cluster.clear_leftovers(layout)
        cluster.make_sockets_folder(layout, account)
        if not layout.pgdata.exists():
            cluster.make_cluster(layout, account)
        (layout.pgdata / "postgresql.conf").write_text(cluster.configuration(layout))
        _reap()
        with layout.postgres_start_log.open("wb") as log:
            keeper = subprocess.Popen(
                [
                    *(sys.executable, "-m", "config.onebox.keeper"),
                    *(str(layout.users_lock), str(lock.fileno())),
                    *account.prefix,
                    *(str(programs() / "postgres"), "-D", str(layout.pgdata)),
                ],
                cwd=PROJECT,
                env=cluster.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock.fileno(),),
                start_new_session=True,
            )
        _keepers.append(keeper)
        return keeper


def _prepare(layout: Layout) -> None:
    """The role, the database and the extensions that only a superuser may make. They go
    into the template, so that databases made for tests have them too."""
    with _connect(layout, SUPERUSER) as server:
        if not _exists(server, "pg_roles", "rolname", DATABASE_ROLE):
            role = sql.Identifier(DATABASE_ROLE)
            server.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(role))
            server.execute(sql.SQL("GRANT pg_monitor TO {}").format(role))
        made = _exists(server, "pg_database", "datname", DATABASE_NAME)
    _ensure_extensions(layout, DATABASE_NAME if made else "template1")
    if made:
        return
    with _connect(layout, SUPERUSER) as server:
        server.execute(
            sql.SQL("CREATE DATABASE {} OWNER {}").format(
                sql.Identifier(DATABASE_NAME), sql.Identifier(DATABASE_ROLE)
            )
        )


def _exists(
    server: psycopg.Connection[tuple[object, ...]], table: str, column: str, name: str
) -> bool:
    query = sql.SQL("SELECT 1 FROM {} WHERE {} = %s").format(
        sql.Identifier(table), sql.Identifier(column)
    )
    return server.execute(query, [name]).fetchone() is not None


def _ensure_extensions(layout: Layout, name: str) -> None:
    with _connect(layout, name) as database:
        for extension in ("vector", "pg_stat_statements"):
            database.execute(
                sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(
                    sql.Identifier(extension)
                )
            )
            database.execute(
                sql.SQL("ALTER EXTENSION {} UPDATE").format(sql.Identifier(extension))
            )
