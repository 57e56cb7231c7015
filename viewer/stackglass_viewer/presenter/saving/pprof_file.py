"""Writer of a live capture: its samples, heap or contention as a pprof file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.profile_file import write_file
from stackglass.wire.thread_starts import LABEL as STARTED_BY
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.contention.buckets import CONTENTION_TYPES
from stackglass_viewer.model.contention.snapshot import ContentionFilter
from stackglass_viewer.model.heap.buckets import HEAP_TYPES, HeapColumn
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.heap.snapshot import (
    HeapMoment,
    find_labelled,
    keep_labelled,
    value_buckets,
)
from stackglass_viewer.model.live.samples import SampleRows
from stackglass_viewer.model.live.tables import DefinitionColumns, LiveTables
from stackglass_viewer.model.live_profile import LOST_SAMPLES, LiveProfile
from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.model.units import format_change, format_clock, format_count, format_value
from stackglass_viewer.presenter.saving.contention_file import to_contention_profile
from stackglass_viewer.presenter.saving.heap_file import to_heap_profile
from stackglass_viewer.presenter.saving.profile_tables import (
    Integers,
    Origin,
    ProfileRows,
    add_root_frame,
    make_tables,
)
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice, HeapChoice

_SAMPLES = SampleType("samples", "count")
_CPU = SampleType("cpu", "nanoseconds")
_WALL = SampleType("wall", "nanoseconds")
_NS_PER_S = 1_000_000_000


def save_live(tables: LiveTables, path: str, what: str) -> str:
    """Write the samples of a capture; returns a message that begins with ``what``.

    The file is written whole or not at all. Any thread but the GUI's. Raises OutputError.
    """
    write_file(path, encode_file(to_profile(tables)))
    n_samples = sum(int(rows.count.sum()) for rows in tables.parts)
    return f"{what} is saved: {format_count(n_samples)} samples in {Path(path).name}"


def save_heap(
    live: LiveProfile,
    path: str,
    span_ns: int | None,
    when: HeapWhen,
    shown: HeapChoice,
    labels: frozenset[LabelFilter] = frozenset(),
) -> str:
    """Write the heap of a capture: all four values, with ``shown`` as the default. ``labels``: only
    memory with these labels; empty = all.

    Returns and raises as ``save_live`` does.
    """
    moment = keep_labelled(live.heap.capture(when, span_ns), labels)
    time_unix_ns = live.to_unix_ns(moment.time_ns)
    tables = to_heap_profile(
        moment, live.list_definitions(), shown.column, time_unix_ns, live.facts.executable
    )
    write_file(path, encode_file(tables))
    total = int(value_buckets(moment).columns[HeapColumn.INUSE_SPACE].sum())
    which = "now" if when is HeapWhen.LIVE else "as of the last full collection"
    return f"The heap is saved: {format_value(total, 'bytes')} in use {which}, in {Path(path).name}"


def save_heap_span(
    live: LiveProfile,
    path: str,
    window: HeapWindow,
    shown: HeapChoice,
    tids: frozenset[int] | None = None,
    labels: frozenset[LabelFilter] = frozenset(),
) -> str:
    """Write the heap as the timeline shows it, all four values: the growth between two moments, or
    the allocations of a span by ``tids`` (None = all threads) and the memory in use at its end.

    ``labels``, returns and raises as ``save_heap`` does.
    """
    moment, columns = _measure(live, window, tids)
    columns = np.where(find_labelled(moment, labels), columns, 0)
    tables = to_heap_profile(
        moment,
        live.list_definitions(),
        shown.column,
        live.to_unix_ns(moment.time_ns),
        live.facts.executable,
        columns,
    )
    write_file(path, encode_file(tables))
    unit, total = HEAP_TYPES[shown.column].unit, int(columns[shown.column].sum())
    is_growth = window.kind == "growth"
    text = shown.describe(format_change(total, unit) if is_growth else format_value(total, unit))
    when = _say_end(window) if shown.is_in_use and not is_growth else say_window(window)
    return f"The heap is saved: {text} {when}, in {Path(path).name}"


def say_window(window: HeapWindow) -> str:
    """Return ``from 0:12 to 1:05``, or ``from 0:12 to now``."""
    if window.until is None:
        return f"from {format_clock(window.after / UNITS_PER_S)} to now"
    first, last = sorted((window.after, window.until))
    return f"from {format_clock(first / UNITS_PER_S)} to {format_clock(last / UNITS_PER_S)}"


def _say_end(window: HeapWindow) -> str:
    """Return ``at 1:05`` or ``now``."""
    until = window.until
    return "now" if until is None else f"at {format_clock(until / UNITS_PER_S)}"


def _measure(
    live: LiveProfile, window: HeapWindow, tids: frozenset[int] | None
) -> tuple[HeapMoment, Int64s]:
    """Return the later moment of a window, and its values: (4, n_buckets) by HeapColumn."""
    moment, columns = live.heap.measure_window(window, tids)
    if window.kind == "growth":
        return moment, columns
    heap, until = live.heap, window.until
    end = heap.capture(at_ns=None if until is None else heap.end_ns(heap.snap(until)))
    values = value_buckets(end).columns.copy()
    values[: HeapColumn.INUSE_OBJECTS] = 0
    values[: HeapColumn.INUSE_OBJECTS, : columns.shape[1]] = columns[: HeapColumn.INUSE_OBJECTS]
    return end, values


def save_contention(
    live: LiveProfile,
    path: str,
    span_ns: int | None,
    tids: frozenset[int] | None,
    shown: ContentionChoice,
    labels: frozenset[LabelFilter] = frozenset(),
    between: tuple[int, int] | None = None,
) -> str:
    """Write one kind of contention: both values, with ``shown`` as the default. ``labels``: only
    waits with these labels; empty = all. ``between``: two moments in place of ``span_ns``, in units
    of 10 ms.

    Returns and raises as ``save_live`` does.
    """
    moment = live.capture_contention(span_ns, tids, between)
    begin_unix_ns = live.to_unix_ns(moment.begin_mono_ns)
    wanted = ContentionFilter(labels=labels)
    tables = to_contention_profile(moment, shown, begin_unix_ns, live.facts.executable, wanted)
    write_file(path, encode_file(tables))
    assert shown.kind is not None  # a capture always has a kind
    total = int(moment.values.columns[shown.column][moment.choose(shown.kind, wanted)].sum())
    unit = CONTENTION_TYPES[shown.column].unit
    text = shown.describe(format_value(total, unit))
    return f"Contention is saved: {text}, in {Path(path).name}"


def save_custom(live: LiveProfile, path: str, name: str, until: int | None = None) -> str:
    """Write a profile that the program fills, as it is now or was at a moment, in units of 10 ms.
    See ``save_live``."""
    moment = live.capture_custom(name, until)
    rows, kind = moment.rows, SampleType(name, "count")
    no_labels = np.zeros(len(rows.node), dtype=np.uint32)
    samples = ProfileRows(rows.node, no_labels, [rows.count], [()], (kind,), name)
    time_unix_ns = live.to_unix_ns(moment.time_mono_ns)
    origin = Origin(kind, 1, time_unix_ns, 0, live.facts.executable)
    write_file(path, encode_file(make_tables(moment.definitions, samples, origin)))
    total = format_count(int(rows.count.sum()))
    return f"The profile {name} is saved: {total} values in {Path(path).name}"


def to_profile(tables: LiveTables) -> ProfileTables:
    """Return the samples as a profile: one row for each stack, thread and label set, and one row
    for all lost samples."""
    rows = tables.sum_rows()
    label_sets, labels = _label(rows, tables)
    definitions: DefinitionColumns = tables
    columns: list[Integers] = [rows.node, labels, rows.count, rows.cpu_ns]
    if tables.n_lost > 0:
        definitions, node = add_root_frame(tables, LOST_SAMPLES)
        lost = (node, 0, tables.n_lost, tables.lost_cpu_ns)
        columns = [np.append(*each) for each in zip(columns, lost, strict=True)]
    node_column, label_column, *values = columns
    measured, hz = (_CPU, tables.cpu_hz) if tables.wall_hz is None else (_WALL, tables.wall_hz)
    types = (_SAMPLES, measured)
    samples = ProfileRows(node_column, label_column, values, label_sets, types, measured.name)
    origin = Origin(
        period_type=measured,
        period=_NS_PER_S // hz if hz else 0,
        time_unix_ns=tables.begin_unix_ns,
        duration_ns=tables.duration_ns,
        executable=tables.executable,
    )
    return make_tables(definitions, samples, origin)


def _label(rows: SampleRows, tables: LiveTables) -> tuple[list[LabelSet], Int64s]:
    """Return label sets, and the index of each row's set: the labels of its work, its thread, and
    what started the thread. Set 0 is empty."""
    keys = np.stack((rows.tid, rows.labels))
    pairs, which = np.unique(keys, axis=1, return_inverse=True)
    sets: list[LabelSet] = [()]
    given = tables.labels.list_sets()
    for tid, number in pairs.T.tolist():
        name = tables.thread_names.get(tid, "")
        named = (("thread", name),) if name else ()
        by = ((STARTED_BY, tables.starters[tid]),) if tid in tables.starters else ()
        sets.append((*given.get(number, ()), *named, ("thread_id", str(tid)), *by))
    return sets, which.ravel() + 1
