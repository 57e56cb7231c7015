"""Samples beside the events of Chrome's traces, as Hermes's sampling profiler writes them.

::

    samples      {"tid": "7", "ts": "11552129681", "sf": 2, "weight": "1"}      sf: a stack
    stackFrames  "2": {"name": "work(http://…/index.bundle:17:3)", "parent": 1}

A sample lasts until the next one of its thread, but no longer than one and a half times the usual
distance: Hermes takes none while no script runs.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int64s
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.sample_times import TimedRows
from stackglass_viewer.model.readers.caller_paths import spread_stacks
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_pieces import JsonPart
from stackglass_viewer.model.readers.sample_columns import Label, Symbol, round_values
from stackglass_viewer.model.readers.stays import order_by_first

_TYPES = (SampleType("samples", "count"), SampleType("time", "nanoseconds"))
_NS_A_US = 1000
_LONGEST = 1.5  # usual distances
_NO_FRAME = -1
_PLACED = re.compile(r"(.*)\((.+):(\d{1,9}):\d{1,9}\)")
Thread = tuple[Any, Any]


def has_samples(document: dict[str, JsonPart]) -> bool:
    """Whether a trace has such samples."""
    samples, frames = (document.get(name) for name in ("samples", "stackFrames"))
    if samples is None or frames is None or not samples.is_list or not frames.is_object:
        return False
    return next(samples.list_parts(), None) is not None


def read_trace_samples(
    document: dict[str, JsonPart], name_thread: Callable[[Thread], str], warnings: tuple[str, ...]
) -> Profile:
    """The profile of a trace that has samples. ``name_thread``: by pid and tid. Raises what
    `json_damage` lists, ProfileError."""
    profile = FrameSamples()
    nodes = _Nodes(document["stackFrames"], profile)
    threads: dict[Thread, int] = {}
    thread_of, node_of, weights = array("i"), array("i"), array("q")
    times = array("d")
    for sample in document["samples"].list_items():
        thread = sample.get("pid"), sample.get("tid")
        thread_of.append(threads.setdefault(thread, len(threads)))
        node_of.append(nodes.find(sample["sf"]))
        weights.append(int(sample.get("weight", 1)))
        times.append(float(sample["ts"]))
    columns = (np.array(each) for each in (thread_of, node_of, weights, times))
    rows, node, weight, time_us = columns
    round_values(np.array([time_us.min(), time_us.max()]), _NS_A_US)  # else no difference is one
    first_us, length_us = time_us.min(), float(time_us.max() - time_us.min())
    for number, thread in enumerate([*threads]):
        mine = np.flatnonzero(rows == number)
        mine = mine[np.argsort(time_us[mine], kind="stable")]
        spans = _Spans(node[mine], weight[mine], time_us[mine] - first_us)
        _add_thread(profile, nodes, spans, name_thread(thread))
    return profile.build(
        _TYPES, duration_ns=min(round(length_us * _NS_A_US), 2**63 - 1), warnings=warnings
    )


class _Nodes:
    """The tree of stacks."""

    def __init__(self, part: JsonPart, samples: FrameSamples) -> None:
        self._place: dict[str, int] = {}
        frames, parents = array("i"), []
        for key, frame in part.list_many_members():
            is_root = frame.get("category") == "root"
            self._place[key] = len(frames)
            frames.append(_NO_FRAME if is_root else samples.add_frame(_parse(frame)))
            parents.append(frame.get("parent"))
        self.frames = np.array(frames, dtype=np.int32)
        self.callers: Int64s = np.array(
            [-1 if each is None else self.find(each) for each in parents], dtype=np.int64
        )

    def find(self, key: Any) -> int:
        """Ids are texts as keys, and mostly numbers elsewhere. Raises KeyError."""
        return self._place[str(key)]


def _parse(frame: dict[str, Any]) -> Symbol:
    name = str(frame.get("name") or "(anonymous)")
    found = _PLACED.fullmatch(name)
    return (
        Symbol(found[1] or "(anonymous)", found[2], int(found[3])) if found else Symbol(name, "", 0)
    )


class _Spans:
    """The samples of a thread by time, one at least."""

    def __init__(self, node: Any, weight: Int64s, begin_us: Float64s) -> None:
        self.node = node
        self.weight = weight
        distances = np.diff(begin_us)
        usual = float(np.median(distances)) if len(distances) else 0.0
        self.length_us = np.append(np.minimum(distances, _LONGEST * usual), usual)
        self.begin_us = begin_us


def _add_thread(profile: FrameSamples, nodes: _Nodes, spans: _Spans, name: str) -> None:
    n = len(nodes.frames)
    used = order_by_first(spans.node, n)
    counts = np.zeros(n, dtype=np.int64)
    np.add.at(counts, spans.node, spans.weight)
    times = np.bincount(spans.node, weights=spans.length_us, minlength=n).astype(np.float64)
    sizes, stacks = spread_stacks(nodes.callers, used)
    frames = nodes.frames[stacks]
    is_frame = frames != _NO_FRAME
    owner = np.repeat(np.arange(len(sizes)), sizes)
    sizes = np.bincount(owner[is_frame], minlength=len(sizes))
    values = np.stack((counts[used], round_values(times[used], _NS_A_US)), axis=1)
    first = profile.add_many(values, sizes, frames[is_frame], [Label("thread", name)])
    sample_of = np.zeros(n, dtype=np.int32)
    sample_of[used] = np.arange(first, first + len(used), dtype=np.int32)
    begin_ns = round_values(spans.begin_us, _NS_A_US)
    length_ns = round_values(spans.length_us, _NS_A_US)
    columns = spans.weight, length_ns
    profile.add_timed_rows(
        TimedRows(sample_of[spans.node], begin_ns, begin_ns + length_ns, columns)
    )
