"""Reader of Go's execution traces with memory events: ``GODEBUG=traceallocfree=1``, Go 1.24–1.27.

IDs of types are valid within one generation, and the table of types may come after the events that
refer to it. The size of an object is that of its span's slots, so an event needs all spans before
it. Therefore all events are decoded when the file is opened, generation by generation, and spooled
to disk.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int64s, UInt32s, UInt64s, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.memory_trace import go_annotations
from stackglass_viewer.model.memory_trace.events import (
    DTYPES,
    Domain,
    EventColumns,
    EventKind,
    UInt8s,
    join_events,
    make_columns,
)
from stackglass_viewer.model.memory_trace.fill import WHOLE_SPAN
from stackglass_viewer.model.memory_trace.go_annotations import Annotation, Annotations
from stackglass_viewer.model.memory_trace.go_batches import (
    Generation,
    Geometry,
    GoBatches,
    list_batches,
    read_varint,
)
from stackglass_viewer.model.memory_trace.go_pages import SpanPages
from stackglass_viewer.model.memory_trace.source import TraceInfo, TraceNames
from stackglass_viewer.model.memory_trace.spooled_source import Spool, SpooledSource
from stackglass_viewer.model.session.file_parts import Parts
from stackglass_viewer.model.units import format_count
from stackglass_viewer.native import _loops

# Number of arguments of each event, its time included, from code 9 (EvProcsChange) on; the memory
# events have the codes 128 to 136. Codes below 9 are in batches of their own (strings, stacks …).
_N_ARGUMENTS = (
    *(3, 3, 1, 4, 3, 4, 2, 3, 1, 1, 3, 3, 4, 3, 1, 1, 4, 3, 1, 2, 3, 2, 2, 2, 3, 2, 2, 1, 2, 2),
    *(2, 5, 3, 4, 4, 5, 3, 3, 4, 5),
)
_FIRST_CODE, _GC_BEGIN, _GC_END = 9, 29, 30
_N_MEMORY_ARGUMENTS = {
    EventKind.SPAN: 4,
    EventKind.SPAN_ALLOC: 4,
    EventKind.SPAN_FREE: 2,
    EventKind.OBJECT: 3,
    EventKind.OBJECT_ALLOC: 3,
    EventKind.OBJECT_FREE: 2,
    EventKind.STACK: 3,
    EventKind.STACK_ALLOC: 3,
    EventKind.STACK_FREE: 2,
}
_SPANS = (EventKind.SPAN, EventKind.SPAN_ALLOC, EventKind.SPAN_FREE)
_STACKS = (EventKind.STACK, EventKind.STACK_ALLOC, EventKind.STACK_FREE)
# Bytes of the slots of each size class, from internal/runtime/gc/sizeclasses.go; 0 = one object.
_SLOTS = np.array(
    (
        *(0, 8, *range(16, 33, 8), *range(48, 257, 16), *range(288, 513, 32), *range(576, 769, 64)),
        *(896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304, 2688, 3072, 3200, 3456, 4096, 4864),
        *(5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880, 12288, 13568, 14336, 16384),
        *(18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768),
    ),
    dtype=np.uint32,
)
_NO_MEMORY = Geometry(minimum_address=0, page_bytes=8192, alignment=8, stack_bytes=2048)
"""The geometry of a trace without memory events."""
_MOST_SIZE_BITS = 47
_MOST_EVENTS = 1 << 24  # in a generation, which is about a second
_NS = 1_000_000_000
_MOST_S = (2**63 - 1) // _NS
"""Limit for seconds between events, and for ticks per second: in ns both fit 63 bits."""


def read_go_trace(
    content: Parts, progress: Callable[[float], None], folder: Path | None = None
) -> SpooledSource:
    """Read a file. ``progress`` receives the share done. Raises ContentError.

    ``folder``: where the spool is written; None = the user's cache.
    """
    n_bytes = max(len(content), 1)
    batches = list_batches(content, lambda at: progress(0.2 * at / n_bytes))
    if not batches.ticks_per_s:
        raise ContentError("it is damaged: it does not say how long its ticks are")
    if batches.ticks_per_s > _MOST_S:
        raise ContentError(f"it is damaged: it has {batches.ticks_per_s} ticks per second")
    spool = Spool(folder)
    try:
        geometry = batches.geometry or _NO_MEMORY
        return _read_generations(content, batches, geometry, spool, progress)
    except BaseException:
        spool.file.close()
        raise


def _read_generations(
    content: Parts,
    batches: GoBatches,
    geometry: Geometry,
    spool: Spool,
    progress: Callable[[float], None],
) -> SpooledSource:
    """Spool the events of all generations, and return the source."""
    strings = {"": 0}
    annotations = Annotations(strings)
    pages = SpanPages(geometry.page_bytes)
    begin = min(
        (batch.ticks for each in batches.generations.values() for batch in each.events), default=0
    )
    n_unknown = 0
    for position, number in enumerate(sorted(batches.generations)):
        generation = batches.generations[number]
        types = _read_types(content, generation, strings)
        raw = _read_events(content, generation, annotations)
        clock = (begin, batches.ticks_per_s)
        events, missing = _make_events(raw, geometry, clock, types, pages)
        n_unknown += missing
        noted = annotations.finish_generation(content, generation.strings)
        events = _insert(events, noted, clock)
        if len(events):
            spool.add(events, position)
        progress(0.2 + 0.8 * (position + 1) / len(batches.generations))
    if batches.geometry is None and not annotations.n_kept:
        raise ContentError(
            "it is a Go execution trace without memory events, regions, tasks or logs",
            "GODEBUG=traceallocfree=1 in the program's environment records memory; "
            "go tool trace -pprof=TYPE FILE > FILE.pb.gz makes profiles of other events",
        )
    info = TraceInfo(
        program="",
        runtime="Go",
        pool_bytes=geometry.page_bytes,
        arena_bytes=64 << 20,
        alignment=geometry.alignment,
        minimum_address=geometry.minimum_address,
        begin_unix_ns=_find_begin_unix_ns(batches, begin),
        has_stacks=False,
        is_whole=batches.is_whole,
    )
    names = TraceNames(_make_definitions(strings), annotations.lane_names)
    return SpooledSource(spool, info, names, spool.finish(), _warn(batches, n_unknown, annotations))


def _find_begin_unix_ns(batches: GoBatches, begin: int) -> int:
    """Return the wall clock at the time ``begin``, in ticks; 0 = not known."""
    if batches.clock is None:
        return 0
    ticks, unix_ns = batches.clock
    found = unix_ns - (ticks - begin) * _NS // batches.ticks_per_s
    return found if 0 <= found < 2**63 else 0


def _warn(batches: GoBatches, n_unknown: int, annotations: Annotations) -> tuple[str, ...]:
    lines = []
    if batches.geometry is None:
        lines.append(
            "it has no memory events: GODEBUG=traceallocfree=1 in the program's environment "
            "records them"
        )
    if not batches.is_whole:
        lines.append("the file is cut off: the last batch is missing")
    if n_unknown:
        lines.append(
            f"{format_count(n_unknown)} objects have types that are missing in the table of their "
            "generation"
        )
    if annotations.n_left_out:
        lines.append(
            f"{format_count(annotations.n_left_out)} events of regions, tasks and logs are left "
            f"out: at most {format_count(go_annotations.MOST)} are shown"
        )
    return tuple(lines)


def _read_types(content: Parts, generation: Generation, strings: dict[str, int]) -> dict[int, int]:
    """Return the number in ``strings`` of each type's name, by the type's ID in the generation.
    Raises ContentError."""
    types = {}
    for begin, end in generation.types:
        at, view = 0, content[begin:end]
        try:
            while at < len(view):
                number, at = read_varint(view, at)
                for _ in range(3):  # address, size, bytes with pointers
                    _, at = read_varint(view, at)
                length, at = read_varint(view, at)
                if at + length > len(view):
                    raise IndexError
                name = bytes(view[at : at + length]).decode("utf-8", "replace")
                types[number] = strings.setdefault(name, len(strings))
                at += length
        except IndexError:
            raise ContentError("it is damaged: a table of types is cut off") from None
    return types


def _make_specs() -> tuple[UInt8s, UInt8s]:
    """Return the number of arguments of each event's code, and whether it is read: (256,) each."""
    n_arguments, is_wanted = np.zeros(256, dtype=np.uint8), np.zeros(256, dtype=np.uint8)
    n_arguments[_FIRST_CODE : _FIRST_CODE + len(_N_ARGUMENTS)] = _N_ARGUMENTS
    for kind, n in _N_MEMORY_ARGUMENTS.items():
        n_arguments[kind] = n
        is_wanted[kind] = 1
    is_wanted[[_GC_BEGIN, _GC_END, *go_annotations.CODES]] = 1
    return n_arguments, is_wanted


