"""Writer of a live capture: samples, heap or contention as a pprof file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType, encode, pack
from stackglass.wire.profile_file import write_file
from stackglass_viewer.model.contention.buckets import CONTENTION_TYPES
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.heap.snapshot import value_buckets
from stackglass_viewer.model.live.samples import SampleRows, fold
from stackglass_viewer.model.live.tables import LiveTables
from stackglass_viewer.model.live_profile import LOST_SAMPLES, LiveProfile
from stackglass_viewer.model.units import format_count, format_value
from stackglass_viewer.presenter.saving.contention_file import to_contention_profile
from stackglass_viewer.presenter.saving.heap_file import to_heap_profile
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice, HeapChoice
from stackglass_viewer.presenter.settings.view_state import SaveChoice

_SAMPLES = SampleType("samples", "count")
_CPU = SampleType("cpu", "nanoseconds")
_NS_PER_S = 1_000_000_000


def save_live(
    live: LiveProfile,
    path: str,
    span_ns: int | None,
    tids: frozenset[int] | None,
    choice: SaveChoice,
) -> str:
    """Write a span of a capture; returns one line that says what was written.

    The file is whole or not there at all. Any thread but the GUI's. Raises OutputError.
    """
    tables = live.export(span_ns, tids)
    write_file(path, pack(encode(to_profile(tables))))
    n_samples = int(tables.rows.count.sum())
    what = "Everything" if choice == "everything" else "What was shown"
    return f"{what} is saved: {format_count(n_samples)} samples in {Path(path).name}"


def save_heap(
    live: LiveProfile, path: str, span_ns: int | None, when: HeapWhen, shown: HeapChoice
) -> str:
    """Write the heap of a capture: all four values, ``shown`` as the default.

    As ``save_live``.
    """
    moment = live.capture_heap(when, span_ns)
    time_unix_ns = live.to_unix_ns(moment.time_ns)
    tables = to_heap_profile(
        moment, live.list_definitions(), shown.column, time_unix_ns, live.executable
    )
    write_file(path, pack(encode(tables)))
    total = int(value_buckets(moment).columns[HeapColumn.INUSE_SPACE].sum())
    which = "now" if when is HeapWhen.LIVE else "as of the last full collection"
    return f"The heap is saved: {format_value(total, 'bytes')} in use {which}, in {Path(path).name}"


def save_contention(
    live: LiveProfile,
    path: str,
    span_ns: int | None,
    tids: frozenset[int] | None,
    shown: ContentionChoice,
) -> str:
    """Write a kind of contention, with both its values, ``shown`` as the default.

    As ``save_live``.
    """
    moment = live.capture_contention(span_ns, tids)
    begin_unix_ns = live.to_unix_ns(moment.begin_mono_ns)
    tables = to_contention_profile(moment, shown, begin_unix_ns, live.executable)
    write_file(path, pack(encode(tables)))
    assert shown.kind is not None  # of a capture it is known
    total = int(moment.values.columns[shown.column][moment.choose(shown.kind)].sum())
    unit = CONTENTION_TYPES[shown.column].unit
    text = shown.describe(format_value(total, unit))
    return f"Contention is saved: {text}, in {Path(path).name}"


def to_profile(tables: LiveTables) -> ProfileTables:
    """Samples that agree in stack and thread become one; what was lost is a sample too."""
    rows = fold(tables.rows, None)
    label_sets, labels = _label(rows, tables)
    strings = list(tables.strings) or [""]
    functions = [
        column.tolist()
        for column in (
            tables.function_name,
            tables.function_system_name,
            tables.function_filename,
            tables.function_start_line,
        )
    ]
    locations = [tables.location_function.tolist(), tables.location_line.tolist()]
    nodes = [tables.node_parent.tolist() or [0], tables.node_location.tolist() or [0]]
    samples = [rows.node.tolist(), labels, rows.count.tolist(), rows.cpu_ns.tolist()]
    if tables.n_lost > 0:
        _append(samples, (len(nodes[0]), 0, tables.n_lost, tables.lost_cpu_ns))
        _append(nodes, (0, len(locations[0])))
        _append(locations, (len(functions[0]), 0))
        _append(functions, (len(strings), len(strings), 0, 0))
        strings.append(LOST_SAMPLES)
    return ProfileTables(
        strings=strings,
        function_name=functions[0],
        function_system_name=functions[1],
        function_filename=functions[2],
        function_start_line=functions[3],
        location_function=locations[0],
        location_line=locations[1],
        node_parent=np.array(nodes[0], dtype=np.uint32),
        node_location=np.array(nodes[1], dtype=np.uint32),
        sample_node=np.array(samples[0], dtype=np.uint32),
        sample_labels=np.array(samples[1], dtype=np.uint32),
        sample_values=[np.array(column, dtype=np.uint64) for column in samples[2:]],
        label_sets=label_sets,
        sample_types=(_SAMPLES, _CPU),
        default_type=_CPU.name,
        period_type=_CPU,
        period=_NS_PER_S // tables.cpu_hz if tables.cpu_hz else 0,
        time_unix_ns=tables.begin_unix_ns,
        duration_ns=tables.duration_ns,
        executable=tables.executable,
    )


def _append(columns: list[list[int]], row: tuple[int, ...]) -> None:
    for column, value in zip(columns, row, strict=True):
        column.append(value)


def _label(rows: SampleRows, tables: LiveTables) -> tuple[list[LabelSet], list[int]]:
    """The label sets of the threads, set 0 being empty, and which one each row has."""
    tids, which = np.unique(rows.tid, return_inverse=True)
    sets: list[LabelSet] = [()]
    for tid in tids.tolist():
        name = tables.thread_names.get(tid, "")
        named = (("thread", name),) if name else ()
        sets.append((*named, ("thread_id", str(tid))))
    return sets, (which + 1).tolist()
