"""Server of the endpoints, on the standard library's: one thread for each connection.

It listens on loopback unless the caller names another address. A request that waits ends when its
client hangs up, and at ``close``. A forked child closes its copy of the listening socket.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import socketserver
import sys
import threading
from collections.abc import Collection
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable
from urllib.parse import unquote

from stackglass.errors import EngineError
from stackglass.http import endpoints, hang_up, hosts, paths
from stackglass.http.messages import TEXT, Request, Source

LOOPBACK = "127.0.0.1"
_REMEDIES = {
    errno.EADDRINUSE: "choose another port; 0 = any that is free",
    errno.EACCES: "choose a port above 1023; 0 = any that is free",
}
_IDLE_S = 60.0  # a connection without a request is closed after this time


class _Listener(socketserver.ThreadingMixIn, socketserver.TCPServer):
    allow_reuse_address = True
    daemon_threads = True  # a request that waits does not keep the program from ending
    block_on_close = False

    def __init__(self, host: str, port: int, source: Source, names: Collection[str]) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.source = source
        self.names = names
        self.is_closing = threading.Event()
        super().__init__((host, port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that have disconnected, and print every other error."""
        # Up to 3.9 a timeout of a socket is no TimeoutError.
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError, socket.timeout)):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S
    server: _Listener

    def _answer(self) -> None:
        named = self.headers.get_all("Host") or []
        if len(named) > 1:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return
        host = hosts.complete("".join(named), self.request_version)
        target = self.path
        if target.startswith("http://"):  # as to a proxy: this host must be allowed, too
            authority, slash, rest = target[len("http://") :].partition("/")
            target = slash + rest
            host = authority if hosts.is_allowed(host, self.server.names) else host
        path, _, query = target.partition("?")
        if self._has_body() or not host:
            self.close_connection = True  # the request's body is not read
        response = endpoints.respond(
            Request(self.command, unquote(path), query, host),
            self.server.source,
            self._wait,
            self.server.names,
        )
        self.send_response_only(response.status)
        for name, value in response.headers:
            self.send_header(name, value)
        self.send_header("Date", self.date_time_string())
        self.send_header("Content-Length", str(len(response.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def _has_body(self) -> bool:
        lengths = self.headers.get_all("Content-Length") or []
        return any(each.strip() != "0" for each in lengths) or "Transfer-Encoding" in self.headers

    def __getattr__(self, name: str) -> Callable[[], None]:
        """``_answer`` for each HTTP method: the base class looks for a function ``do_METHOD``."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def send_error(self, code: int, message: object = None, explain: object = None) -> None:
        """Answer a request that cannot be read as Go's server does: with one line of text."""
        self.close_connection = True
        self.request_version = self.protocol_version  # the request's own may not have been read
        status = HTTPStatus(code)
        body = f"{status.value} {status.phrase}".encode()
        self.send_response_only(status, status.phrase)
        self.send_header("Content-Type", TEXT)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _wait(self, seconds: float) -> bool:
        is_over = hang_up.wait(self.connection, seconds, self.server.is_closing.is_set)
        self.close_connection |= not is_over
        return is_over

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: standard error belongs to the program."""


class Server:
    """The endpoints at an address, until ``close``. A context manager."""

    def __init__(
        self,
        source: Source,
        port: int = 0,
        host: str = LOOPBACK,
        names: Collection[str] = (),
    ) -> None:
        """``port`` 0: any that is free. ``names``: host names that clients may use, besides
        addresses and localhost.

        Raises EngineError if it cannot listen there.
        """
        try:
            self._listener = _Listener(host, port, source, hosts.read_names(names))
        except OSError as error:
            raise EngineError(
                f"cannot listen at {host} port {port}: {error.strerror}",
                _REMEDIES.get(error.errno or 0, ""),
            ) from error
        except OverflowError as error:
            raise EngineError(f"cannot listen at {host} port {port}: no such port") from error
        self.host = host
        self._pid = os.getpid()
        self.port: int = self._listener.server_address[1]
        self._thread = threading.Thread(
            target=self._listener.serve_forever, name="stackglass http", daemon=True
        )
        self._thread.start()
        _servers.add(self)

    @property
    def url(self) -> str:
        """The URL of the list of profiles."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}{paths.PREFIX}"

    def close(self) -> None:
        """Accept no more requests. Requests that wait are answered at once. Does nothing in a
        forked child, where the server is closed."""
        if self._pid != os.getpid():
            return  # the listener would wait for its thread, which is the parent's
        _servers.discard(self)
        self._listener.is_closing.set()
        self._listener.shutdown()
        self._listener.server_close()
        self._thread.join()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close_after_fork(self) -> None:
        """Close the socket in a forked child, which does not have the thread."""
        with contextlib.suppress(OSError):
            self._listener.socket.close()


_servers: set[Server] = set()  # the open ones; each operation on the set is atomic


def _close_after_fork() -> None:
    for server in list(_servers):
        server.close_after_fork()
    _servers.clear()


os.register_at_fork(after_in_child=_close_after_fork)