def _read_events(
    content: Parts, generation: Generation, annotations: Annotations
) -> dict[str, npt.NDArray[np.uint64]]:
    """Return the columns of a generation's events, by time. Events with ``go_annotations.CODES``
    are added to ``annotations`` instead."""
    specs = _make_specs()
    parts: dict[str, list[npt.NDArray[np.uint64]]] = {
        name: [] for name in ("kind", "ticks", "first", "second", "third", "tid")
    }
    n_events = 0
    for batch in generation.events:
        try:
            columns = _loops.read_go_batch(content[batch.begin : batch.end], batch.ticks, *specs)
        except ValueError as error:
            raise ContentError(f"it is damaged: {error}") from None
        arrays = {name: np.asarray(column).astype(np.uint64) for name, column in columns.items()}
        is_noted = np.isin(arrays["kind"], go_annotations.CODES)
        if is_noted.any():
            noted = {name: column[is_noted] for name, column in arrays.items()}
            annotations.add(batch.tid, batch.ticks, noted)
            arrays = {name: column[~is_noted] for name, column in arrays.items()}
        n = len(arrays["kind"])
        n_events += n
        if n_events > _MOST_EVENTS:
            raise ContentError(
                f"a generation has more than {format_count(_MOST_EVENTS)} events: they do not fit "
                "into memory"
            )
        for name, column in arrays.items():
            parts[name].append(column)
        tid = 0 if batch.tid >> 32 else batch.tid  # all bits set: no thread
        parts["tid"].append(np.full(n, tid, dtype=np.uint64))
    raw = {
        name: np.concatenate(part) if part else np.empty(0, dtype=np.uint64)
        for name, part in parts.items()
    }
    order = np.argsort(raw["ticks"], kind="stable")
    return {name: column[order] for name, column in raw.items()}


