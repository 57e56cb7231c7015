"""One HTTP request that can be cancelled while it connects, waits and reads.

A server answers a request for N seconds of a profile after N seconds. So a request waits in slices
of at most a tenth of a second and checks between them whether it is cancelled. Then it ends at once
and closes its socket. The look-up of the host's name, the TLS handshake and sending are not
interrupted: such a request ends after them.
"""

from __future__ import annotations

import errno
import http.client
import io
import os
import select
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import urljoin

from stackglass_viewer.model.errors import CancelledError, RemoteError
from stackglass_viewer.model.remote.address import Address, parse_address
from stackglass_viewer.model.units import make_printable

IsCancelled = Callable[[], bool]
Report = Callable[[float], None]

_SLICE_S = 0.1
_PATIENCE_S = 30.0  # longest time without a byte, after the seconds that the server records
_CONNECT_S = 10.0  # longest time to connect to each address of a host
_MOST_BYTES = 1 << 28
_PIECE_BYTES = 1 << 16
_MOST_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_SHARE_OF_WAITING = 0.9  # part of the progress for the seconds that the server records
_TEXT_CHARS = 200  # most that is shown of a server's error text


def fetch(address: Address, is_cancelled: IsCancelled, report: Report) -> bytes:
    """Fetch an address, follow redirects, and return the body. Any thread; blocks.

    ``report`` receives the share done, 0 … 1, if it is known. Raises RemoteError, CancelledError.
    """
    return fetch_from(address, is_cancelled, report)[1]


def fetch_from(
    address: Address, is_cancelled: IsCancelled, report: Report
) -> tuple[Address, bytes]:
    """Fetch like ``fetch``; also return the address to which the redirects have led."""
    for _ in range(_MOST_REDIRECTS + 1):
        exchange = _Exchange(address, is_cancelled, report)
        try:
            with closing(exchange):
                content = exchange.run()
        except (OSError, http.client.HTTPException, ssl.SSLError) as error:
            raise RemoteError(_describe(address, error), _find_remedy(error)) from error
        if isinstance(content, bytes):
            return address, content
        address = content
    raise RemoteError(f"{address.host_text} redirects without end")


