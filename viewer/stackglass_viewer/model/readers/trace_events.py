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

import json
from collections import defaultdict
from typing import Any, NamedTuple

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.sample_columns import Label, Symbol, parse_symbol
from stackglass_viewer.model.readers.stack_tree import EMPTY, StackTree
from stackglass_viewer.model.readers.stays import Stays

_TYPES = (SampleType("time", "nanoseconds"),)
_NS_A_US = 1000
_DEEPEST = 4096  # spans inside each other
_Thread = tuple[Any, Any]  # pid, tid


class _Span(NamedTuple):
    start_us: float
    end_us: float
    frame: int


def read_trace_events(content: bytes | bytearray) -> Profile:
    """Raises ProfileError."""
    try:
        return _read(_load(bytes(content)))
    except DAMAGE as error:
        raise ProfileError(explain_damage("a Chrome trace", error)) from None


def _load(content: bytes) -> list[dict[str, Any]]:
    """The events. The end of a list may be missing: programs write it as they go."""
    try:
        document = json.loads(content)
    except ValueError:
        document = json.loads(content.rstrip().rstrip(b",") + b"]")
    events: list[dict[str, Any]] = (
        document["traceEvents"] if isinstance(document, dict) else document
    )
    return events


def _read(events: list[dict[str, Any]]) -> Profile:
    samples = FrameSamples()
    threads = _find_spans(events, _Frames(samples))
    if not threads:
        raise ProfileError("it is a Chrome trace without spans, so there is nothing to show")
    names = {
        (event.get("pid"), event.get("tid")): str(event["args"]["name"])
        for event in events
        if event.get("ph") == "M" and event.get("name") == "thread_name"
    }
    tree = StackTree()
    stays = {thread: _list_stays(spans, tree) for thread, spans in threads.items()}
    paths = tree.find_paths()
    for thread, opened in stays.items():
        label = Label("thread", names.get(thread, str(thread[1])))
        sample_of = {
            stack: samples.add([round(time_us * _NS_A_US)], tree.list_frames(paths, stack), [label])
            for stack, time_us in opened.sum_up().items()
        }
        opened.add_times(samples, sample_of, _NS_A_US, 0, len(_TYPES))
    every = [span for spans in threads.values() for span in spans]
    length_us = max(span.end_us for span in every) - min(span.start_us for span in every)
    return samples.build(_TYPES, duration_ns=min(round(length_us * _NS_A_US), 2**63 - 1))


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
            self._by_name[name] = self._number(parse_symbol(name))
        return self._by_name[name]

    def _number(self, frame: Symbol) -> int:
        if frame not in self._by_symbol:
            self._by_symbol[frame] = self._samples.add_frame(frame)
        return self._by_symbol[frame]


def _find_spans(events: list[dict[str, Any]], frames: _Frames) -> dict[_Thread, list[_Span]]:
    spans: dict[_Thread, list[_Span]] = defaultdict(list)
    opened: dict[_Thread, list[tuple[float, int]]] = defaultdict(list)
    last_us = 0.0
    spanning = [event for event in events if event.get("ph") in ("B", "E", "X")]
    for event in sorted(spanning, key=lambda event: event["ts"]):  # files need not be in order
        kind = event["ph"]
        thread, at_us = (event.get("pid"), event.get("tid")), event["ts"]
        end_us = at_us + event["dur"] if kind == "X" else at_us
        if end_us < at_us:
            raise ValueError("a span that ends before it begins")
        last_us = max(last_us, end_us)
        if kind == "X":
            spans[thread].append(_Span(at_us, end_us, frames.find(event)))
        elif kind == "B":
            opened[thread].append((at_us, frames.find(event)))
        elif opened[thread]:
            spans[thread].append(_Span(*_close(opened[thread], at_us)))
    for thread, rest in opened.items():
        while rest:
            spans[thread].append(_Span(*_close(rest, last_us)))
    return {thread: found for thread, found in spans.items() if found}


def _close(opened: list[tuple[float, int]], end_us: float) -> tuple[float, float, int]:
    start_us, frame = opened.pop()
    return start_us, end_us, frame


def _list_stays(spans: list[_Span], tree: StackTree) -> Stays:
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

    for span in sorted(spans, key=lambda span: (span.start_us, -span.end_us)):
        while ends_us and ends_us[-1] <= span.start_us:
            go_on_to(ends_us.pop())
            stacks.pop()
        go_on_to(span.start_us)
        stacks.append(tree.push(stacks[-1], span.frame))
        ends_us.append(min(span.end_us, *ends_us[-1:]) if ends_us else span.end_us)
        if len(stacks) > _DEEPEST:
            raise ValueError(f"more than {_DEEPEST} spans inside each other")
    while ends_us:
        go_on_to(ends_us.pop())
        stacks.pop()
    return stays