def _make_events(
    raw: dict[str, UInt64s],
    geometry: Geometry,
    clock: tuple[int, int],
    types: dict[int, int],
    pages: SpanPages,
) -> tuple[EventColumns, int]:
    """Return the events, and the number of objects with a type that is not in the table."""
    kind = raw["kind"].astype(np.uint8)
    is_span, is_stack = np.isin(kind, _SPANS), np.isin(kind, _STACKS)
    is_collection = kind < EventKind.SPAN
    unit = np.full(len(kind), geometry.alignment, dtype=np.uint64)
    unit[is_span] = geometry.page_bytes
    unit[is_stack] = geometry.stack_bytes
    if bool(np.any((raw["first"][~is_collection] >> np.uint64(_MOST_SIZE_BITS)) > 0)):
        raise ContentError("it is damaged: an address is outside of any address space")
    address = np.where(is_collection, 0, geometry.minimum_address + raw["first"] * unit)
    size, slot = _measure(raw, kind, geometry.page_bytes)
    is_born = np.isin(kind, (EventKind.OBJECT, EventKind.OBJECT_ALLOC))
    final, address = kind.copy(), address.astype(np.uint64)
    pages.size_objects(final, address, size, slot)
    ids, inverse = np.unique(np.where(is_born, raw["second"], 0), return_inverse=True)
    known = np.array([types.get(each, 0) for each in ids.tolist()], dtype=np.uint32)
    missing = np.array([each != 0 and each not in types for each in ids.tolist()], dtype=np.bool_)
    final[kind == _GC_BEGIN] = EventKind.COLLECTION_BEGIN
    final[kind == _GC_END] = EventKind.COLLECTION_END
    domain = np.where(is_span, Domain.MMAP, Domain.OBJ).astype(np.uint8)
    domain[slot > 0] = Domain.GO_SPAN
    events = EventColumns(
        kind=final,
        time_ns=_to_ns(raw["ticks"], *clock),
        tid=np.where(is_collection, 0, raw["tid"]).astype(np.uint32),
        address=address,
        size=size,
        stack=slot,
        type=known[inverse] if len(known) else np.zeros(len(kind), dtype=np.uint32),
        domain=domain,
        other=np.zeros(len(kind), dtype=np.uint64),
    )
    freeze(*(getattr(events, name) for name in EventColumns.__slots__))
    return events, int(np.count_nonzero(missing[inverse] & is_born)) if len(ids) else 0


