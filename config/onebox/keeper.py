"""The parent process of PostgreSQL: stops it when its last user has gone.

Users hold a shared lock. However they end, the lock becomes free, the keeper gets it
and stops the server; users who come meanwhile wait until it has stopped. Run as
`python -m config.onebox.keeper USERS_LOCK KEEPER_LOCK_DESCRIPTOR COMMAND…`; the
keeper's own lock is inherited from the starter, so that it is never free in between.
"""

import contextlib
import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
# PostgreSQL's words: fast, immediate. The last resort leaves a crash recovery to do.
_STOPPING = (
    (signal.SIGINT, 60.0),
    (signal.SIGQUIT, 10.0),
    (signal.SIGKILL, None),
)


def dying_with_parent(wanted: signal.Signals) -> Callable[[], None]:
    """For Popen's preexec_fn: the child gets this signal when its parent ends."""
    if not sys.platform.startswith("linux"):
        return lambda: None
    libc = ctypes.CDLL(None)
    parent = os.getpid()

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(wanted))
        if os.getppid() != parent:
            os._exit(1)

    return prepare


def keep(users_lock: str, command: list[str]) -> int:
    server = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        preexec_fn=dying_with_parent(signal.SIGINT),  # noqa: PLW1509  (one thread)
    )
    signal.signal(signal.SIGTERM, lambda *_: server.send_signal(signal.SIGINT))
    users = os.open(users_lock, os.O_RDWR)

    def stop_after_last_user() -> None:
        fcntl.flock(users, fcntl.LOCK_EX)
        for wanted, seconds in _STOPPING:
            server.send_signal(wanted)
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(seconds)
                return

    threading.Thread(target=stop_after_last_user, daemon=True).start()
    return server.wait()


def main() -> None:
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    users_lock, keeper_lock, *command = sys.argv[1:]
    os.set_inheritable(int(keeper_lock), False)
    sys.exit(keep(users_lock, command))


if __name__ == "__main__":
    main()
