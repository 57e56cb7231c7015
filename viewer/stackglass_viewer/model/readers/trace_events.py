"""Reader of Chrome's trace events, as py-spy (``chrometrace``), viztracer and browsers write them.

::

    ph "B" … ph "E"    a span begins and ends
    ph "X"             a whole span: ts and dur
                                             ┌─ main ──────────────┐
    spans of one thread, nested by time:     │  ┌─ work ─┐  ┌work┐ │
                                             ts, µs ───────────────▶

The stack at a moment is all open spans; the moment belongs to the innermost one. Other events are
skipped, except names of threads, which become a label. If the trace contains V8's profiles
(`trace_profiles`) or samples beside its events (`trace_samples`), they are shown in place of spans.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from functools import partial
from operator import lt
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.caller_paths import list_caller_paths
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, close_list, open_document
from stackglass_viewer.model.readers.sample_columns import Symbol, parse_symbol, round_values
from stackglass_viewer.model.readers.stays import order_by_first
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress
from stackglass_viewer.model.readers.trace_profiles import TraceProfiles
from stackglass_viewer.model.readers.trace_samples import has_samples, read_trace_samples
from stackglass_viewer.model.readers.trace_threads import Thread, TraceThreads, find_name
from stackglass_viewer.native import _loops

_TYPES = (SampleType("time", "nanoseconds"),)
_NS_PER_US = 1000
_DEEPEST = 4096  # limit for nested spans
_UNNAMED = "(unnamed)"
_KINDS = {kind: number for number, kind in enumerate("BEX")}
_BEGIN, _END, _WHOLE = _KINDS.values()
_REMARK = "the samples beside the trace's events are shown, and not its spans"
_PROFILED = ("P", "I")  # events that may hold V8's profiles
_AT_A_TIME = 1 << 16  # rows converted to Python numbers in one step
_SPANS_AT_A_TIME = 1 << 13  # spans processed in one step, of whole threads


def read_trace_events(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        document = open_document(close_list(content), progress)
        members = {} if document.is_list else document.find_members()
        return _read(document if document.is_list else members["traceEvents"], members)
    except DAMAGE as error:
        raise ContentError(explain_damage("a Chrome trace", error)) from None


def _read(events: JsonPart, beside: dict[str, JsonPart]) -> Profile:
    """Read the events. ``beside``: the members of the object that contains them."""
    samples = FrameSamples()
    names: dict[Thread, str] = {}
    threads = TraceThreads(samples, names)
    reading = _Events(_Frames(samples), threads, names)
    for piece in events.list_pieces():
        reading.add_piece(piece)
    sampled = reading.profiles.build(partial(find_name, names))
    if sampled is not None:
        return sampled
    if has_samples(beside):
        has_spans = reading.has_long_spans
        return read_trace_samples(beside, names, (_REMARK,) if has_spans else ())
    spans = reading.find_spans()
    if not len(spans.frame):
        reasons = "".join(f"; {warning}" for warning in reading.profiles.warnings[:1])
        raise ContentError(
            f"it is a Chrome trace without spans, so there is nothing to show{reasons}"
        )
    length_us = float(spans.end_us.max() - spans.begin_us.min())
    _add_threads(samples, spans, threads)
    del spans
    return samples.build(
        _TYPES,
        duration_ns=min(round(length_us * _NS_PER_US), 2**63 - 1),
        warnings=tuple(reading.profiles.warnings),
    )


def _add_threads(samples: FrameSamples, spans: _Spans, threads: TraceThreads) -> None:
    order = np.lexsort((-spans.end_us, spans.begin_us, spans.thread))
    ends = np.append(np.flatnonzero(np.diff(spans.thread[order])) + 1, len(order))
    # The largest possible number; unused pages take no memory.
    samples.reserve_times(2 * len(order) - len(ends), len(_TYPES))
    first = 0
    while first < len(order):  # some whole threads: columns of all would take much memory
        at = np.searchsorted(ends, min(first + _SPANS_AT_A_TIME, len(order)), side="left")
        end = int(ends[at])
        _add_some(samples, spans, order[first:end], threads)
        first = end


def _add_some(samples: FrameSamples, spans: _Spans, rows: Int64s, threads: TraceThreads) -> None:
    """Add some threads, given by the rows of their spans."""
    thread = spans.thread[rows]
    nesting = _loops.nest_spans(
        thread, spans.begin_us[rows], spans.end_us[rows], spans.frame[rows], _DEEPEST
    )
    parents, frames, nodes = (
        np.frombuffer(memoryview(nesting[key]), dtype=np.int32)
        for key in ("parent", "frame", "node")
    )
    begin_us, end_us = (np.frombuffer(memoryview(nesting[key])) for key in ("begin", "end"))
    is_empty = parents < 0  # the first node of each thread
    callers = np.where(is_empty | is_empty[parents], -1, parents.astype(np.int64))
    stacks = order_by_first(nodes, len(parents))
    sums = np.bincount(nodes, weights=end_us - begin_us, minlength=len(parents))
    sizes, path = list_caller_paths(callers, stacks)
    values = round_values(sums[stacks].astype(np.float64), _NS_PER_US).reshape(-1, 1)
    texts = threads.add_texts(thread[np.append(0, np.flatnonzero(np.diff(thread)) + 1)])
    of_stacks = texts[np.cumsum(is_empty)[stacks] - 1]
    first = samples.add_labelled(values, sizes, frames[path], ("thread",), of_stacks.reshape(-1, 1))
    sample_of = np.zeros(len(parents), dtype=np.int32)
    sample_of[stacks] = np.arange(first, first + len(stacks), dtype=np.int32)
    for at in range(0, len(nodes), _AT_A_TIME):
        part = slice(at, at + _AT_A_TIME)
        begin_ns, end_ns = (round_values(each[part], _NS_PER_US) for each in (begin_us, end_us))
        lengths = (end_ns - begin_ns).reshape(-1, 1)
        samples.add_times(sample_of[nodes[part]], begin_ns, end_ns, lengths)


class _Spans(NamedTuple):
    """Columns of all threads' spans, in the order of the file."""

    thread: Int32s  # (n,) number of `TraceThreads`
    frame: Int32s
    begin_us: Float64s
    end_us: Float64s


