"""Reader of V8's CPU profiles (``.cpuprofile``), as Node.js, Chrome and Deno write them.

::

    nodes: [{"id": 1, "callFrame": {"functionName": "(root)", …}, "children": [2]}, …]
    samples:     2    5    5    2     node ids; a sample lasts until the next
    timeDeltas:  10   90   100  95    µs before each; they may be negative, times are sorted
    startTime … endTime               µs

What has no samples, as DevTools wrote it once, shares the time out by ``hitCount``.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.call_frame import ROOT, parse_call_frame
from stackglass_viewer.model.readers.caller_paths import CallerPaths
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, open_document
from stackglass_viewer.model.readers.sample_columns import round_values
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_TYPES = (SampleType("samples", "count"), SampleType("time", "nanoseconds"))
_NS_A_US = 1000
_NO_FRAME = -1


def read_cpuprofile(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Raises ProfileError; what ``progress`` raises."""
    try:
        return _read(open_document(content, progress).find_members())
    except DAMAGE as error:
        raise ProfileError(explain_damage("a CPU profile of V8", error)) from None


def _read(document: dict[str, JsonPart]) -> Profile:
    samples = FrameSamples()
    nodes = _Nodes(document["nodes"], samples)
    paths = CallerPaths(nodes.callers.get, len(nodes.frame))
    start_us, end_us = document["startTime"].load(), document["endTime"].load()
    length_us = end_us - start_us
    looks = _list_looks(document, nodes, length_us) if "samples" in document else None
    spent_us = _sum_times(looks) if looks else _share_by_hits(nodes, length_us)
    sample_of = np.zeros(len(nodes.frame), dtype=np.int32)
    for number, (n_samples, time_us) in spent_us.items():
        stack = [nodes.frame[each] for each in paths.list_stack(number)]
        frames = [frame for frame in stack if frame != _NO_FRAME]
        sample_of[number] = samples.add([n_samples, round(time_us * _NS_A_US)], frames)
    if looks:
        begin_ns, end_ns = (round_values(each * _NS_A_US) for each in (looks.begin, looks.end))
        values = np.stack((np.ones_like(begin_ns), end_ns - begin_ns), axis=1)
        samples.add_times(sample_of[looks.node], begin_ns, end_ns, values)
    duration_ns = round(length_us * _NS_A_US)
    return samples.build(_TYPES, duration_ns=min(max(duration_ns, 0), 2**63 - 1))


class _Nodes:
    """The tree of stacks, by the order of its nodes in the file."""

    def __init__(self, nodes: JsonPart, samples: FrameSamples) -> None:
        self.place: dict[Any, int] = {}  # by a node's id; of equal ids the last
        self.callers: dict[int, int] = {}
        self.frame, self.hits = array("i"), array("q")
        children, parents = array("q"), array("q")  # pairs of a node's place and an id
        for node in nodes.list_items():
            place = len(self.frame)
            self.place[node["id"]] = place
            self.hits.append(node.get("hitCount") or 0)
            is_root = node["callFrame"]["functionName"] == ROOT
            frame = parse_call_frame(node["callFrame"])
            self.frame.append(_NO_FRAME if is_root else samples.add_frame(frame))
            if node.get("parent") is not None:
                parents.extend((place, node["parent"]))
            for child in node.get("children") or ():
                children.extend((place, child))
        for place, parent in zip(parents[::2], parents[1::2], strict=True):
            if parent in self.place:
                self.callers[place] = self.place[parent]
        for place, child in zip(children[::2], children[1::2], strict=True):
            if child in self.place:
                self.callers[self.place[child]] = place


class _Looks(NamedTuple):
    """Samples by time, one at least."""

    node: Int32s  # (n,) place
    begin: Float64s  # (n,) µs since the start
    end: Float64s  # (n,)


def _list_looks(document: dict[str, JsonPart], nodes: _Nodes, length_us: float) -> _Looks | None:
    node = array("i")
    for piece in document["samples"].list_pieces():
        node.extend([nodes.place[each] for each in piece])
    deltas = document["timeDeltas"].read_floats()
    if len(deltas) != len(node):
        raise ValueError("it has not as many times as samples")
    if not len(node):
        return None
    at = np.cumsum(deltas)
    order = np.argsort(at, kind="stable")
    begin = at[order]
    end = np.maximum(np.append(begin[1:], length_us), begin)
    return _Looks(np.frombuffer(node, dtype=np.int32)[order], begin, end)


def _sum_times(looks: _Looks) -> dict[int, tuple[int, float]]:
    """(samples, µs) of each node that has any, in the order of their first ones."""
    counts = np.bincount(looks.node)
    times = np.bincount(looks.node, weights=looks.end - looks.begin)
    found, first = np.unique(looks.node, return_index=True)
    order = found[np.argsort(first)].tolist()
    return {node: (int(counts[node]), float(times[node])) for node in order}


def _share_by_hits(nodes: _Nodes, length_us: float) -> dict[int, tuple[int, float]]:
    hits = {place: n for place, n in enumerate(nodes.hits) if n}
    each_us = length_us / max(sum(hits.values()), 1)
    return {place: (n, n * each_us) for place, n in hits.items()}