class _Exchange:
    """One request and its response. Not thread-safe."""

    def __init__(self, address: Address, is_cancelled: IsCancelled, report: Report) -> None:
        self._address = address
        self._is_cancelled = is_cancelled
        self._report = report
        self._socket: socket.socket | None = None
        self._waits_until_s = 0.0  # when the server ends recording
        self._began_s = time.monotonic()

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()

    def run(self) -> bytes | Address:
        """Return the body, or the address of a redirect. Raises OSError, HTTPException,
        RemoteError, CancelledError."""
        address = self._address
        self._connect()
        connection = http.client.HTTPConnection(address.host, address.port)
        connection.sock = _Socket(self)
        self._began_s = time.monotonic()
        self._waits_until_s = self._began_s + address.recorded_s
        connection.request("GET", address.path, headers={"Host": address.host_text})
        response = connection.getresponse()
        location = response.getheader("Location")
        if response.status in _REDIRECTS and location:
            return self._follow(location)
        body = self._read(response)
        if response.status != http.client.OK:
            raise RemoteError(_describe_refusal(address, response.status, response.reason, body))
        return body

    def _connect(self) -> None:
        address, last = self._address, OSError("the host has no address")
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        for family, kind, protocol, _, place in found:
            self._socket = socket.socket(family, kind, protocol)
            try:
                self._reach(self._socket, place)
            except OSError as error:
                self._socket.close()
                last = error
                continue
            if address.scheme == "https":
                self._socket.settimeout(_PATIENCE_S)
                context = ssl.create_default_context()
                self._socket = context.wrap_socket(self._socket, server_hostname=address.host)
            return
        raise last

    def _reach(self, sock: socket.socket, place: Any) -> None:
        sock.setblocking(False)
        code = sock.connect_ex(place)
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, os.strerror(code))
        until_s = time.monotonic() + _CONNECT_S
        poller = select.poll()
        poller.register(sock, select.POLLOUT)
        while not poller.poll(_SLICE_S * 1000):
            self._check()
            if time.monotonic() > until_s:
                raise TimeoutError(f"no connection in {_CONNECT_S:.0f} s")
        code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))
        sock.settimeout(_PATIENCE_S)  # for reads that do not poll first: the rest of a TLS record

    def _follow(self, location: str) -> Address:
        try:
            target = parse_address(urljoin(self._address.url, location))
        except (ValueError, RemoteError):
            place = make_printable(location[:_TEXT_CHARS])
            text = f"{self._address.host_text} redirects to {place}, which cannot be opened"
            raise RemoteError(text) from None
        if self._address.scheme == "https" and target.scheme != "https":
            raise RemoteError(f"{self._address.host_text} redirects from https to http")
        return target

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        pieces = io.BytesIO()
        done = _SHARE_OF_WAITING if self._address.recorded_s else 0.0
        while piece := response.read(_PIECE_BYTES):
            pieces.write(piece)
            if pieces.tell() > _MOST_BYTES:
                raise RemoteError(
                    f"{self._address.host_text} sends more than {_MOST_BYTES >> 20} MiB"
                )
            if response.length:  # number of bytes still to come
                share = pieces.tell() / (pieces.tell() + response.length)
                self._report(done + (1 - done) * share)
        if response.length:  # http.client raises no error when it reads in pieces
            raise http.client.IncompleteRead(b"", response.length)
        return pieces.getvalue()

    def _check(self) -> None:
        if self._is_cancelled():
            raise CancelledError

    # -- what _Socket needs

    def send(self, content: bytes) -> None:
        assert self._socket is not None
        self._socket.sendall(content)

    def read_into(self, buffer: Any) -> int:
        """Wait for bytes, and read them. Returns their number; 0 = the server has sent all."""
        sock = self._socket
        assert sock is not None
        until_s = max(time.monotonic(), self._waits_until_s) + _PATIENCE_S
        poller = select.poll()
        poller.register(sock, select.POLLIN)
        while not (isinstance(sock, ssl.SSLSocket) and sock.pending()):
            self._check()
            if poller.poll(_SLICE_S * 1000):
                break
            now_s = time.monotonic()
            if now_s > until_s:
                raise TimeoutError(f"no answer in {_PATIENCE_S:.0f} s")
            if now_s < self._waits_until_s:
                seconds = self._waits_until_s - self._began_s
                self._report(_SHARE_OF_WAITING * (now_s - self._began_s) / seconds)
        return sock.recv_into(buffer)


class _Socket:
    """The methods of a socket that http.client calls."""

    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    def sendall(self, content: bytes) -> None:
        self._exchange.send(content)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Stream(self._exchange), _PIECE_BYTES)

    def close(self) -> None:
        """The exchange closes the socket."""


class _Stream(io.RawIOBase):
    """The bytes that a server sends, unbuffered."""

    def __init__(self, exchange: _Exchange) -> None:
        self._exchange = exchange

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._exchange.read_into(buffer)


def _describe(address: Address, error: Exception) -> str:
    """Return the error as one sentence with the host."""
    what = str(error)
    if isinstance(error, socket.gaierror):
        what = "the host name is not known"
    elif isinstance(error, ssl.SSLCertVerificationError):
        what = f"its certificate is not trusted ({error.verify_message})"
    elif isinstance(error, http.client.IncompleteRead):
        what = "the connection ended in the middle of the profile"
    elif isinstance(error, http.client.RemoteDisconnected):
        what = "the server closed the connection without an answer"
    elif isinstance(error, http.client.HTTPException):
        what = "the answer is not HTTP"
    elif isinstance(error, OSError) and error.strerror:
        what = error.strerror.lower()
    return f"cannot fetch from {address.host_text}: {' '.join(what.split())}"


def _find_remedy(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return "start the viewer with SSL_CERT_FILE=FILE, the certificate that signed it"
    return ""


def _describe_refusal(address: Address, status: int, reason: str, body: bytes) -> str:
    said = " ".join(body[: 4 * _TEXT_CHARS].decode(errors="replace").split())
    said = make_printable(said.removeprefix("\ufeff").lstrip())
    if not said or said.startswith("<"):
        said = make_printable(reason) or http.client.responses.get(status, "no reason is given")
    return f"{address.host_text} answers {status}: {said[:_TEXT_CHARS]}"
