"""``/debug/pprof/``: one request in, one response out; the rules are those of Go's net/http/pprof.

::

    host and method good? ─▶ path ─┬─ ""                        index
                                   ├─ cmdline, symbol, trace    text
                                   ├─ profile, wall             recorded for some seconds
                                   └─ NAME ─┬─ seconds=N        what N seconds added
                                            └─ debug, gc        as it is now

This module has no server, thread or clock: the server passes ``wait``. Two of Go's endpoints have
no counterpart in Python and say so: ``symbol`` knows no symbols, because profiles carry their
names, and there is no ``trace``.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape
from typing import Callable
from urllib.parse import quote

from stackglass.errors import StackglassError
from stackglass.http import hosts, index, parameters
from stackglass.http.messages import BINARY, HTML, TEXT, Request, Response, Source, Wait
from stackglass.http.paths import PREFIX, clean
from stackglass.wire.delta import subtract
from stackglass.wire.pprof_file import encode_file

WALL = "wall"
DEFAULT_SECONDS = 30
_NO_SNIFF = ("X-Content-Type-Options", "nosniff")
_METHODS = ("GET", "HEAD")
_NOT_IN_A_FILE_NAME = re.compile(r'[\x00-\x1f\x7f"\\]|[^\x00-\x7e]')


def respond(request: Request, source: Source, wait: Wait, names: Collection[str] = ()) -> Response:
    """The answer to a request. ``names``: host names that it may use, besides addresses and
    localhost."""
    if not request.host:
        return _make_text(400, "400 Bad Request: missing required Host header")
    if not hosts.is_allowed(request.host, names):
        return _make_text(
            403, f"the host {request.host} is not allowed here: add it to the allowed host names"
        )
    cleaned = clean(request.path)
    is_slash_missing = request.path == PREFIX.rstrip("/")
    # As by Go, only GET and HEAD are led to the list of profiles; other paths are cleaned first.
    is_redirected = request.method in _METHODS or not is_slash_missing
    if cleaned != request.path and cleaned.startswith(PREFIX) and is_redirected:
        return _redirect(request, request.base_path + cleaned[len(PREFIX) :])
    if not request.path.startswith(PREFIX) and not is_slash_missing:
        return _make_text(404, "404 page not found", _NO_SNIFF)
    if request.method not in _METHODS:
        allowed = ("Allow", ", ".join(_METHODS))
        return _make_text(405, "Method Not Allowed", allowed, _NO_SNIFF)
    response = _answer(request.path[len(PREFIX) :], request.query, source, wait)
    return response._replace(headers=(*response.headers, _NO_SNIFF))


def _answer(name: str, query: str, source: Source, wait: Wait) -> Response:
    if name == "cmdline":
        words = "\0".join(source.list_arguments())
        return Response(200, (("Content-Type", TEXT),), words.encode("utf-8", "replace"))
    if name == "symbol":
        return _make_text(200, "num_symbols: 0")
    if name == "trace":
        return _make_error(501, "Could not enable tracing: Python has no execution trace")
    try:
        if not name:
            page = index.render(source.list_profiles()).encode()
            return Response(200, (("Content-Type", HTML),), page)
        if name == "profile":
            return _record(name, query, source.record_cpu, wait)
        if name == WALL:
            return _record(name, query, source.record_wall, wait)
        if not source.has_profile(name):
            return _make_error(404, "Unknown profile")
        seconds = parameters.find(query, "seconds")
        if seconds:
            return _subtract(name, query, seconds, source, wait)
        return _write(name, query, source)
    except StackglassError as error:
        return _make_error(500, f"failed to collect profile: {error}")


def _record(name: str, query: str, record: Callable[[int, Wait], bytes], wait: Wait) -> Response:
    seconds = parameters.read_seconds(parameters.find(query, "seconds")) or DEFAULT_SECONDS
    try:
        return _make_file(name, record(seconds, wait))
    except StackglassError as error:
        kind = "wall" if name == WALL else "CPU"
        return _make_error(500, f"Could not enable {kind} profiling: {error}")


def _write(name: str, query: str, source: Source) -> Response:
    wants_gc = name == "heap" and parameters.read_flag(query, "gc") > 0
    debug = parameters.read_flag(query, "debug")
    content = source.encode(name, 1 if debug < 0 else debug, wants_gc)  # as in Go, -1 is text
    if debug:
        return Response(200, (("Content-Type", TEXT),), content)
    return _make_file(name, content)


def _subtract(name: str, query: str, text: str, source: Source, wait: Wait) -> Response:
    seconds = parameters.read_seconds(text)
    if seconds is None:
        return _make_error(400, 'invalid value for "seconds" - must be a positive integer')
    if not source.has_delta(name):
        return _make_error(400, '"seconds" parameter is not supported for this profile type')
    if parameters.read_flag(query, "debug"):
        return _make_error(400, "seconds and debug params are incompatible")
    earlier = source.build(name)
    if not wait(seconds):
        return _make_error(500, "context canceled")
    later = source.build(name)
    delta = later.tables
    # If another engine has begun meanwhile, all that it recorded is new.
    if later.engine_began_ns == earlier.engine_began_ns:
        try:
            delta = subtract(later.tables, earlier.tables)
        except ValueError:
            return _make_error(500, "failed to compute delta")
    return _make_file(f"{name}-delta", encode_file(delta))


def _make_file(name: str, content: bytes) -> Response:
    safe = _NOT_IN_A_FILE_NAME.sub("_", name)
    headers = (
        ("Content-Type", BINARY),
        ("Content-Disposition", f'attachment; filename="{safe}"'),
    )
    return Response(200, headers, content)


def _make_text(status: int, text: str, *headers: tuple[str, str]) -> Response:
    return Response(status, (("Content-Type", TEXT), *headers), f"{text}\n".encode())


def _make_error(status: int, text: str) -> Response:
    return _make_text(status, " ".join(text.split()), ("X-Go-Pprof", "1"))


def _redirect(request: Request, path: str) -> Response:
    place = quote(path) + (f"?{request.query}" if request.query else "")
    location = ("Location", place)
    if request.method not in _METHODS:
        return Response(307, (location,), b"")
    body = f'<a href="{escape(place)}">Temporary Redirect</a>.\n\n'
    return Response(307, (("Content-Type", HTML), location), body.encode())
