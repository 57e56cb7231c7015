"""The ways in: a server of our own, WSGI, ASGI."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import pytest

import stackglass
from harness.pythons import CHECKOUT, find_pythons
from stackglass.errors import EngineError
from stackglass.http import asgi, hosts, wsgi
from stackglass.http.messages import Built, Listed, Wait
from stackglass.http.server import Server


class FakeSource:
    """One profile, and a CPU profile that says whether it was cut short."""

    def __init__(self) -> None:
        self.was_whole: bool | None = None
        self.is_recording = threading.Event()

    def list_profiles(self) -> list[Listed]:
        return [Listed("heap", "", 1)]

    def has_profile(self, name: str) -> bool:
        return name == "heap"

    def has_delta(self, name: str) -> bool:
        return False

    def encode(self, name: str, debug: int, wants_gc: bool) -> bytes:
        return b"content"

    def build(self, name: str) -> Built:
        raise AssertionError("no difference is asked for")

    def record_cpu(self, seconds: int, wait: Wait) -> bytes:
        self.is_recording.set()
        self.was_whole = wait(seconds)
        return b"cpu"

    def record_wall(self, seconds: int, wait: Wait) -> bytes:
        return self.record_cpu(seconds, wait)

    def list_arguments(self) -> list[str]:
        return ["app.py"]


@pytest.fixture
def source() -> FakeSource:
    return FakeSource()


@pytest.fixture
def server(source: FakeSource) -> Iterator[Server]:
    with Server(source) as server:
        yield server


def ask(server: Server, path: str, method: str = "GET") -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        connection.request(method, path)
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def wait_until_cut_short(source: FakeSource) -> None:
    until_s = time.monotonic() + 30
    while source.was_whole is None and time.monotonic() < until_s:
        time.sleep(0.01)
    assert source.was_whole is False


def test_it_listens_on_loopback_alone(server: Server) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}/debug/pprof/"
    assert ask(server, "/debug/pprof/heap")[::2] == (200, b"content")


def test_it_does_not_say_what_it_is(server: Server) -> None:
    _, headers, _ = ask(server, "/debug/pprof/heap")
    assert "Server" not in headers
    assert headers["Content-Length"] == "7"


def test_a_head_has_the_length_and_no_body(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        head = "HEAD /debug/pprof/heap HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        raw.sendall(head.encode())
        answer = b""
        while chunk := raw.recv(4096):
            answer += chunk
    assert b"Content-Length: 7\r\n" in answer
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.parametrize(("method", "status"), [("POST", 405), ("GET", 200)])
@pytest.mark.parametrize("before", ["", "Content-Length: 0\r\n"])
def test_a_body_that_is_not_read_is_no_second_request(
    server: Server, method: str, status: int, before: str
) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        body = b"GET /debug/pprof/heap HTTP/1.1\r\nHost: localhost\r\n\r\n"
        head = f"{method} /debug/pprof/heap HTTP/1.1\r\nHost: localhost\r\n"
        head += f"{before}Content-Length: {len(body)}"
        raw.sendall(head.encode() + b"\r\n\r\n" + body)
        answer = b""
        while chunk := raw.recv(4096):
            answer += chunk
    assert answer.count(b"HTTP/1.1") == 1
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())


def test_a_refused_method_without_a_body_keeps_the_connection(server: Server) -> None:
    """As by Go."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    with contextlib.closing(connection):
        for method, status in (("POST", 405), ("GET", 200)):
            connection.request(method, "/debug/pprof/heap")
            response = connection.getresponse()
            response.read()
            assert (response.status, response.getheader("Connection")) == (status, None)


