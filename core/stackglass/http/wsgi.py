"""The endpoints as a WSGI application."""

from __future__ import annotations

import socket
import time
from collections.abc import Collection, Iterable
from http import HTTPStatus
from typing import Any, Callable

from stackglass.http import endpoints, hang_up, hosts, paths
from stackglass.http.messages import Request, Source, Wait

Environment = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]
Application = Callable[[Environment, StartResponse], Iterable[bytes]]

_SOCKETS = ("werkzeug.socket", "gunicorn.socket")
_MOST_SLEEP_S = 86_400.0  # at a time: time.sleep refuses to sleep for centuries


def make_application(source: Source, names: Collection[str] = ()) -> Application:
    """An application that serves ``/debug/pprof/``, mounted there, at the root or elsewhere.

    ``names``: host names that requests may use, besides addresses and localhost. A request that
    waits occupies its worker. WSGI does not report that a client has gone; the socket that some
    servers pass on shows it.
    """
    names = hosts.read_names(names)

    def application(environment: Environment, start_response: StartResponse) -> list[bytes]:
        path, base_path = paths.locate(
            _decode(environment.get("SCRIPT_NAME", "")), _decode(environment.get("PATH_INFO", ""))
        )
        request = Request(
            environment.get("REQUEST_METHOD", "GET"),
            path,
            environment.get("QUERY_STRING", ""),
            hosts.complete(
                environment.get("HTTP_HOST", ""), environment.get("SERVER_PROTOCOL", "")
            ),
            base_path,
        )
        connection = next(filter(None, map(environment.get, _SOCKETS)), None)
        wait = _sleep if connection is None else _make_wait(connection)
        response = endpoints.respond(request, source, wait, names)
        length = ("Content-Length", str(len(response.body)))
        start_response(
            f"{response.status} {HTTPStatus(response.status).phrase}", [*response.headers, length]
        )
        return [b"" if request.method == "HEAD" else response.body]

    return application


def _decode(text: str) -> str:
    """The text of a path, which WSGI decodes as Latin-1."""
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


def _make_wait(connection: socket.socket) -> Wait:
    return lambda seconds: hang_up.wait(connection, seconds, lambda: False)


def _sleep(seconds: float) -> bool:
    until_s = time.monotonic() + seconds
    while (left_s := until_s - time.monotonic()) > 0:
        time.sleep(min(left_s, _MOST_SLEEP_S))
    return True
