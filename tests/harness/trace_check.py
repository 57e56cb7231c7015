"""Checks that must hold for any memory trace: it opens, or is refused with one line."""

from __future__ import annotations

import tempfile
from pathlib import Path

from harness.reader_check import check_content, check_opened, check_profile
from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.buckets import ContentionColumn
from stackglass_viewer.model.contention.snapshot import sum_contention
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.model.heap.snapshot import sum_heap
from stackglass_viewer.model.live.custom import sum_custom
from stackglass_viewer.model.live_profile import CPU, WALL
from stackglass_viewer.model.memory.timeline import draw_timeline
from stackglass_viewer.model.memory_trace.fill import measure_pools, sum_classes
from stackglass_viewer.model.memory_trace.findings import list_findings
from stackglass_viewer.model.memory_trace.heap_map import MapKey
from stackglass_viewer.model.memory_trace.lanes import list_slices
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.opening import is_memory_trace, open_trace_content
from stackglass_viewer.model.memory_trace.site_table import list_sites, list_types
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import profile_peak, profile_span
from stackglass_viewer.model.metrics.lanes import draw_lane
from stackglass_viewer.model.session.profile_file import is_profile_file, read_profile_file
from stackglass_viewer.model.session.saved_session import (
    SavedSession,
    is_saved_session,
    read_saved_session,
)

_MOST_LETTERS = 300


def try_open(content: bytes, folder: Path) -> MemoryTrace | str:
    """Return the trace, or the line that refuses it. Raises AssertionError, or other errors."""
    try:
        return open_trace_content(memoryview(content), "file", folder=folder)
    except ContentError as error:
        text = str(error)
    assert text.startswith("cannot open file: "), text
    assert "\n" not in text, text
    assert len(text) < _MOST_LETTERS, text
    return text


def check_any(content: bytes) -> bool:
    """Return whether a file opens, as a profile or as a memory trace."""
    if is_saved_session(content):
        return check_saved_session(content)
    if is_profile_file(content):
        return check_profile_file(content)
    return check_trace(content) if is_memory_trace(content) else check_content(content)


def check_profile_file(content: bytes) -> bool:
    """Return whether a session file with one profile opens."""
    try:
        profile = read_profile_file(memoryview(content))
    except ContentError as error:
        text = error.message
    else:
        check_opened(profile)
        return True
    assert "\n" not in text, text
    assert len(text) < _MOST_LETTERS, text
    return False


def try_open_session(content: bytes) -> SavedSession | str:
    """Return the session, or the line that refuses it. Raises AssertionError, or other errors."""
    try:
        return read_saved_session(memoryview(content), "file")
    except ContentError as error:
        text = error.message
    assert "\n" not in text, text
    assert len(text) < _MOST_LETTERS, text
    return text


def check_saved_session(content: bytes) -> bool:
    """Return whether a session opens; then every view of a window can be built from it."""
    saved = try_open_session(content)
    if isinstance(saved, str):
        return False
    live = saved.live
    for kind in (CPU, WALL):
        live.snapshot(sample_type=kind)
    for when in HeapWhen:
        sum_heap(live.heap.capture(when), HeapColumn.INUSE_OBJECTS)
    moment = live.capture_contention(has_delays=True)
    for waited in ContentionKind:
        sum_contention(moment, waited, ContentionColumn.COUNT)
    for name in live.list_custom():
        sum_custom(live.capture_custom(name))
    live.list_types()
    live.list_waits()
    draw_timeline(live.capture_memory(), 0.0, 100.0, 50, (0, 100))
    draw_lane(live.capture_metrics(), "threads", 0.0, 100.0, 50)
    live.capture_times()
    live.export(is_wall=True)
    return True


def check_trace(content: bytes) -> bool:
    """Return whether a trace opens; then every query succeeds, or is refused with one line."""
    with tempfile.TemporaryDirectory() as folder:
        trace = try_open(content, Path(folder))
        if isinstance(trace, str):
            return False
        try:
            _ask(trace)
        except ContentError as error:
            text = str(error)
            assert "\n" not in text, text
        finally:
            trace.close()
        return True


def _ask(trace: MemoryTrace) -> None:
    end = trace.index.end
    middle = Moment(end.event // 2, 0)
    for moment in (Moment(0, 0), middle, end, trace.index.peak):
        live = trace.list_live(moment)
        rows = trace.sum_live(moment)
        assert int(rows.n.sum()) == len(live)
        list_sites(trace.names, rows)
        list_types(trace.names, rows)
        pools = measure_pools(trace.measure_spans(moment), [live], trace.info)
        sum_classes(pools)
    check_profile(profile_peak(trace))
    check_profile(profile_span(trace, middle, end, (0, 1 << 63)))
    list_findings(trace)
    list_slices(trace)
    for is_exact in (True, False):
        for key in MapKey:
            heap_map = trace.draw_map(trace.whole, (7, 9), key, is_exact=is_exact)
            assert bool((heap_map.live_bytes >= 0).all())
    trace.list_cell(heap_map, 3, 8)
