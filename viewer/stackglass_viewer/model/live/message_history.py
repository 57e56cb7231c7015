"""History of one kind of message over a whole session.

If the messages take too much room, every second one is dropped, as often as necessary, so that the
others stay evenly spaced.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.proto import wire_pb2

_MOST_BYTES = 16 << 20
_Timed = wire_pb2.LockWaits | wire_pb2.ThreadSnapshot | wire_pb2.TypeCensus


class MessageHistory:
    """The messages that are kept, packed. The owner's lock guards all methods."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        """``most_bytes``: limit for the sum of all messages that are kept."""
        self._most_bytes = most_bytes
        self._n_bytes = 0
        self._n_seen = 0
        self._stride = 1  # kept: messages with a number that is a multiple of this; and the last
        self._numbers: list[int] = []
        self._times_ns: list[int] = []  # CLOCK_MONOTONIC, ascending; may repeat
        self._messages: list[bytes] = []

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, message: _Timed) -> None:
        """Add a message. The last one always stays."""
        time_ns, packed = message.time_mono_ns, message.SerializeToString()
        last_ns = self._times_ns[-1] if self._times_ns else time_ns
        if self._numbers and self._numbers[-1] % self._stride:
            self._keep(range(len(self) - 1))
        self._numbers.append(self._n_seen)
        self._times_ns.append(max(time_ns, last_ns))
        self._messages.append(packed)
        self._n_bytes += len(packed)
        self._n_seen += 1
        while self._n_bytes > self._most_bytes and len(self) > 1:
            self._stride *= 2
            last = len(self) - 1
            kept = [at for at in range(last) if self._numbers[at] % self._stride == 0]
            self._keep([*(kept if len(kept) < last else kept[1:]), last])

    def _keep(self, indices: Sequence[int]) -> None:
        self._numbers = [self._numbers[at] for at in indices]
        self._times_ns = [self._times_ns[at] for at in indices]
        self._messages = [self._messages[at] for at in indices]
        self._n_bytes = sum(map(len, self._messages))

    def find(self, until_ns: int | None) -> bytes | None:
        """Return the last message up to ``until_ns`` (CLOCK_MONOTONIC); for None, the last of all.
        None = there is no message."""
        end = len(self._messages)
        if until_ns is not None:
            end = bisect_right(self._times_ns, until_ns)
        return self._messages[end - 1] if end else None


def end_of_unit(until: int | None, start_mono_ns: int) -> int | None:
    """Return the last nanosecond (CLOCK_MONOTONIC) of ``until``, a unit of 10 ms since the
    session's start; None for None."""
    return None if until is None else start_mono_ns + (until + 1) * UNIT_NS - 1
