"""Decodes what an engine says with the standard library alone.

Unknown fields are skipped: a newer engine may say more. What is truncated, has a wrong type, or
does not fit together is a WireError, never anything else.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, cast

from stackglass.errors import WireError
from stackglass.wire import messages, tags, varint

_VARINT, _FIXED64, _DELIMITED, _FIXED32 = 0, 1, 2, 5
_MAX_U32 = (1 << 32) - 1


class _Field(NamedTuple):
    """How a field is read. A repeated field gathers into a list."""

    name: str
    wire_type: int
    is_repeated: bool
    convert: Callable[[Any], Any]


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
    # File names may hold anything; one of them shall not cost a recording.
    return content.decode("utf-8", "replace")


def _u32(name: str) -> _Field:
    return _Field(name, _VARINT, False, _to_u32)


def _u64(name: str) -> _Field:
    return _Field(name, _VARINT, False, int)


def _i64(name: str) -> _Field:
    return _Field(name, _VARINT, False, varint.to_signed)


def _text(name: str) -> _Field:
    return _Field(name, _DELIMITED, False, _to_text)


def _texts(name: str) -> _Field:
    return _Field(name, _DELIMITED, True, lambda content: [_to_text(content)])


def _u32s(name: str) -> _Field:
    return _Field(name, _DELIMITED, True, _to_u32s)


def _u64s(name: str) -> _Field:
    return _Field(name, _DELIMITED, True, varint.read_packed)


def _schema(owner: type, *fields: _Field) -> dict[int, _Field]:
    """Fields by number; the number is the tag of the same name."""
    return {cast(int, getattr(owner, field.name.upper())): field for field in fields}


_HELLO = _schema(tags.Hello, _u32("protocol"), _text("engine_version"), _u32("pid"))
_READY = _schema(
    tags.Ready,
    _text("python_version"),
    _text("executable"),
    _texts("argv"),
    _i64("time_unix_ns"),
    _i64("time_mono_ns"),
    _text("clock"),
)
_RATES = _schema(
    tags.Rates,
    _u32("cpu_hz"),
    _u64("heap_rate"),
    _u64("block_rate_ns"),
    _u64("mutex_fraction"),
    _u32("gil_hz"),
    _u32("has_other"),
    _u64("stall_ns"),
)
_BATCH = _schema(
    tags.Batch,
    _texts("strings"),
    *map(_u32s, messages.Batch._fields[1:-1]),
    _u64s("sample_cpu_ns"),
)
_STATUS = _schema(
    tags.Status,
    _i64("time_mono_ns"),
    _u32("cpu_hz"),
    _u64("n_samples"),
    _u64("n_lost"),
    _u64("process_cpu_ns"),
    _u64("engine_cpu_ns"),
    _u32("n_threads"),
    _u64("gil_wait_ns"),
    _text("clock"),
    _u64("n_bad_walks"),
)
_THREADS = _schema(tags.ThreadSnapshot, _i64("time_mono_ns"), _u32s("tid"), _u32s("node"))
_NARROW_OF_HEAP = {
    *("bucket_node", "bucket_kind", "value_bucket"),
    *("event_bucket", "event_tid", "event_time", "event_count", "event_is_free"),
    *("collection_generation", "collection_tid"),
}
_HEAP = _schema(
    tags.Heap,
    *((_u32s if name in _NARROW_OF_HEAP else _u64s)(name) for name in messages.Heap._fields),
)
_SIGNED_OF_HEAP_STATUS = {"time_mono_ns", "full_mono_ns", "unaccounted_bytes", "start_mono_ns"}
_TEXTS_OF_HEAP_STATUS = {"problem", "native_problem"}
_HEAP_STATUS = _schema(
    tags.HeapStatus,
    _texts("arena_library"),
    _u64s("arena_bytes"),
    *(
        _text(name)
        if name in _TEXTS_OF_HEAP_STATUS
        else _i64(name)
        if name in _SIGNED_OF_HEAP_STATUS
        else _u64(name)
        for name in messages.HeapStatus._fields
        if not name.startswith("arena_")
    ),
)
_CENSUS = _schema(
    tags.TypeCensus,
    _i64("time_mono_ns"),
    _u64("duration_ns"),
    _u32("n_slices"),
    _u64("longest_hold_ns"),
    _u32("n_restarts"),
    _u32("is_whole"),
    _u64("n_objects"),
    _u64("n_untold"),
    _text("problem"),
    _u32s("type_name"),
    _u64s("type_count"),
    _u64s("type_bytes"),
    _u32s("site_bucket"),
    _u32s("site_type"),
    _u64s("site_count"),
    _u64s("site_bytes"),
    _u64("longest_cpu_ns"),
)
_WIDE_OF_CONTENTION = {
    *("lock_address", "value_count", "value_total_ns", "value_max_ns", "delay_count"),
    *("event_count", "event_ns"),
}
_CONTENTION = _schema(
    tags.Contention,
    *(
        (_u64s if name in _WIDE_OF_CONTENTION else _u32s)(name)
        for name in messages.Contention._fields
    ),
)
_TIMES_OF_CONTENTION_STATUS = ("time_mono_ns", "start_mono_ns")
_NARROW_OF_CONTENTION_STATUS = ("gil_hz", "has_other")
_TEXTS_OF_CONTENTION_STATUS = {"lock_source", "gil_source", "problem", "gil_problem"}
_CONTENTION_STATUS = _schema(
    tags.ContentionStatus,
    *map(_i64, _TIMES_OF_CONTENTION_STATUS),
    *map(_u32, _NARROW_OF_CONTENTION_STATUS),
    *(
        (_text if name in _TEXTS_OF_CONTENTION_STATUS else _u64)(name)
        for name in messages.ContentionStatus._fields
        if name not in (*_TIMES_OF_CONTENTION_STATUS, *_NARROW_OF_CONTENTION_STATUS)
    ),
)
_MAY_BE_EMPTY = ("holder_inside", "holder_taken", "stuck")
_LOCK_WAITS = _schema(
    tags.LockWaits,
    _i64("time_mono_ns"),
    *map(_u32s, ("tid", "lock", "primitive", "holder_tid", "node", "holder_node")),
    *map(_u32s, _MAY_BE_EMPTY),
    _u64s("since_mono_ns"),
)
_BYE = _schema(tags.Bye, _text("reason"))


def decode(content: bytes, has_events: bool = True) -> messages.Message | None:
    """One FromEngine message; None if it is of a kind that this version does not know.

    ``has_events`` False passes over the events of heap and contention, which can be most of what
    there is.
    Raises WireError.
    """
    found: messages.Message | None = None
    at = 0
    while at < len(content):
        number, wire_type, value, at = _read_field(content, at)
        if number not in _DECODERS and number not in _DECODERS_WITH_EVENTS:
            continue
        if not isinstance(value, bytes) or wire_type != _DELIMITED:
            raise WireError(f"message {number} of an engine is not a message")
        if number in _DECODERS_WITH_EVENTS:
            found = _DECODERS_WITH_EVENTS[number](value, has_events)
        else:
            found = _DECODERS[number](value)  # the last of a oneof wins
    return found


def _decode_ready(content: bytes) -> messages.Ready:
    found = _decode_fields(content, _READY)
    return messages.Ready(**{**found, "argv": tuple(found["argv"])})


def _decode_batch(content: bytes) -> messages.Batch:
    found = _decode_fields(content, _BATCH)
    _check_lengths(found, ("function_", "location_", "node_", "thread_", "sample_"), "batch")
    return messages.Batch(**found)


def _decode_heap(content: bytes, has_events: bool) -> messages.Heap:
    found = _decode_fields(content, _HEAP, has_events)
    _check_lengths(found, ("bucket_", "value_", "event_", "collection_"), "heap message")
    return messages.Heap(**found)


def _decode_heap_status(content: bytes) -> messages.HeapStatus:
    found = _decode_fields(content, _HEAP_STATUS)
    _check_lengths(found, ("arena_",), "heap status")
    return messages.HeapStatus(**found)


def _decode_contention(content: bytes, has_events: bool) -> messages.Contention:
    found = _decode_fields(content, _CONTENTION, has_events)
    prefixes = ("lock_", "bucket_", "named_", "value_", "delay_", "event_")
    _check_lengths(found, prefixes, "contention message")
    return messages.Contention(**found)


def _decode_lock_waits(content: bytes) -> messages.LockWaits:
    found = _decode_fields(content, _LOCK_WAITS)
    for name in _MAY_BE_EMPTY:
        found[name] = found[name] or [0] * len(found["tid"])
    columns = {f"wait_{name}": found[name] for name in found if name != "time_mono_ns"}
    _check_lengths(columns, ("wait_",), "list of waits")
    return messages.LockWaits(**found)


def _decode_census(content: bytes) -> messages.TypeCensus:
    found = _decode_fields(content, _CENSUS)
    _check_lengths(found, ("type_", "site_"), "census")
    return messages.TypeCensus(**found)


def _check_lengths(columns: dict[str, list[Any]], prefixes: tuple[str, ...], what: str) -> None:
    for prefix in prefixes:
        lengths = {len(column) for name, column in columns.items() if name.startswith(prefix)}
        if len(lengths) > 1:
            raise WireError(f"the {prefix[:-1]} columns of a {what} differ in length")


def _decode_threads(content: bytes) -> messages.ThreadSnapshot:
    found = {"time_mono_ns": 0, **_decode_fields(content, _THREADS)}
    if len(found["tid"]) != len(found["node"]):
        raise WireError("the columns of a thread snapshot differ in length")
    return messages.ThreadSnapshot(**found)


_DECODERS: dict[int, Callable[[bytes], messages.Message]] = {
    tags.FromEngine.HELLO: lambda content: messages.Hello(**_decode_fields(content, _HELLO)),
    tags.FromEngine.READY: _decode_ready,
    tags.FromEngine.BATCH: _decode_batch,
    tags.FromEngine.RATES: lambda content: messages.Rates(**_decode_fields(content, _RATES)),
    tags.FromEngine.STATUS: lambda content: messages.Status(**_decode_fields(content, _STATUS)),
    tags.FromEngine.THREADS: _decode_threads,
    tags.FromEngine.HEAP_STATUS: _decode_heap_status,
    tags.FromEngine.CENSUS: _decode_census,
    tags.FromEngine.CONTENTION_STATUS: lambda content: messages.ContentionStatus(
        **_decode_fields(content, _CONTENTION_STATUS)
    ),
    tags.FromEngine.LOCK_WAITS: _decode_lock_waits,
    tags.FromEngine.BYE: lambda content: messages.Bye(**_decode_fields(content, _BYE)),
}


_DECODERS_WITH_EVENTS: dict[int, Callable[[bytes, bool], messages.Message]] = {
    tags.FromEngine.HEAP: _decode_heap,
    tags.FromEngine.CONTENTION: _decode_contention,
}


def _decode_fields(
    content: bytes, schema: dict[int, _Field], has_events: bool = True
) -> dict[str, Any]:
    """The fields that are there, and an empty list for each repeated one that is not."""
    found: dict[str, Any] = {field.name: [] for field in schema.values() if field.is_repeated}
    at = 0
    while at < len(content):
        number, wire_type, value, at = _read_field(content, at)
        field = schema.get(number)
        if field is None or (field.name.startswith("event_") and not has_events):
            continue
        if wire_type != field.wire_type:
            raise WireError(f"field {field.name} of a message has the wrong type")
        if field.is_repeated:
            found[field.name] += field.convert(value)
        else:
            found[field.name] = field.convert(value)
    return found


def _read_field(content: bytes, at: int) -> tuple[int, int, int | bytes, int]:
    """Field number, wire type, value and end of the field at ``at``."""
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
