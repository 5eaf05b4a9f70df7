"""The hub's child processes: started, started again when they die, stopped together.

The hub has one thread when it forks, so that preparing a child in the fork is safe.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from config.onebox.keeper import dying_with_parent
from config.onebox.layout import Layout
from config.onebox.postgres import PROJECT

# In the environment of every child and of the children's children, so that a hub that
# starts after a kill -9 knows what is left of the one before.
MARK = "HUB_SUPERVISED"

_FIRST_DELAY = 0.5
_LONGEST_DELAY = 30.0
_SETTLED_AFTER = 30.0


@dataclass
class Child:
    name: str
    command: Sequence[str]
    environment: dict[str, str]
    directory: Path = PROJECT
    descriptors: tuple[int, ...] = ()
    log: Path | None = None  # None: the hub's own output
    grace: float = 8.0  # tasks that this cuts short are handed out again
    before_start: Callable[[], None] | None = None
    orphaned: signal.Signals = signal.SIGTERM  # what it gets when the hub is killed
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _started: float = field(default=0.0, init=False)
    _failures: int = field(default=0, init=False)
    _start_at: float | None = field(default=None, init=False)

    def start(self) -> None:
        if self.before_start:
            self.before_start()
        with contextlib.ExitStack() as stack:
            output = stack.enter_context(self.log.open("wb")) if self.log else None
            self._process = subprocess.Popen(
                self.command,
                cwd=self.directory,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=self.descriptors,
                start_new_session=True,
                preexec_fn=dying_with_parent(self.orphaned),  # noqa: PLW1509
            )
        self._started = time.monotonic()
        self._start_at = None

    def ended(self) -> str | None:
        """How the process ended, or None while it runs."""
        status = self._process.poll() if self._process else None
        if status is None:
            return None
        if status < 0:
            return f"was ended by {signal.Signals(-status).name}"
        return f"ended with status {status}"

    def keep_running(self, say: Callable[[str], None]) -> None:
        """Start it again once it has died, later each time it dies young."""
        how = self.ended()
        if how is None:
            return
        now = time.monotonic()
        if self._start_at is None:
            if now - self._started > _SETTLED_AFTER:
                self._failures = 0
            delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2**self._failures)
            self._failures += 1
            self._start_at = now + delay
            self._kill_group()
            say(f"The {self.name} {how}; it starts again in {delay:g} s.")
        elif now >= self._start_at:
            self.start()

    def ask_to_stop(self) -> None:
        if self._process and self._process.poll() is None:
            self._process.terminate()

    def wait_until_stopped(self) -> None:
        if self._process is None:
            return
        try:
            self._process.wait(self.grace)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._kill_group()

    def _kill_group(self) -> None:
        """What the process has left behind in its session."""
        if self._process:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)


def stop_together(children: Iterable[Child]) -> None:
    stopping = list(children)
    for child in stopping:
        child.ask_to_stop()
    for child in stopping:
        child.wait_until_stopped()


def mark(layout: Layout) -> dict[str, str]:
    return {MARK: str(layout.data)}


def end_leftovers(layout: Layout) -> None:
    """End what a hub that was killed has left running on this data folder. The caller
    holds the hub's lock."""
    left = [process for process in psutil.process_iter() if _is_left(process, layout)]
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, alive = psutil.wait_procs(left, timeout=3)
    for process in alive:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(alive, timeout=3)


def _is_left(process: psutil.Process, layout: Layout) -> bool:
    try:
        marked = process.environ().get(MARK) == str(layout.data)
        return marked and process.pid != os.getpid()
    except (psutil.Error, OSError):
        return False
