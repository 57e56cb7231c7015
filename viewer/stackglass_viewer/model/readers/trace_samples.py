"""Samples beside the events of Chrome's traces, as Hermes's sampling profiler writes them.

::

    samples      {"tid": "7", "ts": "11552129681", "sf": 2, "weight": "1"}      sf: a stack
    stackFrames  "2": {"name": "work(http://…/index.bundle:17:3)", "parent": 1}

A sample lasts until the next sample of its thread, but at most 1.5 times the median distance,
because Hermes takes no samples while no script runs.
"""

from __future__ import annotations

import re
from array import array
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.sample_times import TimedRows
from stackglass_viewer.model.readers.caller_paths import list_caller_paths
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_pieces import JsonPart
from stackglass_viewer.model.readers.sample_columns import Symbol, round_values
from stackglass_viewer.model.readers.stays import number_by_first
from stackglass_viewer.model.readers.trace_threads import Thread, TraceThreads

_TYPES = (SampleType("samples", "count"), SampleType("time", "nanoseconds"))
_NS_PER_US = 1000
_LONGEST = 1.5  # longest sample, in median distances
_NO_FRAME = -1
_NUMBER = re.compile(r"\d{1,9}")


def has_samples(document: dict[str, JsonPart]) -> bool:
    """Whether a trace has samples beside its events."""
    samples, frames = (document.get(name) for name in ("samples", "stackFrames"))
    if samples is None or frames is None or not samples.is_list or not frames.is_object:
        return False
    return next(samples.list_parts(), None) is not None


def read_trace_samples(
    document: dict[str, JsonPart], names: dict[Thread, str], warnings: tuple[str, ...]
) -> Profile:
    """Read the samples of a trace that has them. ``names``: names of threads. Raises the exceptions
    of `json_damage`, ContentError."""
    profile = FrameSamples()
    length_us = _add_samples(profile, document, names)
    return profile.build(
        _TYPES, duration_ns=min(round(length_us * _NS_PER_US), 2**63 - 1), warnings=warnings
    )


def _add_samples(
    profile: FrameSamples, document: dict[str, JsonPart], names: dict[Thread, str]
) -> float:
    """Add all samples. Returns the time from the first to the last one, in microseconds."""
    nodes = _Nodes(document["stackFrames"], profile)
    threads = TraceThreads(profile, names)
    node_of, weights = array("i"), array("q")
    times = array("d")
    for piece in document["samples"].list_pieces():
        threads.add_events([(sample.get("pid"), sample.get("tid")) for sample in piece])
        node_of.extend([nodes.find(sample["sf"]) for sample in piece])
        weights.extend([int(sample.get("weight", 1)) for sample in piece])
        times.extend([float(sample["ts"]) for sample in piece])
    thread_of = threads.take_events()
    texts = threads.add_texts(np.arange(threads.n, dtype=np.int32))
    time_us = np.frombuffer(times)
    # Raises ContentError if times do not fit in 63 bits.
    round_values(np.array([time_us.min(), time_us.max()]), _NS_PER_US)
    first_us, length_us = time_us.min(), float(time_us.max() - time_us.min())
    order = np.lexsort((time_us, thread_of))
    spans = _Spans(
        thread_of[order],
        np.frombuffer(node_of, dtype=np.int32)[order],
        np.frombuffer(weights, dtype=np.int64)[order],
        time_us[order] - first_us,
    )
    _add_spans(profile, nodes, spans, texts)
    return length_us


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
        """Return the node with an id, which is a text or a number. Raises KeyError."""
        return self._place[str(key)]


def _parse(frame: dict[str, Any]) -> Symbol:
    name = str(frame.get("name") or "(anonymous)")
    if name.endswith(")"):  # function(file:line:column)
        rest, *numbers = name[:-1].rsplit(":", 2)
        bracket = rest.rfind("(", 0, len(rest) - 1)
        if bracket >= 0 and len(numbers) == 2 and all(map(_NUMBER.fullmatch, numbers)):
            return Symbol(rest[:bracket] or "(anonymous)", rest[bracket + 1 :], int(numbers[0]))
    return Symbol(name, "", 0)


class _Spans(NamedTuple):
    """The samples, at least one, sorted by thread and time."""

    thread: Int32s  # (n,) number
    node: Int32s
    weight: Int64s
    begin_us: Float64s

    def find_lengths(self) -> Float64s:
        """Return (n,) how long each sample lasts, in microseconds."""
        lengths_us = np.diff(self.begin_us, append=self.begin_us[-1])
        ends = np.append(np.flatnonzero(np.diff(self.thread)) + 1, len(self.thread))
        begins = np.append(0, ends[:-1])
        is_alone = ends - begins == 1
        lengths_us[begins[is_alone]] = 0.0
        for begin, end in zip(begins[~is_alone], ends[~is_alone], strict=True):
            of_thread = lengths_us[begin:end]
            usual = float(np.median(of_thread[:-1]))
            np.minimum(of_thread, _LONGEST * usual, out=of_thread)
            of_thread[-1] = usual
        return lengths_us


def _add_spans(profile: FrameSamples, nodes: _Nodes, spans: _Spans, names: Int32s) -> None:
    """Add the spans. ``names``: by thread, the number of its name in the strings."""
    n = len(nodes.frames)
    lengths_us = spans.find_lengths()
    used, row_of = number_by_first(spans.thread.astype(np.int64) * n + spans.node)
    counts = np.zeros(len(used), dtype=np.int64)
    np.add.at(counts, row_of, spans.weight)
    times = np.bincount(row_of, weights=lengths_us, minlength=len(used)).astype(np.float64)
    sizes, stacks = list_caller_paths(nodes.callers, used % n)
    frames = nodes.frames[stacks]
    is_frame = frames != _NO_FRAME
    if not is_frame.all():
        owner = np.repeat(np.arange(len(sizes)), sizes)
        sizes = np.bincount(owner[is_frame], minlength=len(sizes))
    values = np.stack((counts, round_values(times, _NS_PER_US)), axis=1)
    texts = names[used // n].reshape(-1, 1)
    first = profile.add_labelled(values, sizes, frames[is_frame], ("thread",), texts)
    begin_ns = round_values(spans.begin_us, _NS_PER_US)
    length_ns = round_values(lengths_us, _NS_PER_US)
    profile.add_timed_rows(
        TimedRows(
            row_of + np.int32(first), begin_ns, begin_ns + length_ns, (spans.weight, length_ns)
        )
    )