def test_a_client_that_hangs_up_ends_its_profile(server: Server, source: FakeSource) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
        raw.sendall(b"GET /debug/pprof/profile?seconds=600 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert source.is_recording.wait(30)
    wait_until_cut_short(source)


def test_closing_the_server_ends_what_waits(source: FakeSource) -> None:
    with Server(source) as server:
        asking = threading.Thread(target=ask, args=(server, "/debug/pprof/profile?seconds=600"))
        asking.start()
        assert source.is_recording.wait(30)
    asking.join(30)
    assert not asking.is_alive()
    assert source.was_whole is False


def test_a_client_that_reads_nothing_is_not_reported() -> None:
    """Up to 3.9 the timeout of a socket is no TimeoutError."""
    program = """
import socket
from stackglass.http.server import _Listener
try:
    raise socket.timeout("timed out")
except OSError:
    _Listener.handle_error(None, None, ("127.0.0.1", 1))
"""
    done = subprocess.run(
        [find_pythons().present[0].executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT / "core")},
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_port_in_use_is_an_error_with_its_reason(server: Server, source: FakeSource) -> None:
    with pytest.raises(EngineError, match=f"port {server.port}: Address already in use: choose an"):
        Server(source, server.port)
    with pytest.raises(EngineError, match="port 70000: no such port"):
        Server(source, 70_000)


def test_a_port_is_a_whole_number() -> None:
    with pytest.raises(TypeError, match="port is a whole number, not '6060'"):
        stackglass.serve("6060")  # type: ignore[arg-type]


def test_host_names_are_a_list(source: FakeSource) -> None:
    """The letters of a single one would be its names."""
    for make in (
        lambda: Server(source, names="profiles.example"),
        lambda: wsgi.make_application(source, "profiles.example"),
        lambda: asgi.make_application(source, "profiles.example"),
    ):
        with pytest.raises(TypeError, match=r"hosts are a list of names: \['profiles.example'\]"):
            make()


def test_a_forked_child_does_not_hold_the_port(server: Server, source: FakeSource) -> None:
    child = os.fork()
    if not child:
        links = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
        inode = os.fstat(server._listener.socket.fileno()).st_ino if _is_open(server) else -1
        held = [link for link in links if _read_link(link) == f"socket:[{inode}]"]
        os._exit(1 if held else 0)
    assert os.waitpid(child, 0)[1] == 0


def test_a_forked_child_leaves_the_block_of_the_server(source: FakeSource) -> None:
    with Server(source) as server:
        child = os.fork()
        if not child:
            signal.alarm(5)  # ends a child that waits for ever
            server.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert _is_open(server)


def _is_open(server: Server) -> bool:
    return server._listener.socket.fileno() >= 0


def _read_link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def test_wsgi_serves_at_the_root_and_where_it_is_mounted(source: FakeSource) -> None:
    application = validator(wsgi.make_application(source))
    mounts = ("", "/debug/pprof/heap"), ("/debug/pprof", "/heap"), ("/admin/prof", "/heap")
    for script, path in mounts:
        environment: dict[str, Any] = {}
        setup_testing_defaults(environment)
        environment.update(SCRIPT_NAME=script, PATH_INFO=path, HTTP_HOST="localhost")
        environment["QUERY_STRING"] = ""
        started: list[Any] = []
        chunks = application(environment, lambda *head, started=started: started.append(head))
        body = b"".join(chunks)
        chunks.close()  # type: ignore[attr-defined] # the validator's
        ((status, headers),) = started
        assert (status, body) == ("200 OK", b"content")
        assert ("X-Content-Type-Options", "nosniff") in headers


@pytest.mark.parametrize("key", ["werkzeug.socket", "gunicorn.socket"])
def test_a_wsgi_server_with_its_socket_shows_when_the_client_has_gone(
    source: FakeSource, key: str
) -> None:
    served, client = socket.socketpair()
    client.close()
    environment: dict[str, Any] = {key: served, "QUERY_STRING": "seconds=600"}
    setup_testing_defaults(environment)
    environment.update(PATH_INFO="/debug/pprof/profile", HTTP_HOST="localhost")
    with served:
        wsgi.make_application(source)(environment, lambda *_: None)
    assert source.was_whole is False


def test_a_wsgi_request_may_ask_for_centuries(monkeypatch: pytest.MonkeyPatch) -> None:
    """``time.sleep`` refuses so many seconds."""
    now_s = 0.0
    slept_s: list[float] = []

    def sleep(seconds: float) -> None:
        nonlocal now_s
        slept_s.append(seconds)
        now_s += seconds if len(slept_s) < 3 else 1e19

    clock = SimpleNamespace(monotonic=lambda: now_s, sleep=sleep)
    monkeypatch.setattr(wsgi, "time", clock)
    assert wsgi._sleep(2**63 - 1)
    assert slept_s == [86_400.0] * 3
    slept_s.clear()
    now_s = 0.0
    assert wsgi._sleep(1.5)
    assert slept_s == [1.5]


async def call_asgi(
    source: FakeSource, path: str, query: bytes = b"", leaves: bool = False, root: str = ""
) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "root_path": root,
        "query_string": query,
        "headers": [(b"host", b"localhost")],
    }
    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        if leaves:
            return {"type": "http.disconnect"}
        await asyncio.sleep(3600)
        raise AssertionError("cancelled before")

    async def send(message: Any) -> None:
        sent.append(message)

    await asgi.make_application(source)(scope, receive, send)
    return sent


