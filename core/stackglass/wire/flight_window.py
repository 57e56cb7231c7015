"""Flight window: the last seconds of a memory trace, and the blocks that were live at its start.

::

      engine ──▶ definitions ─────────────────────────────────────┐
             ──▶ ring of events and messages, oldest in front ────┤──▶ session file
                    └─ the oldest ──▶ fold: live blocks, sums ────┘

Events that leave the ring are replayed into the set of live blocks of memory, so a file can begin
anywhere: with a snapshot that has each live block's type, size and stack. The engine sends events
in groups, called event blocks.
"""

from __future__ import annotations

from collections import deque

from stackglass.errors import WireError
from stackglass.named_tuple import NamedTuple
from stackglass.native import _flight
from stackglass.wire.message_fold import MessageFold
from stackglass.wire.messages import MemoryEvents, MemoryInfo
from stackglass.wire.session_file import SessionFileWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from stackglass.wire.messages import Message
    from stackglass.wire.session_file import ByteSink

_OVERHEAD_BYTES = 200
"""Memory of an item in the ring besides its content."""
_LEAST_SNAPSHOT_EVENTS = 16_000
"""An event block of the snapshot has at least so many events, unless it is the last of its pass."""


class _Item(NamedTuple):
    last_ns: int  # time of the newest event received so far
    frame: bytes  # a message; b"" = the item is an event block
    events: MemoryEvents


class Contents(NamedTuple):
    """Counts and times of a written file."""

    n_bytes: int
    n_events: int  # of the window
    n_live: int | None  # live blocks at its start; None = it starts with the trace itself
    begin_ns: int
    end_ns: int


class FlightWindow:
    """The window. One thread at a time; after ``freeze``, another thread may write a capture."""

    __slots__ = (
        "_fold",
        "_generation",
        "_is_frozen",
        "_messages",
        "_n_bytes",
        "_newest_ns",
        "_ring",
        "has_begun",
        "is_shortened",
        "most_bytes",
        "span_ns",
    )

    def __init__(self, span_ns: int, most_bytes: int) -> None:
        """Keeps ``span_ns``, or less if that would be more than ``most_bytes`` in the ring."""
        self.span_ns = span_ns
        self.most_bytes = most_bytes
        self.has_begun = False
        """Whether the engine traces memory."""
        self.is_shortened = False
        """Whether the ring holds less than ``span_ns``, because of its size."""
        self._fold = _flight.fold_new()
        self._messages = MessageFold()
        self._ring: deque[_Item] = deque()
        self._n_bytes = 0
        self._newest_ns = 0
        self._generation: int | None = None  # of the last event block that left; None = none did
        self._is_frozen = False

    @property
    def n_bytes(self) -> int:
        """Bytes in the ring."""
        return self._n_bytes

    def add(self, frame: bytes, message: Message | None) -> None:
        """Add a message as received, and as decoded. Raises WireError."""
        if isinstance(message, MemoryEvents):
            self._newest_ns = max(self._newest_ns, message.last_time_ns)
            self._put(_Item(self._newest_ns, b"", message))
        else:
            if isinstance(message, MemoryInfo) and not message.problem:
                self.has_begun = True
            rest = self._messages.take_definitions(frame)
            if rest:
                self._put(_Item(self._newest_ns, rest, MemoryEvents()))
        if not self._is_frozen:
            self._trim()

    def freeze(self) -> None:
        """Keep the oldest items of the ring, which then only grows, until ``thaw``."""
        self._is_frozen = True

    def thaw(self) -> None:
        """Let items leave the ring again. Raises WireError."""
        self._is_frozen = False
        self._trim()

    def capture(self) -> CapturedWindow:
        """Return the window as it is now. It must stay frozen until the capture is written."""
        return CapturedWindow(
            list(self._messages.definitions),
            self._messages.list_sums(),
            list(self._ring),
            self._fold,
            self._generation,
        )

    def _put(self, item: _Item) -> None:
        self._ring.append(item)
        self._n_bytes += _count_bytes(item)

    def _trim(self) -> None:
        oldest_ns = self._newest_ns - self.span_ns
        while self._ring:
            is_old = self._ring[0].last_ns < oldest_ns
            if not is_old and self._n_bytes <= self.most_bytes:
                return
            self.is_shortened = not is_old
            item = self._ring.popleft()
            self._n_bytes -= _count_bytes(item)
            self._forget(item)

    def _forget(self, item: _Item) -> None:
        if item.frame:
            self._messages.add(item.frame)
            return
        events = item.events
        self._generation = events.generation
        try:
            _flight.fold_add(self._fold, events.payload, events.packing, events.raw_bytes)
        except ValueError as error:
            raise WireError(f"the engine sent events that cannot be read: {error}") from None


class CapturedWindow:
    """A window as it was at one moment, to be written once. Any thread, one at a time."""

    __slots__ = ("_definitions", "_fold", "_generation", "_ring", "_sums")

    def __init__(
        self,
        definitions: list[bytes],
        sums: list[bytes],
        ring: list[_Item],
        fold: _flight._Fold,
        generation: int | None,
    ) -> None:
        self._definitions = definitions
        self._sums = sums
        self._ring = ring
        self._fold = fold
        self._generation = generation

    def write(self, file: ByteSink) -> Contents:
        """Write a whole session file; ``file`` needs no seek. Raises OSError, MemoryError."""
        writer = SessionFileWriter(file)
        for frame in (*self._definitions, *self._sums):
            writer.add_message(frame)
        n_live = _flight.fold_count(self._fold)
        blocks = [item.events for item in self._ring if not item.frame]
        ends_ns = [item.last_ns for item in self._ring]
        begin_ns = min((events.first_time_ns for events in blocks), default=max(ends_ns, default=0))
        for events in self._list_snapshot(n_live, begin_ns):
            writer.add_events(events)
        for item in self._ring:
            if item.frame:
                writer.add_message(item.frame)
            else:
                writer.add_events(item.events)
        writer.finish()
        n_events = sum(events.n_events for events in blocks)
        return Contents(
            writer.n_bytes,
            n_events,
            None if self._generation is None else n_live,
            begin_ns,
            max(ends_ns, default=begin_ns),
        )

    def _list_snapshot(self, n_live: int, begin_ns: int) -> Iterator[MemoryEvents]:
        """Yield the live blocks as event blocks, each a nanosecond later than the one before, and
        none later than the window's start. Their times differ because readers hold all events of
        one time in memory."""
        time_ns = max(begin_ns - n_live // _LEAST_SNAPSHOT_EVENTS - 2, 0)
        _flight.fold_begin(self._fold)
        try:
            while True:
                block = _flight.fold_take(self._fold, time_ns)
                if block is None:
                    return
                n_events, packing, raw_bytes, payload = block
                yield MemoryEvents(
                    self._generation or 0, n_events, time_ns, time_ns, packing, raw_bytes, payload
                )
                time_ns = min(time_ns + 1, begin_ns)
        finally:
            _flight.fold_end(self._fold)


def _count_bytes(item: _Item) -> int:
    return _OVERHEAD_BYTES + len(item.frame) + len(item.events.payload)
