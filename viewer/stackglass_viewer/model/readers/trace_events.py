"""Reader of Chrome's trace events, as py-spy (``chrometrace``), viztracer and browsers write them.

::

    ph "B" … ph "E"    a span begins and ends
    ph "X"             a whole span: ts and dur
                                             ┌─ main ──────────────┐
    spans of one thread, nested by time:     │  ┌─ work ─┐  ┌work┐ │
                                             ts, µs ───────────────▶

A stack is what is open at a moment; each moment belongs to the innermost span. Other events are
passed over, but the names of threads are a label.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, close_list, open_document
from stackglass_viewer.model.readers.sample_columns import Label, Symbol, parse_symbol, round_values
from stackglass_viewer.model.readers.stack_tree import EMPTY, StackTree
from stackglass_viewer.model.readers.stays import Stays
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_TYPES = (SampleType("time", "nanoseconds"),)
_NS_A_US = 1000
_DEEPEST = 4096  # spans inside each other
_KINDS = ("B", "E", "X")
_BEGIN, _END, _WHOLE = range(len(_KINDS))
_AT_A_TIME = 1 << 16  # rows as Python's numbers


def read_trace_events(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Raises ProfileError; what ``progress`` raises."""
    try:
        document = open_document(close_list(content), progress)
        return _read(document if document.is_list else document.find_members()["traceEvents"])
    except DAMAGE as error:
        raise ProfileError(explain_damage("a Chrome trace", error)) from None


def _read(events: JsonPart) -> Profile:
    samples = FrameSamples()
    reading = _Events(_Frames(samples))
    for event in events.list_items():
        reading.add(event)
    threads = {number: spans for number, spans in reading.find_spans().items() if len(spans)}
    if not threads:
        raise ProfileError("it is a Chrome trace without spans, so there is nothing to show")
    tree = StackTree()
    stays = {number: _list_stays(threads[number], tree) for number in reversed(threads)}
    while stays:
        number, opened = stays.popitem()
        sums = opened.sum_up()
        values = round_values(np.array([*sums.values()]), _NS_A_US).reshape(-1, 1)
        labels = [Label("thread", reading.name_thread(number))]
        first = samples.add_many(values, *tree.spread(sums), labels)
        sample_of = {stack: first + place for place, stack in enumerate(sums)}
        opened.add_times(samples, sample_of, _NS_A_US, 0, len(_TYPES))
    last_us = max(spans.last_us for spans in threads.values())
    length_us = last_us - min(spans.first_us for spans in threads.values())
    return samples.build(_TYPES, duration_ns=min(round(length_us * _NS_A_US), 2**63 - 1))


class _Spans:
    """Of a thread, in columns: objects would take ten times the memory."""

    def __init__(self) -> None:
        self._start_us, self._end_us, self._frame = array("d"), array("d"), array("i")

    def __len__(self) -> int:
        return len(self._frame)

    def add(self, start_us: float, end_us: float, frame: int) -> None:
        self._start_us.append(start_us)
        self._end_us.append(end_us)
        self._frame.append(frame)

    @property
    def first_us(self) -> float:
        return min(self._start_us)

    @property
    def last_us(self) -> float:
        return max(self._end_us)

    def list_nested(self) -> Iterator[tuple[float, float, int]]:
        """(start, end, frame): a span before those inside it."""
        start, end = np.frombuffer(self._start_us), np.frombuffer(self._end_us)
        order = np.lexsort((-end, start))
        return _list_rows(order, start, end, np.frombuffer(self._frame, dtype=np.int32))


