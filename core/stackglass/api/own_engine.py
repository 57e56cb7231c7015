"""A program's connection to the engine in its own process, where it is a client like any other.

A connection is a pair of connected sockets, without a file. A request calls no code of the program
and holds no lock.
"""

from __future__ import annotations

import _socket
from collections import deque
from typing import Protocol

from stackglass.clock import SYSTEM_CLOCK
from stackglass.errors import EngineError
from stackglass.wire import requests
from stackglass.wire.framing import FrameReader
from stackglass.wire.recording import Recording
from stackglass.wire.snapshot import SnapshotClient

_CHUNK_BYTES = 256 * 1024
_SEND_TIMEOUT_S = 5.0


class ProgramEngine(Protocol):
    """The part of the extension that serves the program. All methods raise RuntimeError with a
    sentence that says why they failed."""

    def connect(self) -> int:
        """Connect a new client. Returns the descriptor of a connected socket."""

    def set_own_rate(self, name: str, value: int, /) -> None:
        """Set a rate of the program's own: heap, block, mutex, gil, threadcreate; 0 = none."""

    def withdraw(self) -> None:
        """Remove all rates that the program has set."""


class OwnConnection:
    """A connection to the engine. For one thread; a context manager."""

    __slots__ = ("_frames", "_reader", "_socket")

    def __init__(self, descriptor: int) -> None:
        """Takes over ``descriptor``."""
        # _socket's, not socket's, which gevent may have replaced.
        self._socket = _socket.socket(fileno=descriptor)
        self._reader = FrameReader()
        self._frames: deque[bytes] = deque()

    def __enter__(self) -> OwnConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def receive(self, timeout_s: float | None = None) -> bytes | None:
        """Return the next FromEngine message; None if none came in time.

        Raises EngineError at the end of the stream, WireError if it is damaged.
        """
        self._socket.settimeout(timeout_s)
        while not self._frames:
            try:
                data = self._socket.recv(_CHUNK_BYTES)
            except _socket.timeout:
                return None
            except OSError as error:
                raise EngineError(f"the engine has left: {error.strerror}") from error
            if not data:
                raise EngineError("the engine has left")
            self._frames.extend(self._reader.feed(data))
        return self._frames.popleft()

    def send(self, framed: bytes) -> None:
        """Send a request that ``stackglass.wire.requests`` has encoded. Raises EngineError."""
        self._socket.settimeout(_SEND_TIMEOUT_S)
        try:
            # Without SIGPIPE, which the program may not ignore.
            self._socket.sendall(framed, _socket.MSG_NOSIGNAL)
        except OSError as error:
            raise EngineError(f"the engine has left: {error}") from error


def take_snapshot(engine: ProgramEngine, profile: str) -> Recording:
    """Return a snapshot of the engine's data for the profile of this name.

    Raises EngineError, WireError.
    """
    try:
        descriptor = engine.connect()
    except RuntimeError as error:
        raise EngineError(f"cannot send a request to the engine: {error}") from error
    with OwnConnection(descriptor) as connection:
        connection.send(requests.encode_greeting())
        return SnapshotClient(connection, SYSTEM_CLOCK).take(profiles=(profile,))
