"""Where the hub listens: its socket, the names it answers to, and whether it does."""

import contextlib
import errno
import http.client
import ipaddress
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings

from config.onebox.errors import OneboxError
from config.onebox.processes import Child

Say = Callable[[str], None]

READY_TIMEOUT = 120.0


@dataclass(frozen=True)
class Options:
    host: str
    port: int
    web_processes: int
    sample: bool


@contextmanager
def listener(options: Options) -> Iterator[socket.socket]:
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


def wait_until_healthy(web: Child, options: Options, listener: socket.socket) -> None:
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
