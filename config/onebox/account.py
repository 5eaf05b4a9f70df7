"""The system account that PostgreSQL runs under, since it refuses to run as root."""

import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from config.onebox.errors import OneboxError
from config.onebox.layout import Layout

SYSTEM_ACCOUNT = "embedded_postgres"


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int
    prefix: tuple[str, ...]  # put before a command that is to run under the account

    def own(self, folder: Path) -> None:
        if os.geteuid() == 0:
            os.chown(folder, self.uid, self.gid)


def account_for(layout: Layout, programs: Path) -> Account:
    """The present user, or under root the owner of the database's files: at first the
    system account, which is made when missing."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), ())
    uid, gid = _owner(layout.pgdata) or _system_account()
    prefix: tuple[str, ...] = (
        _setpriv(),
        f"--reuid={uid}",
        f"--regid={gid}",
        "--clear-groups",
        # Set here, since the change of user clears what the parent asked for.
        "--pdeathsig=INT",
    )
    if not open_to_all([layout.pgdata, programs]):
        # A folder above is closed to others (as /root is). The right to pass through,
        # and to read, leaves the permissions of folders that are not ours alone.
        prefix += ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
    account = Account(uid, gid, prefix)
    _check_reach(account, programs)
    return account


def _owner(pgdata: Path) -> tuple[int, int] | None:
    if not pgdata.exists():
        return None
    found = pgdata.stat()
    return (found.st_uid, found.st_gid) if found.st_uid else None


def _system_account() -> tuple[int, int]:
    try:
        entry = pwd.getpwnam(SYSTEM_ACCOUNT)
    except KeyError:
        _make_system_account()
        entry = pwd.getpwnam(SYSTEM_ACCOUNT)
    return entry.pw_uid, entry.pw_gid


def _make_system_account() -> None:
    command = ["useradd", "--system", "--no-create-home", "--user-group"]
    command += ["--shell", "/usr/sbin/nologin", SYSTEM_ACCOUNT]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise OneboxError(
            "PostgreSQL does not run as root, and useradd, which makes an account for "
            "it, is missing: run the hub as an ordinary user."
        ) from error
    # 9: another process has just made it.
    if made.returncode not in (0, 9):
        raise OneboxError(
            f"PostgreSQL does not run as root, and the account {SYSTEM_ACCOUNT} cannot "
            f"be made ({made.stderr.strip()}): run the hub as an ordinary user."
        )


def _setpriv() -> str:
    found = shutil.which("setpriv")
    if found is None:
        raise OneboxError(
            "PostgreSQL does not run as root, and setpriv (package util-linux), which "
            "changes the user, is missing: run the hub as an ordinary user."
        )
    return found


def open_to_all(paths: Iterable[Path]) -> bool:
    """Whether every user may enter all folders above these."""
    folders = {parent for path in paths for parent in path.parents}
    return all(
        folder.stat().st_mode & stat.S_IXOTH for folder in folders if folder.exists()
    )


def _check_reach(account: Account, programs: Path) -> None:
    tried = subprocess.run(
        [*account.prefix, str(programs / "postgres"), "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    if tried.returncode:
        raise OneboxError(
            "PostgreSQL does not run as root, and the account that it runs under "
            f"cannot reach {programs} ({tried.stderr.strip()}): run the hub as an "
            "ordinary user, or move it to a folder that all users may enter."
        )