def test_asgi_serves_at_the_root_and_where_it_is_mounted(source: FakeSource) -> None:
    for path, root in (
        ("/debug/pprof/heap", ""),
        ("/heap", "/debug/pprof"),
        ("/admin/debug/pprof/heap", "/admin"),
        ("/admin/prof/heap", "/admin/prof"),
    ):
        start, body = asyncio.run(call_asgi(source, path, root=root))
        assert (start["status"], body["body"]) == (200, b"content")
        assert (b"x-content-type-options", b"nosniff") in start["headers"]


def test_a_redirect_names_the_path_that_the_client_knows(source: FakeSource) -> None:
    start, _ = asyncio.run(call_asgi(source, "/admin/prof//heap", b"debug=1", root="/admin/prof"))
    assert start["status"] == 307
    assert (b"location", b"/admin/prof/heap?debug=1") in start["headers"]


def test_an_asgi_client_that_leaves_ends_its_profile(source: FakeSource) -> None:
    asyncio.run(call_asgi(source, "/debug/pprof/profile", b"seconds=600", leaves=True))
    assert source.was_whole is False


def test_asgi_takes_part_in_the_life_of_its_server(source: FakeSource) -> None:
    sent: list[Any] = []
    messages = ["lifespan.shutdown", "lifespan.startup"]

    async def receive() -> Any:
        return {"type": messages.pop()}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    async def live() -> None:
        await asgi.make_application(source)({"type": "lifespan"}, receive, send)

    asyncio.run(live())
    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def ask_raw(server: Server, request: bytes) -> bytes:
    """All that comes until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b""))


HOST = b"Host: 127.0.0.1\r\n"
CMDLINE = b"GET /debug/pprof/cmdline HTTP/1.1\r\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /debug/pprof/cmdline HTTP/1.0\r\n", b"200 OK"),
        (b"GET http://127.0.0.1/debug/pprof/cmdline HTTP/1.0\r\n", b"200 OK"),
        (b"GET http://page.example/debug/pprof/cmdline HTTP/1.0\r\n", b"403 Forbidden"),
        (CMDLINE, b"400 Bad Request"),
        (CMDLINE + HOST + b"Host: page.example\r\n", b"400 Bad Request"),
        (
            b"BREW /debug/pprof/ HTTP/1.1\r\n" + HOST + b"Connection: close\r\n",
            b"405 Method Not Allowed",
        ),
        (b"nonsense\r\n", b"400 Bad Request"),
        (b"GET / HTTP/2.0\r\n" + HOST, b"505 HTTP Version Not Supported"),
        (CMDLINE + HOST + b"X: " + b"y" * 70_000 + b"\r\n", b"431 Request Header Fields Too Large"),
    ],
)
def test_unusual_requests_are_answered_as_by_go(
    server: Server, request_: bytes, status: bytes
) -> None:
    answer = ask_raw(server, request_ + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 " + status + b"\r\n")
    assert b"\r\nServer:" not in answer
    assert b"<html" not in answer.lower()


def test_an_old_client_of_wsgi_and_asgi_needs_no_host(source: FakeSource) -> None:
    assert hosts.complete("", "HTTP/1.0") == hosts.complete("", "1.0") == "127.0.0.1"
    assert hosts.complete("page.example", "1.0") == "page.example"
    assert hosts.complete("", "HTTP/1.1") == ""
