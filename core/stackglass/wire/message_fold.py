"""Message fold: the parts of an engine's messages that outlive a window of time.

::

    definitions   strings, stacks, buckets …: all of them, as they came
    sums          the last row of each bucket
    states        the last message of its kind: Rates, Status, MemoryInfo …
    samples, events                     forgotten

The order of definitions is kept; the order of everything else does not matter.
"""

from __future__ import annotations

from stackglass.errors import WireError
from stackglass.named_tuple import NamedTuple
from stackglass.native import _core
from stackglass.wire import varint
from stackglass.wire.tags import Batch, Contention, CustomProfiles, FromEngine, Heap

_DELIMITED = 2


class _Table(NamedTuple):
    """Columns in which only the last row of each key counts."""

    columns: tuple[int, ...]
    n_keys: int = 1  # the first so many columns are the key


class _Message(NamedTuple):
    """The fields of a message that outlive a window."""

    definitions: frozenset[int]
    tables: tuple[_Table, ...] = ()


_MESSAGES = {
    FromEngine.BATCH: _Message(
        frozenset(
            (
                *range(Batch.STRINGS, Batch.LOCATION_NATIVE_ADDRESS + 1),
                *range(Batch.KNOWN_FUNCTION, Batch.STARTED_BY_PYTHON + 1),
            )
        )
    ),
    FromEngine.HEAP: _Message(
        frozenset(range(Heap.BUCKET_NODE, Heap.BUCKET_LABELS + 1)),
        (_Table(tuple(range(Heap.VALUE_BUCKET, Heap.VALUE_FULL_FREE_BYTES + 1))),),
    ),
    FromEngine.CONTENTION: _Message(
        frozenset(range(Contention.LOCK_PRIMITIVE, Contention.NAMED_SETTLED + 1)),
        (
            _Table(tuple(range(Contention.VALUE_BUCKET, Contention.VALUE_MAX_NS + 1))),
            _Table(tuple(range(Contention.DELAY_BUCKET, Contention.DELAY_COUNT + 1)), n_keys=2),
        ),
    ),
    FromEngine.CUSTOM_PROFILES: _Message(
        frozenset((CustomProfiles.PROFILE_NAME,)),
        (_Table(tuple(range(CustomProfiles.ROW, CustomProfiles.ROW_COUNT + 1))),),
    ),
}
_ONCE = frozenset((FromEngine.HELLO, FromEngine.READY))
_STATES = frozenset(
    (
        FromEngine.RATES,
        FromEngine.STATUS,
        FromEngine.HEAP_STATUS,
        FromEngine.CONTENTION_STATUS,
        FromEngine.THREAD_CREATIONS,
        FromEngine.METRICS,
        FromEngine.MEMORY_INFO,
    )
)


class MessageFold:
    """The parts of the messages added so far that outlive the window. For one thread.

    It grows with the session's definitions, and not with time. The engine bounds definitions,
    except that each new thread adds a row.
    """

    __slots__ = ("_rows", "_states", "definitions")

    def __init__(self) -> None:
        self.definitions: list[bytes] = []
        """FromEngine messages in their order, with which a window begins."""
        self._states: dict[int, bytes] = {}
        self._rows: dict[tuple[int, _Table], dict[tuple[int, ...], tuple[int, ...]]] = {}

    def take_definitions(self, frame: bytes) -> bytes:
        """Keep the definitions of a message. Returns the rest of it, which may be empty.

        Raises WireError.
        """
        kind, content = _open(frame)
        if kind in _ONCE:
            self.definitions.append(frame)
            return b""
        message = _MESSAGES.get(kind)
        if message is None:
            return frame
        kept, rest = bytearray(), bytearray()
        for number, _, begin, _, end in _list_fields(content):
            (kept if number in message.definitions else rest).extend(content[begin:end])
        if not kept:
            return frame
        self.definitions.append(_core.encode_bytes(kind, bytes(kept)))
        return _core.encode_bytes(kind, bytes(rest)) if rest else b""

    def add(self, frame: bytes) -> None:
        """Keep the sums and the state of a message that leaves the window, after its definitions
        were taken. Raises WireError."""
        kind, content = _open(frame)
        if kind in _STATES:
            self._states[kind] = frame
        for table in _MESSAGES[kind].tables if kind in _MESSAGES else ():
            self._add_rows(kind, table, content)

    def list_sums(self) -> list[bytes]:
        """Return the sums and states as FromEngine messages."""
        sums = []
        for (kind, table), rows in self._rows.items():
            columns = zip(*rows.values())
            content = b"".join(
                _core.encode_bytes(number, _encode_packed(column))
                for number, column in zip(table.columns, columns)
            )
            sums.append(_core.encode_bytes(kind, content))
        return [*sums, *self._states.values()]

    def _add_rows(self, kind: int, table: _Table, content: bytes) -> None:
        columns: dict[int, list[int]] = {number: [] for number in table.columns}
        for number, wire_type, _, begin, end in _list_fields(content):
            if number in columns and wire_type == _DELIMITED:
                columns[number] += varint.read_packed(content[begin:end])
        rows = self._rows.setdefault((kind, table), {})
        for row in zip(*columns.values()):
            rows[row[: table.n_keys]] = row
        if not rows:
            del self._rows[kind, table]


def _open(frame: bytes) -> tuple[int, bytes]:
    """Return the kind and the content of a FromEngine message; kind 0 = the message is empty."""
    for number, wire_type, _, begin, end in _list_fields(frame):
        if wire_type == _DELIMITED:
            return number, frame[begin:end]
    return 0, b""


def _list_fields(content: bytes) -> list[tuple[int, int, int, int, int]]:
    """Return number, wire type, begin, begin of the content, and end of each field. Raises
    WireError."""
    fields = []
    at = 0
    while at < len(content):
        begin = at
        tag, at = varint.read_varint(content, at)
        inside = at
        if tag & 7 == _DELIMITED:
            size, inside = varint.read_varint(content, at)
            at = inside + size
        elif tag & 7 == 0:
            _, at = varint.read_varint(content, at)
        else:
            raise WireError(f"a message has a field of unknown type {tag & 7}")
        if at > len(content):
            raise WireError("a message ends in the middle of a field")
        fields.append((tag >> 3, tag & 7, begin, inside, at))
    return fields


def _encode_packed(values: tuple[int, ...]) -> bytes:
    out = bytearray()
    for value in values:
        while value > 0x7F:
            out.append(value & 0x7F | 0x80)
            value >>= 7
        out.append(value)
    return bytes(out)