class _Events:
    """Growing columns of span events; objects would take ten times the memory."""

    def __init__(self, frames: _Frames, threads: TraceThreads, names: dict[Thread, str]) -> None:
        self.profiles = TraceProfiles()
        self._frames = frames
        self._threads, self._names = threads, names
        self._kind, self._frame = array("b"), array("i")
        self._at_us, self._end_us = array("d"), array("d")

    def add_piece(self, piece: list[dict[str, Any]]) -> None:
        """Add events. Raises the exceptions of `DAMAGE`."""
        events = [event for event in piece if event.get("ph") in _KINDS]
        if len(events) < len(piece):
            self._add_others(piece)
        find_frame = self._frames.find
        kinds = [event["ph"] for event in events]
        at_us = [event["ts"] for event in events]
        if str in map(type, at_us):  # Hermes writes times as texts
            at_us = [float(at) for at in at_us]
        end_us = [
            at + event["dur"] if "dur" in event else at + event.get("tdur", 0)
            for at, event in zip(at_us, events, strict=True)
        ]
        if kinds.count("X") < len(kinds):
            end_us = [
                end if kind == "X" else at
                for kind, at, end in zip(kinds, at_us, end_us, strict=True)
            ]
        if any(map(lt, end_us, at_us)):
            raise ValueError("a span that ends before it begins")
        self._at_us.extend(at_us)
        self._end_us.extend(end_us)
        self._kind.extend([_KINDS[kind] for kind in kinds])
        self._threads.add_events([(event.get("pid"), event.get("tid")) for event in events])
        self._frame.extend(
            [
                -1 if kind == "E" else find_frame(event)
                for kind, event in zip(kinds, events, strict=True)
            ]
        )

    def _add_others(self, piece: list[dict[str, Any]]) -> None:
        for event in piece:
            kind = event.get("ph")
            if kind == "M" and event.get("name") == "thread_name":
                thread = event.get("pid"), event.get("tid")
                self._names[thread] = str(event["args"]["name"])
            elif kind in _PROFILED:
                self.profiles.add(event)

    @property
    def has_long_spans(self) -> bool:
        """Whether there is a span with a length."""
        kinds = np.frombuffer(self._kind, dtype=np.int8)
        lengths = np.frombuffer(self._end_us) - np.frombuffer(self._at_us)
        return bool((kinds == _BEGIN).any() or (lengths > 0).any())

    def find_spans(self) -> _Spans:
        """Return all spans. Spans that are open at the end of the trace end with its last event."""
        at_us, end_us = np.frombuffer(self._at_us), np.frombuffer(self._end_us)
        kinds = np.frombuffer(self._kind, dtype=np.int8)
        threads = self._threads.take_events()
        frames = np.frombuffer(self._frame, dtype=np.int32)
        if len(kinds):  # raises if times do not fit in 63 bits
            round_values(np.array([at_us.min(), end_us.max()]), _NS_PER_US)
        if (kinds == _WHOLE).all():
            return _Spans(threads, frames, at_us, end_us)
        rows = np.flatnonzero(kinds != _WHOLE)
        rows = rows[np.argsort(at_us[rows], kind="stable")]  # files need not be in order
        end_us[kinds == _BEGIN] = float(end_us.max(initial=0.0))
        innermost = array("i", [-1]) * (int(threads.max(initial=-1)) + 1)  # by thread: a row
        around = array("i", [-1]) * len(kinds)  # by row: the row of the span around it
        for row, kind, thread, at in _list_rows(rows, kinds, threads, at_us):
            opened = innermost[thread]
            if kind == _BEGIN:
                around[row], innermost[thread] = opened, row
            elif opened >= 0:
                end_us[opened], innermost[thread] = at, around[opened]
        del rows, innermost, around
        is_span = kinds != _END
        return _Spans(threads[is_span], frames[is_span], at_us[is_span], end_us[is_span])


