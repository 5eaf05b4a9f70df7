"""`manage.py hub`: everything on one machine, from start-up until Ctrl-C."""

import contextlib
import errno
import http.client
import io
import ipaddress
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType

import redis
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.utils import DatabaseError, OperationalError

from accounts.enums import Role
from accounts.models import User
from config.checks import pgvector_problem
from config.onebox import assets, postgres, processes, valkey
from config.onebox.errors import OneboxError
from config.onebox.layout import Layout
from config.onebox.locks import FileLock, locked
from config.onebox.processes import Child

Say = Callable[[str], None]

READY_TIMEOUT = 120.0
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_WATCH_SECONDS = 0.5


@dataclass(frozen=True)
class Options:
    host: str
    port: int
    web_processes: int
    sample: bool


def run(options: Options, say: Say) -> None:
    """Serve until a signal asks to stop. Whatever has been started is stopped before
    this returns or raises."""
    with ExitStack() as stack:
        try:
            with _signals_as_interrupts():
                _serve(options, settings.ONEBOX, stack, say)
        except KeyboardInterrupt:
            say("Stopping …")
        finally:
            _ignore_signals()
    say("Stopped.")


def uses_own_database(layout: Layout) -> bool:
    return bool(settings.DATABASES["default"].get("HOST") == str(layout.sockets))


def uses_own_valkey(layout: Layout) -> bool:
    return str(layout.valkey_socket) in settings.REDIS_URL


def _serve(options: Options, layout: Layout, stack: ExitStack, say: Say) -> None:
    stack.enter_context(_data_folder(layout))
    listener = stack.enter_context(_listener(options))
    say(f"Knowledge Hub, data in {layout.data}")
    if uses_own_database(layout):
        stack.enter_context(postgres.use_database(layout))
    servers = []
    if uses_own_valkey(layout):
        servers.append(_start_valkey(layout, stack))
        say("Valkey is ready.")
    sign_in = _prepare_library(options, layout, say)
    assets.collect_if_changed()
    children = _web_worker_beat(options, layout, listener)
    stack.callback(processes.end_leftovers, layout)
    stack.callback(processes.stop_together, children)
    for child in children:
        child.start()
    _wait_for_web(children[0], options, listener)
    announce(options, listener.getsockname()[1], say)
    say(sign_in)
    _watch([*servers, *children], layout, say)


def _watch(children: list[Child], layout: Layout, say: Say) -> None:
    own_database = uses_own_database(layout)
    while True:
        time.sleep(_WATCH_SECONDS)
        for child in children:
            child.keep_running(say)
        if own_database and not postgres.is_running(layout):
            say("PostgreSQL has ended; it starts again.")
            try:
                postgres.ensure_running(layout)
            except OneboxError as error:
                say(str(error))


@contextmanager
def _signals_as_interrupts() -> Iterator[None]:
    def interrupt(number: int, frame: FrameType | None) -> None:
        _ignore_signals()
        raise KeyboardInterrupt

    for number in _STOP_SIGNALS:
        # nohup has asked not to hear of a closed terminal.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    yield


def _ignore_signals() -> None:
    for number in _STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def _data_folder(layout: Layout) -> Iterator[None]:
    """The data folder is this hub's, and nothing of an earlier one still runs on it."""
    with FileLock(layout.hub_lock) as lock:
        if not lock.try_acquire():
            holder = layout.hub_lock.read_text().strip() or "unknown"
            raise OneboxError(
                f"The data folder {layout.data} is in use by process {holder}."
            )
        lock.write(str(os.getpid()))
        processes.end_leftovers(layout)
        yield
        lock.write("")


@contextmanager
def _listener(options: Options) -> Iterator[socket.socket]:
    """The web's socket, held by the hub, so that the port is claimed before anything
    starts and no connection is refused while the web process starts again."""
    try:
        found = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except (OSError, OverflowError) as error:
        raise OneboxError(f"{options.host} is not an address here.") from error
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except OSError as error:
            raise OneboxError(_why_not_bound(options, error)) from error
        yield listener


