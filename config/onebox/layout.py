"""Where everything lies in the data folder, and the addresses that follow from it."""

import contextlib
import hashlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.onebox.errors import OneboxError

DATABASE_NAME = "hub"
DATABASE_ROLE = "hub"
DATABASE_PORT = 5432
BROKER_DATABASE = 1

# A Unix socket's path holds 107 bytes on Linux and 103 on macOS. Other characters than
# these mean something in connection strings (a comma separates hosts).
_SOCKET_PATH_LIMIT = 100
_PLAIN_PATH = re.compile(r"[A-Za-z0-9._/-]+")


@dataclass(frozen=True)
class Layout:
    data: Path

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> "Layout":
        return cls(Path(path).expanduser().resolve())

    @property
    def secret_key_file(self) -> Path:
        return self.data / "secret_key"

    @property
    def hub_lock(self) -> Path:
        """Held by a running hub; its text is the hub's process id."""
        return self.data / "hub.lock"

    @property
    def postgres(self) -> Path:
        return self.data / "postgres"

    @property
    def pgdata(self) -> Path:
        return self.postgres / "data"

    @property
    def start_lock(self) -> Path:
        """Held while PostgreSQL is being started or prepared."""
        return self.postgres / "start.lock"

    @property
    def users_lock(self) -> Path:
        """Shared by every process that uses PostgreSQL; nobody left, it stops."""
        return self.postgres / "users.lock"

    @property
    def keeper_lock(self) -> Path:
        """Held by PostgreSQL's keeper for as long as the server runs."""
        return self.postgres / "keeper.lock"

    @property
    def migrate_lock(self) -> Path:
        return self.postgres / "migrate.lock"

    @property
    def postgres_start_log(self) -> Path:
        return self.postgres / "start.log"

    @property
    def valkey(self) -> Path:
        return self.data / "valkey"

    @property
    def sockets(self) -> Path:
        """The folder of the Unix sockets, the same for every process: in the data
        folder if its path is short and plain, else under /tmp by the path's hash."""
        inside = self.data / "run"
        longest = os.fsencode(inside / f".s.PGSQL.{DATABASE_PORT}.lock")
        if len(longest) <= _SOCKET_PATH_LIMIT and _PLAIN_PATH.fullmatch(str(inside)):
            return inside
        digest = hashlib.sha256(os.fsencode(self.data)).hexdigest()[:16]
        return Path("/tmp") / f"knowledge-hub-{digest}"  # noqa: S108

    @property
    def valkey_socket(self) -> Path:
        return self.sockets / "valkey.sock"


def make_folder(path: Path, mode: int = 0o755) -> None:
    try:
        path.mkdir(mode=mode, parents=True, exist_ok=True)
    except OSError as error:
        raise OneboxError(
            f"The folder {path} cannot be made: {error.strerror}. "
            "--data-dir or HUB_DATA_DIR names another data folder."
        ) from error


def secret_key(layout: Layout) -> str:
    """The key of this data folder, made when first needed."""
    path = layout.secret_key_file
    try:
        if not path.exists():
            make_folder(layout.data)
            _write_once(path, secrets.token_urlsafe(48))
        return path.read_text().strip()
    except OSError as error:
        raise OneboxError(
            f"The secret key {path} cannot be read or made: {error.strerror}."
        ) from error


def _write_once(path: Path, text: str) -> None:
    """Create a private file whole or not at all; a file that exists stays."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()


def database(layout: Layout) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": DATABASE_NAME,
        "USER": DATABASE_ROLE,
        "HOST": str(layout.sockets),
        "PORT": str(DATABASE_PORT),
    }


def redis_url(layout: Layout) -> str:
    return f"unix://{layout.valkey_socket}"


def broker_url(redis_url: str) -> str:
    """Celery's spelling of a Redis address. On a Unix socket the queue gets a database
    of its own, since clearing Django's cache flushes the whole of its database."""
    if redis_url.startswith("unix://"):
        path = redis_url.removeprefix("unix://")
        return f"redis+socket://{path}?virtual_host={BROKER_DATABASE}"
    return redis_url
