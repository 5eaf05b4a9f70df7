"""Locks between processes (flock): the kernel lets go of them however a process
ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from config.onebox.errors import OneboxError
from config.onebox.layout import make_folder

POLL_SECONDS = 0.05


class FileLock:
    def __init__(self, path: Path) -> None:
        self.path = path
        make_folder(path.parent)
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise OneboxError(
                f"{path} cannot be opened: {error.strerror}. "
                "Does the data folder belong to another user?"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def fileno(self) -> int:
        return self._descriptor

    def try_acquire(self, *, shared: bool = False) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(self._descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def acquire(self, *, shared: bool = False, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while not self.try_acquire(shared=shared):
            if time.monotonic() > deadline:
                raise OneboxError(
                    f"{self.path} stayed locked for {timeout:.0f} seconds; "
                    "another process is starting or stopping the database."
                )
            time.sleep(POLL_SECONDS)

    def release(self) -> None:
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        os.close(self._descriptor)

    def write(self, text: str) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)


@contextmanager
def locked(path: Path, *, timeout: float) -> Iterator[None]:
    with FileLock(path) as lock:
        lock.acquire(timeout=timeout)
        yield


def is_held(path: Path) -> bool:
    """Whether some process holds this lock exclusively."""
    if not path.exists():
        return False
    with FileLock(path) as lock:
        return not lock.try_acquire(shared=True)