def _why_not_bound(options: Options, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {options.port} is taken; --port chooses another."
    return (
        f"The hub cannot listen on {options.host}, port {options.port}: "
        f"{error.strerror}."
    )


def _start_valkey(layout: Layout, stack: ExitStack) -> Child:
    server = valkey.child(layout)
    stack.callback(processes.stop_together, [server])
    server.start()
    valkey.wait_until_ready(server, layout)
    return server


def _prepare_library(options: Options, layout: Layout, say: Say) -> str:
    """Migrate and fill an empty library. Returns how to sign in."""
    # No pool here: the hub forks, and a pool's threads would make that unsafe.
    connection.settings_dict["OPTIONS"].pop("pool", None)
    try:
        problem = pgvector_problem(connection)
    except OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        raise OneboxError(f"The database does not answer: {reason}") from error
    if problem:
        raise OneboxError(problem)
    say("PostgreSQL is ready.")
    try:
        with locked(layout.migrate_lock, timeout=postgres.START_TIMEOUT):
            call_command("migrate", interactive=False, verbosity=0)
        say("The database is up to date.")
        sign_in = _ensure_admin()
        if options.sample and _library_is_empty():
            say("Loading the sample …")
            report = io.StringIO()
            call_command("load_sample", stdout=report)
            say(report.getvalue().strip())
    except (CommandError, DatabaseError) as error:
        raise OneboxError(f"The library cannot be prepared: {error}") from error
    finally:
        connection.close()
    return sign_in


def _ensure_admin() -> str:
    if User.objects.exists():
        return "Sign in as before; `manage.py changepassword NAME` sets a new password."
    password = secrets.token_urlsafe(12)
    User.objects.create_user("admin", password=password, role=Role.ADMIN)
    return f"Sign in as admin with the password {password} (it is not shown again)."


def _library_is_empty() -> bool:
    return not apps.get_model("kb", "ContentItem").objects.exists()


def _web_worker_beat(
    options: Options, layout: Layout, listener: socket.socket
) -> list[Child]:
    environment = {
        **os.environ,
        **processes.mark(layout),
        "HUB_DATA_DIR": str(layout.data),
        "ALLOWED_HOSTS": ",".join(allowed_hosts(options)),
        "PYTHONUNBUFFERED": "1",
    }
    if sys.stdout.isatty():
        environment.setdefault("LOG_FORMAT", "text")
        environment.setdefault("LOG_LEVEL", "WARNING")
    web = [
        *(sys.executable, "-m", "uvicorn", "config.asgi:application"),
        *("--fd", str(listener.fileno())),
        *("--workers", str(options.web_processes)),
        *("--log-level", "warning", "--no-access-log", "--no-server-header"),
        *("--timeout-graceful-shutdown", "3"),
    ]
    celery = [sys.executable, "-m", "celery", "-A", "config", "-q"]
    worker = [*celery, "worker", "--concurrency", "1"]
    worker += ["--without-gossip", "--without-mingle"]
    beat = [*celery, "beat", "--pidfile", ""]
    return [
        Child("web process", web, environment, descriptors=(listener.fileno(),)),
        Child(
            "worker",
            worker,
            environment,
            before_start=partial(_before_worker, layout),
        ),
        Child("beat process", beat, environment),
    ]


def _before_worker(layout: Layout) -> None:
    if uses_own_valkey(layout):
        # Without Valkey for the moment, the visibility timeout does it later.
        with contextlib.suppress(redis.RedisError):
            valkey.hand_out_again(layout)


def allowed_hosts(options: Options) -> list[str]:
    hosts: list[str] = list(settings.ALLOWED_HOSTS)
    if "*" not in hosts and options.host not in hosts and not _is_any(options.host):
        hosts.append(f"[{options.host}]" if ":" in options.host else options.host)
    return hosts


def _is_any(host: str) -> bool:
    return host in ("", "0.0.0.0", "::")  # noqa: S104


def _is_loopback(host: str) -> bool:
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _wait_for_web(web: Child, options: Options, listener: socket.socket) -> None:
    deadline = time.monotonic() + READY_TIMEOUT
    while not _is_healthy(options, listener):
        how = web.ended()
        if how or time.monotonic() > deadline:
            raise OneboxError(
                f"The web process {how or 'does not answer'}; the reason is above."
            )
        time.sleep(0.05)


def _is_healthy(options: Options, listener: socket.socket) -> bool:
    """Whether the web process answers at all: what it says of a name that is not
    allowed, or of plain HTTP, is an answer too."""
    host, port = listener.getsockname()[:2]
    if _is_any(host):
        host = "::1" if listener.family == socket.AF_INET6 else "127.0.0.1"
    http_connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        http_connection.request(
            "GET", "/healthz", headers={"Host": allowed_hosts(options)[0]}
        )
        return http_connection.getresponse().status < 500
    except OSError:
        return False
    finally:
        http_connection.close()


def announce(options: Options, port: int, say: Say) -> None:
    name = "localhost" if _is_any(options.host) else options.host
    name = f"[{name}]" if ":" in name else name
    address = settings.PUBLIC_URL or f"http://{name}:{port}/"
    say(f"Knowledge Hub is ready: {address} (Ctrl-C stops it)")
    if not _is_loopback(options.host):
        say(
            f"It answers to the names {', '.join(allowed_hosts(options))}; "
            "ALLOWED_HOSTS adds others."
        )
