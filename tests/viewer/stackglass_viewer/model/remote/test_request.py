"""One request: whole, refused, cut off, redirected, cancelled; no socket is left."""

from __future__ import annotations

import os
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from harness.profile_server import PlayedProfiles
from stackglass.http.server import Server
from stackglass_viewer.model.errors import CancelledError, RemoteError
from stackglass_viewer.model.remote import request
from stackglass_viewer.model.remote.address import Address, parse_address
from stackglass_viewer.model.remote.request import fetch


def count_sockets() -> int:
    names = os.listdir("/proc/self/fd")
    links = [_read_link(f"/proc/self/fd/{name}") for name in names]
    return sum(link.startswith("socket:") for link in links)


def _read_link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def get(address: Address) -> bytes:
    return fetch(address, lambda: False, lambda _: None)


@contextmanager
def answer_with(*answers: bytes) -> Iterator[Address]:
    """A server that sends these bytes, one for each connection, and hangs up."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        for answer in answers:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    yield parse_address(f"http://127.0.0.1:{listener.getsockname()[1]}/debug/pprof/heap")
    thread.join(10)
    listener.close()


def test_an_address_that_is_unreachable_at_once_gives_way_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with answer_with(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody") as address:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        multicast = (*found[0][:4], ("224.0.0.1", address.port))  # TCP never connects to it
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [multicast, *found])
        assert get(address) == b"body"


def test_a_body_arrives_whole_and_reports_its_progress() -> None:
    shares: list[float] = []
    content = os.urandom(1 << 20)
    with Server(PlayedProfiles(heap=content)) as server:
        address = parse_address(f"{server.url}heap")
        assert fetch(address, lambda: False, shares.append) == content
    assert shares == sorted(shares)
    assert shares
    assert 0 <= shares[0] <= shares[-1] <= 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"", "closed the connection without an answer"),
        (b"hello\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "ended in the middle"),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 15\r\n\r\nUnknown profile", "404: Unknown"),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>", "502: Bad Gateway"),
        (b"HTTP/1.1 502 \r\nContent-Length: 6\r\n\r\n<html>", "502: Bad Gateway$"),
        (b"HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n", "299: no reason is given"),
        (
            b"HTTP/1.1 500 No\r\nContent-Length: 11\r\n\r\n\x1b[31m\xe2\x80\xaebad",
            "500: \ufffd\\[31m\ufffdbad",
        ),
        (b"HTTP/1.1 500 No\r\nContent-Length: 10\r\n\r\n\xef\xbb\xbf <html>", "500: No"),
        (
            b"HTTP/1.1 302 Found\r\nLocation: ftp://h/\r\n\r\n",
            r"127.0.0.1:\d+ redirects to ftp://h/, which cannot be opened",
        ),
        (b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\n\r\n", r"redirects to http://\[::1,"),
    ],
)
def test_what_goes_wrong_is_one_sentence(answer: bytes, words: str) -> None:
    before = count_sockets()
    with answer_with(answer) as address, pytest.raises(RemoteError, match=words) as caught:
        get(address)
    assert "\n" not in str(caught.value)
    assert count_sockets() == before


def test_no_server_and_no_host() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(RemoteError, match=f"127.0.0.1:{port}: connection refused"):
        get(parse_address(f"127.0.0.1:{port}/x"))
    with pytest.raises(RemoteError, match="host name is not known"):
        get(parse_address("http://no-such-host.invalid/x"))


def test_a_certificate_of_ones_own_can_be_made_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        error = ssl.SSLCertVerificationError(1, "certificate verify failed")
        error.verify_message = "self-signed certificate"
        raise error

    monkeypatch.setattr(ssl.SSLContext, "wrap_socket", refuse)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = parse_address(f"https://127.0.0.1:{listener.getsockname()[1]}/heap")
        with pytest.raises(RemoteError, match=r"not trusted \(self-signed") as caught:
            get(address)
    assert "SSL_CERT_FILE" in caught.value.remedy


def test_a_redirect_is_followed_and_a_circle_is_not() -> None:
    there = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /debug/pprof/allocs\r\n\r\n"
    with answer_with(there, b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") as address:
        assert get(address) == b"ok"
    with answer_with(*[there] * 6) as address, pytest.raises(RemoteError, match="without end"):
        get(address)


def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "_PATIENCE_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = parse_address(f"127.0.0.1:{listener.getsockname()[1]}/heap")
        with pytest.raises(RemoteError, match="no answer in"):
            get(address)


def test_too_large_a_body_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "_MOST_BYTES", 1 << 20)
    profiles = PlayedProfiles(heap=bytes((1 << 20) + 1))
    with Server(profiles) as server, pytest.raises(RemoteError, match="more than 1 MiB"):
        get(parse_address(f"{server.url}heap"))


def test_a_cancelled_request_ends_at_once_and_the_server_sees_it() -> None:
    """It is cancelled at its first report, and ends before a second one."""
    profiles = PlayedProfiles()
    profiles.holds = True
    cancelled = threading.Event()
    shares: list[float] = []

    def cancel(share: float) -> None:
        assert not cancelled.is_set(), "it waits on"
        shares.append(share)
        cancelled.set()

    before = count_sockets()
    with Server(profiles) as server:
        address = parse_address(f"{server.url}profile?seconds=600")
        with pytest.raises(CancelledError):
            fetch(address, cancelled.is_set, cancel)
        assert profiles.was_left.wait(10)
    assert len(shares) == 1
    assert shares[0] < 0.1  # the time that the server records is its progress
    assert count_sockets() == before
