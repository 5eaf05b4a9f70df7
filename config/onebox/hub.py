"""`manage.py hub`: everything on one machine, from start-up until Ctrl-C."""

import contextlib
import io
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
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
from config.onebox import assets, configured, postgres, processes, valkey, web
from config.onebox.errors import OneboxError
from config.onebox.layout import Layout
from config.onebox.locks import FileLock, locked
from config.onebox.processes import Child
from config.onebox.web import Say

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_WATCH_SECONDS = 0.5


def run(options: web.Options, say: Say) -> None:
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


def _serve(options: web.Options, layout: Layout, stack: ExitStack, say: Say) -> None:
    stack.enter_context(_data_folder(layout))
    listener = stack.enter_context(web.listener(options))
    say(f"Knowledge Hub, data in {layout.data}")
    stack.enter_context(configured.database())
    servers = []
    if configured.own_valkey():
        servers.append(_start_valkey(layout, stack))
        say("Valkey is ready.")
    sign_in = _prepare_library(options, layout, say)
    assets.collect_if_changed()
    children = _web_worker_beat(options, layout, listener)
    stack.callback(processes.end_leftovers, layout)
    stack.callback(processes.stop_together, children)
    for child in children:
        child.start()
    web.wait_until_healthy(children[0], options, listener)
    web.announce(options, listener.getsockname()[1], say)
    say(sign_in)
    _watch([*servers, *children], layout, say)


def _watch(children: list[Child], layout: Layout, say: Say) -> None:
    own_database = configured.own_database()
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


def _embed_sample(layout: Layout) -> None:
    """So that the first search finds it. In a process of its own, since a model starts
    threads and the hub forks; what fails here, the sweep does later."""
    command = [sys.executable, "manage.py", "backfill_embeddings"]
    subprocess.run(
        command,
        cwd=postgres.PROJECT,
        env={**os.environ, "HUB_DATA_DIR": str(layout.data)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def _start_valkey(layout: Layout, stack: ExitStack) -> Child:
    server = valkey.child(layout)
    stack.callback(processes.stop_together, [server])
    server.start()
    valkey.wait_until_ready(server, layout)
    return server


def _prepare_library(options: web.Options, layout: Layout, say: Say) -> str:
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
            call_command("load_operational_sample", stdout=report)
            say(report.getvalue().strip())
            _embed_sample(layout)
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
    options: web.Options, layout: Layout, listener: socket.socket
) -> list[Child]:
    environment = {
        **os.environ,
        **processes.mark(layout),
        "HUB_DATA_DIR": str(layout.data),
        "ALLOWED_HOSTS": ",".join(web.allowed_hosts(options)),
        "PYTHONUNBUFFERED": "1",
    }
    if sys.stdout.isatty():
        environment.setdefault("LOG_FORMAT", "text")
        environment.setdefault("LOG_LEVEL", "WARNING")
    serve = [
        *(sys.executable, "-m", "uvicorn", "config.asgi:application"),
        *("--fd", str(listener.fileno())),
        *("--workers", str(options.web_processes)),
        *("--log-level", "warning", "--no-access-log", "--no-server-header"),
        *("--lifespan", "on"),
        *("--timeout-graceful-shutdown", "3"),
    ]
    celery = [sys.executable, "-m", "celery", "-A", "config", "-q"]
    worker = [*celery, "worker", "--concurrency", "1"]
    worker += ["--without-gossip", "--without-mingle"]
    beat = [*celery, "beat", "--pidfile", ""]
    return [
        Child("web process", serve, environment, descriptors=(listener.fileno(),)),
        Child(
            "worker",
            worker,
            environment,
            before_start=partial(_before_worker, layout),
        ),
        # It waits for a broker that is gone through any SIGTERM, and holds nothing.
        Child("beat process", beat, environment, orphaned=signal.SIGKILL),
    ]


def _before_worker(layout: Layout) -> None:
    if configured.own_valkey():
        # Without Valkey for the moment, the visibility timeout does it later.
        with contextlib.suppress(redis.RedisError):
            valkey.hand_out_again(layout)
