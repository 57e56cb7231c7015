"""Decoder of an engine's messages, with the standard library alone.

Unknown fields are skipped: a newer engine may send more. A message that is truncated, has a field
of the wrong type, or columns that do not fit together raises WireError, never anything else.
"""

from __future__ import annotations

from stackglass.errors import WireError
from stackglass.named_tuple import NamedTuple
from stackglass.wire import messages, varint
from stackglass.wire.fields import FIELDS, FROM_ENGINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_MAX_U32 = (1 << 32) - 1


def _to_u32(value: int) -> int:
    if value > _MAX_U32:
        raise WireError("a number in a message is longer than 32 bits")
    return value


def _to_u32s(packed: bytes) -> list[int]:
    values = varint.read_packed(packed)
    if values and max(values) > _MAX_U32:
        raise WireError("a number in a message is longer than 32 bits")
    return values


def _to_text(content: bytes) -> str:
    # File names may have any bytes; such a name must not end a recording.
    return content.decode("utf-8", "replace")


class _Reading(NamedTuple):
    """How a kind of field is read. A repeated field gathers into a list."""

    wire_type: int
    is_repeated: bool
    convert: Callable[[Any], Any]


_READINGS = {
    "U32": _Reading(_VARINT, False, _to_u32),
    "U64": _Reading(_VARINT, False, int),
    "I64": _Reading(_VARINT, False, varint.to_signed),
    "TEXT": _Reading(_DELIMITED, False, _to_text),
    "BYTES": _Reading(_DELIMITED, False, bytes),
    "U32S": _Reading(_DELIMITED, True, _to_u32s),
    "U64S": _Reading(_DELIMITED, True, varint.read_packed),
    "TEXTS": _Reading(_DELIMITED, True, lambda content: [_to_text(content)]),
}

# Columns with one of these prefixes form a table; "" = all columns of the message.
_TABLES: dict[type[messages.Message], tuple[str, ...]] = {
    messages.Batch: (
        "function_",
        "location_",
        "node_",
        "thread_",
        "label_",
        "sample_",
        "wall_",
        "known_",
        "started_",
    ),
    messages.ThreadSnapshot: ("",),
    messages.Heap: ("bucket_", "value_", "event_", "collection_"),
    messages.HeapStatus: ("arena_",),
    messages.TypeCensus: ("type_", "site_"),
    messages.Contention: ("lock_", "bucket_", "named_", "value_", "delay_", "event_"),
    messages.LockWaits: ("",),
    messages.ThreadDump: ("thread_", "task_", "edge_"),
    messages.ThreadCreations: ("",),
    messages.CustomProfiles: ("row",),
}
# Columns that an engine may leave out, because all values are 0 or because the engine is older.
# They are filled with zeros, as many as the column that is their key here has rows.
_OPTIONAL_COLUMNS: dict[type[messages.Message], dict[str, tuple[str, ...]]] = {
    messages.LockWaits: {"tid": ("holder_inside", "holder_taken", "stuck")},
    messages.Batch: {
        "function_name": ("function_native_start",),
        "location_function": ("location_native_address",),
    },
    messages.ThreadDump: {"task_id": ("task_creator", "task_creation", "task_since_mono_ns")},
}


def decode(content: bytes, has_events: bool = True) -> messages.Message | None:
    """Return one FromEngine message; None if this version does not know its kind.

    ``has_events`` False skips the events of heap and contention, which can be most of a message.
    Raises WireError.
    """
    found: messages.Message | None = None
    at = 0
    while at < len(content):
        number, wire_type, value, at = _read_field(content, at)
        message = FROM_ENGINE.get(number)
        if message is None:
            continue
        if not isinstance(value, bytes) or wire_type != _DELIMITED:
            raise WireError(f"field {number} of the stream is not a message")
        found = _decode_message(message, value, has_events)  # the last of a oneof wins
    return found


def _decode_message(
    message: type[messages.Message], content: bytes, has_events: bool
) -> messages.Message:
    found = _decode_fields(content, FIELDS[message], has_events)
    for like, names in _OPTIONAL_COLUMNS.get(message, {}).items():
        for name in names:
            found[name] = found[name] or [0] * len(found[like])
    for prefix in _TABLES.get(message, ()):
        _check_lengths(message.__name__, prefix, found)
    return message(**found)


def _check_lengths(message: str, prefix: str, fields: dict[str, Any]) -> None:
    columns = (fields[name] for name in fields if name.startswith(prefix))
    if len({len(column) for column in columns if isinstance(column, list)}) > 1:
        raise WireError(f"the {prefix}* columns of a {message} differ in length")


def _decode_fields(
    content: bytes, fields: dict[int, tuple[str, str]], has_events: bool
) -> dict[str, Any]:
    """Return the fields of the message, and an empty list for each repeated field that it lacks."""
    found: dict[str, Any] = {
        name: [] for name, kind in fields.values() if _READINGS[kind].is_repeated
    }
    at = 0
    while at < len(content):
        number, wire_type, value, at = _read_field(content, at)
        name, kind = fields.get(number, ("", ""))
        if not name or (name.startswith("event_") and not has_events):
            continue
        reading = _READINGS[kind]
        if wire_type != reading.wire_type:
            raise WireError(f"field {name} of a message has the wrong type")
        if reading.is_repeated:
            found[name] += reading.convert(value)
        else:
            found[name] = reading.convert(value)
    return found


def _read_field(content: bytes, at: int) -> tuple[int, int, int | bytes, int]:
    """Return number, wire type, value and end of the field at ``at``."""
    tag, at = varint.read_varint(content, at)
    number, wire_type = tag >> 3, tag & 7
    if number == 0:
        raise WireError("a message has a field without a number")
    if wire_type == _VARINT:
        value, at = varint.read_varint(content, at)
        return number, wire_type, value, at
    if wire_type == _DELIMITED:
        size, at = varint.read_varint(content, at)
    elif wire_type in (_FIXED32, _FIXED64):
        size = 4 if wire_type == _FIXED32 else 8
    else:
        raise WireError(f"a message has a field of unknown type {wire_type}")
    if size > len(content) - at:
        raise WireError("a message ends in the middle of a field")
    return number, wire_type, content[at : at + size], at + size
