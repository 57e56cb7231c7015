"""Messages on the socket: a varint byte count, then that many bytes."""

from __future__ import annotations

from stackglass.errors import WireError

MAX_MESSAGE_BYTES = 64 << 20
"""More than any message of an engine has. A sender that claims more is not an engine."""

_MAX_LENGTH_BYTES = 5


class FrameReader:
    """Cuts a stream of bytes into messages, however the bytes arrive. For one thread."""

    __slots__ = ("_max_bytes", "_pending")

    def __init__(self, max_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._pending = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Take more bytes; returns the messages that are now complete, oldest first.

        Raises WireError if a message claims an absurd length; the stream cannot be read on then.
        """
        pending = self._pending
        pending += data
        messages = []
        at = 0
        while True:
            size, start = self._read_length(at)
            if start == 0 or start + size > len(pending):
                break
            messages.append(bytes(pending[start : start + size]))
            at = start + size
        del pending[:at]
        return messages

    def finish(self) -> None:
        """Check at the end of the stream. Raises WireError if it ended inside a message."""
        if self._pending:
            raise WireError(
                f"the connection ended inside a message ({len(self._pending)} bytes of it received)"
            )

    def _read_length(self, at: int) -> tuple[int, int]:
        """Return the length of the message at ``at``, and where its content starts; 0 = the length
        has not arrived yet."""
        size = 0
        for i, byte in enumerate(self._pending[at : at + _MAX_LENGTH_BYTES]):
            size |= (byte & 0x7F) << 7 * i
            if size > self._max_bytes:
                break
            if byte < 0x80:
                return size, at + i + 1
        else:
            if len(self._pending) - at < _MAX_LENGTH_BYTES:
                return 0, 0
        raise WireError(
            f"a message claims more than {self._max_bytes} bytes: the other end is no "
            "Stackglass engine, or the stream is damaged"
        )