def _insert(events: EventColumns, noted: list[Annotation], clock: tuple[int, int]) -> EventColumns:
    """Return events and annotations together, by time."""
    if not noted:
        return events
    rows = {name: np.zeros(len(noted), dtype=dtype) for name, dtype in DTYPES.items()}
    columns = [np.array(column, dtype=np.uint64) for column in zip(*noted, strict=True)]
    rows["time_ns"][:] = _to_ns(columns[0], *clock)
    for name, column in zip(("kind", "tid", "size", "type", "other"), columns[1:], strict=True):
        rows[name][:] = column
    both = join_events([events, make_columns(rows)])
    return both.take(np.argsort(both.time_ns, kind="stable"))


def _measure(raw: dict[str, UInt64s], kind: UInt8s, page_bytes: int) -> tuple[UInt64s, UInt32s]:
    """Return the sizes of spans and stacks, and the slot sizes of spans. The order in a stack's
    event is the log2 of its size, plus 1."""
    size = np.zeros(len(kind), dtype=np.uint64)
    slot = np.zeros(len(kind), dtype=np.uint32)
    is_span = np.isin(kind, (EventKind.SPAN, EventKind.SPAN_ALLOC))
    n_pages, kind_class = raw["second"][is_span], raw["third"][is_span]
    size_class = (kind_class >> np.uint64(2)).astype(np.int64)
    if bool(np.any(n_pages >> np.uint64(_MOST_SIZE_BITS - 13))) or bool(
        np.any(size_class[kind_class % 2 == 0] >= len(_SLOTS))
    ):
        raise ContentError("it is damaged: a span has an impossible size")
    size[is_span] = n_pages * np.uint64(page_bytes)
    slots = _SLOTS[np.where(kind_class % 2 == 0, size_class, 0)]
    slots = np.where(size_class == 0, WHOLE_SPAN, slots)
    slot[is_span] = np.where(kind_class % 2 == 1, 0, slots)
    is_stack = np.isin(kind, (EventKind.STACK, EventKind.STACK_ALLOC))
    order = raw["second"][is_stack]
    if bool(np.any(order > _MOST_SIZE_BITS)):
        raise ContentError("it is damaged: a stack has an impossible size")
    size[is_stack] = np.where(order > 0, np.uint64(1) << (np.maximum(order, 1) - 1), 0)
    return size, slot


def _to_ns(ticks: UInt64s, begin: int, ticks_per_s: int) -> Int64s:
    """Convert ticks, none before ``begin``, to ns since ``begin``. Raises ContentError."""
    rate, ns = np.uint64(ticks_per_s), np.uint64(_NS)
    seconds, rest = np.divmod(ticks - np.uint64(begin), rate)
    if int(seconds.max(initial=0)) >= _MOST_S:
        raise ContentError("it is damaged: its events are centuries apart")
    return (seconds * ns + rest * ns // rate).astype(np.int64)


def _make_definitions(strings: dict[str, int]) -> DefinitionColumns:
    """Return definitions of strings only: these traces have no stacks."""
    none = np.empty(0, dtype=np.int32)
    numbers = np.empty(0, dtype=np.int64)
    root = np.zeros(1, dtype=np.int32)
    return DefinitionColumns(
        strings=tuple(strings),
        function_name=none,
        function_system_name=none,
        function_filename=none,
        function_start_line=numbers,
        function_native_start=numbers,
        location_function=none,
        location_line=numbers,
        location_native_address=numbers,
        node_parent=root,
        node_location=root,
    )