def _list_rows(rows: Int64s, *columns: Any) -> Iterator[Any]:
    """Yield rows of columns as Python numbers, with their places. They are converted in groups: all
    together would take ten times the memory."""
    for first in range(0, len(rows), _AT_A_TIME):
        part = rows[first : first + _AT_A_TIME]
        yield from zip(part.tolist(), *(column[part].tolist() for column in columns), strict=True)


class _Frames:
    """Numbers the frames that events name."""

    def __init__(self, samples: FrameSamples) -> None:
        self._samples = samples
        self._by_name: dict[str, int] = {}
        self._by_symbol: dict[Symbol, int] = {}

    def find(self, event: dict[str, Any]) -> int:
        """Return the number of an event's frame, which is added if it is new."""
        name, args = event.get("name", _UNNAMED), event.get("args")
        if type(name) is not str:
            name = str(name)
        if args and isinstance(args, dict) and isinstance(args.get("filename"), str):  # py-spy's
            line = args.get("line")
            place = Symbol(name, args["filename"], line if isinstance(line, int) else 0)
            return self._number(place)
        if not name.endswith(")") or " (" not in name:  # a bare name
            return self._samples.find_named(name)
        number = self._by_name.get(name)
        if number is None:
            number = self._by_name[name] = self._samples.add_frame(parse_symbol(name))
        return number

    def _number(self, frame: Symbol) -> int:
        if frame not in self._by_symbol:
            self._by_symbol[frame] = self._samples.add_frame(frame)
        return self._by_symbol[frame]
