"""A way to the database that can be shut: to a client, the database has stopped."""

import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any


class Gate:
    """Listens on `port` while open, and passes everything on to the real server."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._parameters = parameters
        self._listener: socket.socket | None = None
        self._open: list[socket.socket] = []
        self._flowing = threading.Event()
        self._flowing.set()
        self.port = 0

    def open(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(
            target=self._accept, args=(self._listener,), daemon=True
        ).start()

    def shut(self) -> None:
        sockets, self._open = self._open, []
        for each in [self._listener, *sockets]:
            if each:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
        self._listener = None

    def freeze(self) -> None:
        """Connections stay open, and nothing passes any more."""
        self._flowing.clear()

    def thaw(self) -> None:
        self._flowing.set()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = self._server()
            self._open += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(
                    target=self._pass, args=(source, target), daemon=True
                ).start()

    def _server(self) -> socket.socket:
        host = str(self._parameters.get("host") or "localhost")
        port = int(self._parameters.get("port") or 5432)
        if host.startswith("/"):
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(Path(host) / f".s.PGSQL.{port}"))
            return server
        return socket.create_connection((host, port))

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self._flowing.wait()
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
