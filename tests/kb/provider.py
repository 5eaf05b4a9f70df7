"""A real HTTP server that speaks the embeddings API, and misbehaves on request."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DIMENSIONS = 8

Body = dict[str, Any]


@dataclass
class Answer:
    status: int = 200
    body: Body | str = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    hangs: bool = False


Behaviour = Callable[[Body], Answer]


def embedded(request: Body, dimensions: int = DIMENSIONS) -> Answer:
    """As a healthy provider: the vector tells the text's length."""
    rows = [
        {
            "object": "embedding",
            "index": index,
            "embedding": [1.0, float(len(text))] + [0.0] * (dimensions - 2),
        }
        for index, text in enumerate(request["input"])
    ]
    return Answer(body={"object": "list", "data": rows, "model": "m", "usage": {}})


def refusal(status: int, message: str, **headers: str) -> Answer:
    return Answer(status, {"error": {"message": message, "code": None}}, headers)


class Provider:
    """`script` answers the first requests one by one; `behaviour` all later ones."""

    def __init__(self) -> None:
        self.script: list[Behaviour] = []
        self.behaviour: Behaviour = embedded
        self.requests: list[Body] = []
        self.keys: list[str | None] = []
        self.released = threading.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def inputs(self) -> list[list[str]]:
        return [request["input"] for request in self.requests]

    def answer(self, request: Body, key: str | None) -> Answer:
        self.requests.append(request)
        self.keys.append(key)
        return (self.script.pop(0) if self.script else self.behaviour)(request)


@contextmanager
def running(port: int = 0) -> Iterator[Provider]:
    """On a free port, unless one is given."""
    provider = Provider()
    connections: list[socket.socket] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            connections.append(self.connection)

        def do_POST(self) -> None:
            read = self.rfile.read(int(self.headers["Content-Length"]))
            key = self.headers.get("Authorization")
            answer = provider.answer(json.loads(read), key)
            if answer.hangs:
                provider.released.wait(30)
                self.close_connection = True
                return
            whole = isinstance(answer.body, str)
            text = answer.body if whole else json.dumps(answer.body)
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            for name, value in answer.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            self.wfile.write(str(text).encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    provider.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        provider.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
        # A server that is gone answers on no connection that clients kept.
        for each in connections:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