class _Events:
    """The events of spans while they are read, in columns."""

    def __init__(self, frames: _Frames) -> None:
        self._frames = frames
        self._number: dict[tuple[Any, Any], int] = {}  # of threads, by pid and tid
        self._names: dict[tuple[Any, Any], str] = {}
        self._kind, self._thread, self._frame = array("b"), array("i"), array("i")
        self._at_us, self._end_us = array("d"), array("d")

    def add(self, event: dict[str, Any]) -> None:
        """Raises what `DAMAGE` lists."""
        kind = event.get("ph")
        if kind not in _KINDS:
            if kind == "M" and event.get("name") == "thread_name":
                thread = event.get("pid"), event.get("tid")
                self._names[thread] = str(event["args"]["name"])
            return
        thread, at_us = (event.get("pid"), event.get("tid")), event["ts"]
        end_us = at_us + event["dur"] if kind == "X" else at_us
        if end_us < at_us:
            raise ValueError("a span that ends before it begins")
        self._kind.append(_KINDS.index(kind))
        self._thread.append(self._number.setdefault(thread, len(self._number)))
        self._frame.append(-1 if kind == "E" else self._frames.find(event))
        self._at_us.append(at_us)
        self._end_us.append(end_us)

    def name_thread(self, number: int) -> str:
        thread = [*self._number][number]
        return self._names.get(thread, str(thread[1]))

    def find_spans(self) -> dict[int, _Spans]:
        """By thread. What is open at the end ends with the last event."""
        at_us, end_us = np.frombuffer(self._at_us), np.frombuffer(self._end_us)
        kinds, threads, frames = map(np.array, (self._kind, self._thread, self._frame))
        spans = {number: _Spans() for number in range(len(self._number))}
        opened: dict[int, list[tuple[float, int]]] = {number: [] for number in spans}
        order = np.argsort(at_us, kind="stable")  # files need not be in order
        for kind, thread, at, end, frame in _list_rows(
            order, kinds, threads, at_us, end_us, frames
        ):
            if kind == _WHOLE:
                spans[thread].add(at, end, frame)
            elif kind == _BEGIN:
                opened[thread].append((at, frame))
            elif opened[thread]:
                start, begun = opened[thread].pop()
                spans[thread].add(start, at, begun)
        last_us = max(0.0, float(end_us.max(initial=0.0)))
        for thread, rest in opened.items():
            while rest:
                start, begun = rest.pop()
                spans[thread].add(start, last_us, begun)
        return spans


def _list_rows(order: Int64s, *columns: Any) -> Iterator[Any]:
    """Rows of columns as Python's numbers, some at a time: all would take ten times the memory."""
    for first in range(0, len(order), _AT_A_TIME):
        part = order[first : first + _AT_A_TIME]
        yield from zip(*(column[part].tolist() for column in columns), strict=True)


class _Frames:
    """Numbers of the frames that events name."""

    def __init__(self, samples: FrameSamples) -> None:
        self._samples = samples
        self._by_name: dict[str, int] = {}
        self._by_symbol: dict[Symbol, int] = {}

    def find(self, event: dict[str, Any]) -> int:
        name, args = str(event["name"]), event.get("args")
        if isinstance(args, dict) and isinstance(args.get("filename"), str):  # py-spy's
            line = args.get("line")
            place = Symbol(name, args["filename"], line if isinstance(line, int) else 0)
            return self._number(place)
        if name not in self._by_name:
            self._by_name[name] = self._samples.add_frame(parse_symbol(name))
        return self._by_name[name]

    def _number(self, frame: Symbol) -> int:
        if frame not in self._by_symbol:
            self._by_symbol[frame] = self._samples.add_frame(frame)
        return self._by_symbol[frame]


def _list_stays(spans: _Spans, tree: StackTree) -> Stays:
    """When each stack was open, µs. A span that outlasts the one around it is cut there."""
    stays = Stays()
    stacks = [EMPTY]
    ends_us: list[float] = []
    now_us = 0.0

    def go_on_to(at_us: float) -> None:
        nonlocal now_us
        if len(stacks) > 1 and at_us > now_us:
            stays.add(stacks[-1], now_us, at_us)
        now_us = at_us

    for start_us, end_us, frame in spans.list_nested():
        while ends_us and ends_us[-1] <= start_us:
            go_on_to(ends_us.pop())
            stacks.pop()
        go_on_to(start_us)
        stacks.append(tree.push(stacks[-1], frame))
        ends_us.append(min(end_us, ends_us[-1]) if ends_us else end_us)
        if len(stacks) > _DEEPEST:
            raise ValueError(f"more than {_DEEPEST} spans inside each other")
    while ends_us:
        go_on_to(ends_us.pop())
        stacks.pop()
    return stays
