"""Flight link: the connection between a program and the companion process of its flight recorder.

::

    program                                companion
    ── write MONO_NS ──▶                   what happened up to then is written
                       ◀── data … written, or failed WHY
    ── reports ──▶     ◀── report LINE … written
    ── stop ──▶        ◀── the end of the stream
                       ◀── started PID, or refused WHY: sent once, unrequested

A message is a word and its content. Each has its length in front, as on the engine's socket.
"""

from __future__ import annotations

# Not `socket`, which gevent may have replaced.
import _socket
from collections import deque

from stackglass.errors import EngineError, WireError
from stackglass.native import _core
from stackglass.wire.framing import FrameReader

ENGINE_DESCRIPTOR, LINK_DESCRIPTOR = 3, 4
"""Descriptors of a companion at its start: connected to the engine, and to the program."""
STARTED, REFUSED = "started", "refused"
WRITE, WRITTEN, FAILED, DATA = "write", "written", "failed", "data"
REPORTS, REPORT = "reports", "report"
STOP = "stop"
_CHUNK_BYTES = 256 * 1024
_SEND_TIMEOUT_S = 30.0


class FlightLink:
    """One end of the connection; a context manager. One thread at a time may receive, and one may
    send."""

    __slots__ = ("_messages", "_reader", "_socket", "is_lost")

    def __init__(self, connected: _socket.socket) -> None:
        """Takes over ``connected``."""
        self._socket = connected
        self._reader = FrameReader()
        self._messages: deque[bytes] = deque()
        self.is_lost = False
        """Whether nothing more can be sent or received."""

    def __enter__(self) -> FlightLink:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close this end."""
        self._socket.close()

    def send(self, word: str, content: bytes = b"") -> None:
        """Send a message. Raises EngineError if the other end does not read it."""
        self._socket.settimeout(_SEND_TIMEOUT_S)
        try:
            framed = _core.encode_frame(word.encode() + b" " + content)
            # Without SIGPIPE, which the program may not ignore.
            self._socket.sendall(framed, _socket.MSG_NOSIGNAL)
        except OSError as error:
            raise self._lose(str(error)) from error

    def receive(self, timeout_s: float) -> tuple[str, bytes] | None:
        """Return the next message: its word and content; None if none came in time.

        Raises EngineError at the end of the stream, WireError if it is damaged.
        """
        self._socket.settimeout(timeout_s)
        while not self._messages:
            try:
                data = self._socket.recv(_CHUNK_BYTES)
            except (_socket.timeout, BlockingIOError):
                return None
            except OSError as error:
                raise self._lose(str(error)) from error
            if not data:
                raise self._lose("it has closed the connection")
            self._messages.extend(self._feed(data))
        word, _, content = self._messages.popleft().partition(b" ")
        return word.decode("ascii", "replace"), content

    def lose(self) -> None:
        """Mark the link as lost, because the other end does not answer."""
        self.is_lost = True

    def _feed(self, data: bytes) -> list[bytes]:
        try:
            return self._reader.feed(data)
        except WireError:
            self.is_lost = True
            raise

    def _lose(self, why: str) -> EngineError:
        """Mark the link as lost, and return the error to raise."""
        self.is_lost = True
        return EngineError(f"the process of the flight recorder has ended: {why}")
