"""Messages of a session file, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.message import DecodeError

from stackglass.errors import WireError
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.proto import wire_pb2

_MOST_VARINT_SHIFT = 35
_MOST_REASON = 100  # letters

Apply = Callable[[wire_pb2.FromEngine], None]
"""Takes a message. Raises WireError."""


def replay_messages(messages: memoryview | bytes, apply: Apply) -> None:
    """Apply messages, each with its length in front. Raises ContentError."""
    view, at = memoryview(messages), 0
    try:
        while at < len(view):
            size, at = _read_size(view, at)
            if at + size > len(view):
                raise IndexError
            message = wire_pb2.FromEngine.FromString(bytes(view[at : at + size]))
            at += size
            apply(message)
    except IndexError:
        raise ContentError("it is damaged: a message is cut off") from None
    except WireError as error:
        raise ContentError(f"it is damaged: {error.message}") from None
    except (DecodeError, ValueError, OverflowError) as error:
        reason = str(error)[:_MOST_REASON]
        raise ContentError(f"it is damaged: a message cannot be read ({reason})") from None


def _read_size(view: memoryview, at: int) -> tuple[int, int]:
    size = 0
    for shift in range(0, _MOST_VARINT_SHIFT, 7):
        byte = view[at]
        at += 1
        size |= (byte & 0x7F) << shift
        if byte < 0x80:
            return size, at
    raise ContentError("it is damaged: a message has an impossible length")
