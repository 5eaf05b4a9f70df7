"""Which process does something, and whether it has ended."""

import os
import socket
from pathlib import Path


def here() -> str:
    return of(os.getpid())


def of(pid: int) -> str:
    """The name of a process: of no other on this machine, before or after it."""
    return f"{socket.gethostname()} {pid} {_started(pid)}"


def has_ended(name: str) -> bool:
    """Whether the process of this name is known to be gone. One of another machine, or
    none that `here` named, is not known to be."""
    host, _, rest = name.partition(" ")
    pid, _, started = rest.partition(" ")
    if host != socket.gethostname() or not (pid.isdecimal() and started.isdecimal()):
        return False
    return _started(int(pid)) != started


def _started(pid: int) -> str:
    """Ticks since the machine started; empty for no process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # The name of the program, in brackets, may hold spaces.
    state, *more = stat.rpartition(")")[2].split()
    return "" if state in ("Z", "X") else more[18]
