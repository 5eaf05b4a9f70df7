"""The hub as a person starts it: real processes on a folder of their own."""

import os
import re
import selectors
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
import redis

from config import onebox
from config.onebox import postgres, processes, valkey
from config.onebox.layout import BROKER_DATABASE

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0


@dataclass
class Hub:
    layout: onebox.Layout
    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        [found] = re.findall(r"ready: (http://\S+)", "\n".join(self.lines))
        return str(found)

    def read_until(self, wanted: str) -> None:
        assert self.process.stdout
        deadline = time.monotonic() + PATIENCE
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not any(wanted in line for line in self.lines):
                left = deadline - time.monotonic()
                assert left > 0, self.lines
                assert selector.select(left), self.lines
                line = self.process.stdout.readline()
                assert line, self.lines
                self.lines.append(line.rstrip())

    def stop(self) -> str:
        self.process.send_signal(signal.SIGTERM)
        return self.process.communicate(timeout=PATIENCE)[0]

    def get(self, path: str) -> tuple[int, str]:
        with urllib.request.urlopen(f"{self.address}{path}", timeout=10) as answer:  # noqa: S310
            return answer.status, answer.read().decode()

    def parts(self, words: str) -> list[psutil.Process]:
        return [p for p, line in family(self.layout).items() if words in line]


def environment(layout: onebox.Layout) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {
        "HUB_DATA_DIR": str(layout.data),
        # Set and empty, so that no .env file of this machine decides.
        "DATABASE_URL": "",
        "REDIS_URL": "",
        "CELERY_BROKER_URL": "",
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": "",
    }


def manage(layout: onebox.Layout, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env=environment(layout),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def start(layout: onebox.Layout) -> Hub:
    process = subprocess.Popen(
        [sys.executable, "manage.py", "hub", "--port", "0", "--no-sample"],
        cwd=PROJECT,
        env=environment(layout),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        bufsize=1,
    )
    hub = Hub(layout, process)
    try:
        hub.read_until("Sign in")
    except BaseException:
        hub.stop()
        raise
    return hub


def family(layout: onebox.Layout) -> dict[psutil.Process, str]:
    """Every process that serves this data folder, with its command line."""
    found = {}
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
            marked = process.environ().get(processes.MARK) == str(layout.data)
            if marked or str(layout.data) in line:
                found[process] = line
        except psutil.Error:  # it has ended meanwhile, or is not ours
            continue
    return found


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def count_users(layout: onebox.Layout) -> str:
    code = "from accounts.models import User; print(User.objects.count())"
    done = manage(layout, "shell", "-v0", "-c", code)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    layout = onebox.Layout.of(tmp_path_factory.mktemp("hub") / "data")
    hub = start(layout)
    yield hub
    hub.stop()


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory) -> onebox.Layout:
    """A folder where no hub runs before and after a test."""
    return onebox.Layout.of(tmp_path_factory.mktemp("alone") / "data")


def test_a_new_folder_becomes_a_hub_that_answers(hub: Hub) -> None:
    assert hub.get("healthz") == (200, "ok")
    assert hub.get("readyz")[0] == 200
    assert "Sign in as admin with the password" in hub.lines[-1]


def test_a_second_hub_on_the_same_folder_is_refused_in_one_line(hub: Hub) -> None:
    second = manage(hub.layout, "hub", "--port", "0")

    assert second.returncode == 1
    assert second.stderr.splitlines() == [
        f"The data folder {hub.layout.data} is in use by process {hub.process.pid}."
    ]
    assert hub.get("healthz")[0] == 200


def test_a_taken_port_is_refused_in_one_line_with_nothing_started(
    tmp_path: Path,
) -> None:
    layout = onebox.Layout.of(tmp_path / "data")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = manage(layout, "hub", "--port", str(port))

    assert refused.returncode == 1
    assert refused.stderr.splitlines() == [
        f"Port {port} is taken; --port chooses another."
    ]
    assert not layout.postgres.exists()


def test_a_command_works_beside_a_running_hub(hub: Hub) -> None:
    assert count_users(hub.layout) == "1"
    assert postgres.is_running(hub.layout)
    assert hub.get("readyz")[0] == 200


@pytest.mark.parametrize(
    "part",
    [
        "bin/postgres -D",
        "config.onebox.keeper",
        "valkey-server",
        "uvicorn",
        "celery -A config -q worker",
        "celery -A config -q beat",
    ],
)
def test_a_part_that_is_killed_is_started_again(hub: Hub, part: str) -> None:
    with redis.Redis.from_url(onebox.redis_url(hub.layout)) as queue:
        wait_for(lambda: queue_answers(queue))
        queue.set("task", part)
        wait_for(lambda: hub.parts(part))
        killed = hub.parts(part)
        for process in killed:
            process.kill()

        wait_for(lambda: set(hub.parts(part)) - set(killed))
        wait_for(lambda: is_ready(hub))
        wait_for(lambda: queue_answers(queue))
        assert queue.get("task") == part.encode()


def test_tasks_that_a_killed_worker_had_taken_are_handed_out_again(hub: Hub) -> None:
    broker = f"{onebox.redis_url(hub.layout)}?db={BROKER_DATABASE}"
    with redis.Redis.from_url(broker) as queue:
        queue.zadd("unacked_index", {"a task": time.time()})

        valkey.hand_out_again(hub.layout)

        # Long overdue, or found by the worker meanwhile, which knows no such task.
        assert not queue.zscore("unacked_index", "a task")


def queue_answers(queue: redis.Redis) -> bool:
    try:
        return bool(queue.ping())
    except redis.ConnectionError:
        return False


def is_ready(hub: Hub) -> bool:
    try:
        return hub.get("readyz")[0] == 200
    except OSError:
        return False


def test_after_a_kill_of_the_hub_the_next_start_recovers_and_stops_cleanly(
    layout: onebox.Layout,
) -> None:
    first = start(layout)
    first.process.kill()
    first.process.wait()
    assert first.process.stdout
    first.process.stdout.close()

    second = start(layout)

    assert second.get("readyz")[0] == 200
    assert "Sign in as before" in second.lines[-1]
    assert "Stopped." in second.stop()
    assert second.process.returncode == 0
    assert not family(layout)


def test_commands_alone_share_a_database_and_the_last_one_stops_it(
    layout: onebox.Layout,
) -> None:
    waits_for_input = [sys.executable, "manage.py", "shell", "-v0", "-c"]
    waits_for_input += ["from accounts.models import User; print(1); input()"]
    with subprocess.Popen(
        waits_for_input,
        cwd=PROJECT,
        env=environment(layout) | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as first:
        assert first.stdout
        assert first.stdout.readline() == "1\n"

        assert count_users(layout).isdigit()

        assert postgres.is_running(layout)
        first.communicate("\n", timeout=PATIENCE)
    assert first.returncode == 0
    assert not family(layout)


def test_the_database_of_a_killed_command_stops_and_starts_again(
    layout: onebox.Layout,
) -> None:
    waits_for_ever = "import signal; print(1); signal.pause()"
    with subprocess.Popen(
        [sys.executable, "manage.py", "shell", "-v0", "-c", waits_for_ever],
        cwd=PROJECT,
        env=environment(layout) | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as command:
        assert command.stdout
        assert command.stdout.readline() == "1\n"
        command.kill()

    assert count_users(layout).isdigit()
    wait_for(lambda: not family(layout))
