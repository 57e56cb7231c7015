"""Reader of V8's CPU profiles (``.cpuprofile``), as Node.js, Chrome and Deno write them.

::

    nodes: [{"id": 1, "callFrame": {"functionName": "(root)", …}, "children": [2]}, …]
    samples:     2    5    5    2     node ids; a sample lasts until the next sample
    timeDeltas:  10   90   100  95    µs since the sample before; may be negative
    startTime … endTime               µs

Samples are sorted by time. A profile without samples, as DevTools once wrote it, divides its time
among the nodes by ``hitCount``. A profile in a trace may lack nodes: ``<unknown>`` replaces them.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.sample_times import LONGEST_NS, TimedRows, repeat_number
from stackglass_viewer.model.readers.call_frame import ROOT, parse_call_frame
from stackglass_viewer.model.readers.caller_paths import list_caller_paths
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, open_document
from stackglass_viewer.model.readers.sample_columns import round_values
from stackglass_viewer.model.readers.stays import order_by_first
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress
from stackglass_viewer.model.units import format_count

_TYPES = (SampleType("samples", "count"), SampleType("time", "nanoseconds"))
_NS_PER_US = 1000
NO_FRAME = -1
_AT_A_TIME = 1 << 16  # samples in one step
_UNKNOWN = "<unknown>"
_SPARSE = 4  # a table by id is used if the largest id is below about this multiple of the nodes


def read_cpuprofile(
    content: bytes | bytearray,
    progress: Progress = ignore_progress,
    *,
    may_lack_nodes: bool = False,
) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        return _read(open_document(content, progress).find_members(), may_lack_nodes)
    except DAMAGE as error:
        raise ContentError(explain_damage("a CPU profile of V8", error)) from None


def _read(document: dict[str, JsonPart], may_lack_nodes: bool) -> Profile:
    samples = FrameSamples()
    nodes = _read_nodes(document["nodes"], samples, may_lack_nodes)
    length_us = document["endTime"].load() - document["startTime"].load()
    ordered = None
    if "samples" in document:
        ordered = order_samples(  # no variables for the columns, which are as large as the file
            nodes.find_places(document["samples"].read_rows()),
            document["timeDeltas"].read_floats(),
            length_us,
        )
    profile = build_cpu_profile(samples, nodes, ordered, length_us)
    if not len(nodes.missing):
        return profile
    warning = (
        f"nodes of V8's profile are missing ({format_count(len(nodes.missing))}): "
        f"{_UNKNOWN} stands for them and their callers"
    )
    return replace(profile, warnings=(*profile.warnings, warning))


def build_cpu_profile(
    samples: FrameSamples, nodes: Nodes, ordered: OrderedSamples | None, length_us: float
) -> Profile:
    """Build the profile. ``ordered``: the samples; None = there are only hit counts. Raises the
    exceptions that `json_damage` lists."""
    spent_us = _sum_times(ordered) if ordered else _share_by_hits(nodes, length_us)
    sizes, stacks = list_caller_paths(nodes.callers, spent_us.node)
    frames = np.array(nodes.frame, dtype=np.int32)[stacks]
    is_frame = frames != NO_FRAME
    rows = np.repeat(np.arange(len(sizes)), sizes)
    sizes = np.bincount(rows[is_frame], minlength=len(sizes))
    values = np.stack((spent_us.n_samples, round_values(spent_us.time, _NS_PER_US)), axis=1)
    samples.add_many(values, sizes, frames[is_frame])
    if ordered:
        sample_of = np.zeros(len(nodes.frame), dtype=np.int32)
        sample_of[spent_us.node] = np.arange(len(sizes), dtype=np.int32)
        _add_times(samples, ordered, sample_of)
    duration_ns = round(length_us * _NS_PER_US)
    return samples.build(_TYPES, duration_ns=min(max(duration_ns, 0), 2**63 - 1))


def _read_nodes(part: JsonPart, samples: FrameSamples, may_lack_nodes: bool) -> Nodes:
    """Read the nodes. A node has the id of its parent, or the ids of its children."""
    nodes = Nodes()
    if may_lack_nodes:
        nodes.add_unknown(samples.find_named(_UNKNOWN))
    children, parents = array("q"), array("q")  # pairs of a node's place and an id
    for node in part.list_items():
        is_root = node["callFrame"]["functionName"] == ROOT
        frame = parse_call_frame(node["callFrame"])
        number = NO_FRAME if is_root else samples.add_frame(frame)
        place = nodes.add(node["id"], number, node.get("hitCount") or 0)
        if node.get("parent") is not None:
            parents.extend((place, node["parent"]))
        for child in node.get("children") or ():
            children.extend((place, child))
    callers: Int64s = np.full(len(nodes.frame), -1, dtype=np.int64)
    for place, parent in zip(parents[::2], parents[1::2], strict=True):
        callers[place] = nodes.place.get(parent, nodes.unknown)
    if may_lack_nodes:
        missing = set(parents[1::2]).difference(nodes.place)
        nodes.missing = np.fromiter(missing, dtype=np.int64, count=len(missing))
    for place, child in zip(children[::2], children[1::2], strict=True):
        if child in nodes.place:
            callers[nodes.place[child]] = place
    nodes.callers = callers
    return nodes


class Nodes:
    """The tree of stacks; a node's place is its order in the file."""

    def __init__(self) -> None:
        self.place: dict[Any, int] = {}  # by id; if ids are equal, the last node
        self.frame, self.hits = array("i"), array("q")
        self.callers: Int64s = np.zeros(0, dtype=np.int64)  # set after the last node
        self.unknown = -1  # place of the node for missing nodes; -1 = no node may be missing
        self.missing: Int64s = np.zeros(0, dtype=np.int64)  # ids of missing nodes

    def add(self, node_id: Any, frame: int, hits: int) -> int:
        """Add a node and return its place. ``frame``: number of its frame; NO_FRAME = the root."""
        self.place[node_id] = place = self._append(frame, hits)
        return place

    def add_unknown(self, frame: int) -> None:
        """Add the node that replaces missing nodes, which are allowed from now on."""
        self.unknown = self._append(frame, 0)

    def _append(self, frame: int, hits: int) -> int:
        self.frame.append(frame)
        self.hits.append(hits)
        return len(self.frame) - 1

    def find_places(self, ids: Int64s) -> Int32s:
        """Return the (n,) places of the nodes with these ids. Raises ValueError as
        `_replace_missing` does."""
        if not len(ids):
            return np.zeros(0, dtype=np.int32)
        known, places = (
            np.array([*column], dtype=np.int64) for column in (self.place, self.place.values())
        )
        most = int(known.max(initial=0))
        if int(known.min(initial=0)) < 0 or most > _SPARSE * (len(known) + _AT_A_TIME):
            found = np.array([self.place.get(each, -1) for each in ids.tolist()], dtype=np.int32)
        else:
            place_of = np.full(most + 2, -1, dtype=np.int32)  # the last item is for all other ids
            place_of[known] = places
            others = (ids < 0) | (ids > most)
            found = place_of[np.where(others, most + 1, ids) if others.any() else ids]
        if int(found.min()) < 0:
            self._replace_missing(ids, found)
        return found

    def _replace_missing(self, ids: Int64s, places: Int32s) -> None:
        """Replace the places of missing nodes. Raises ValueError if no node may be missing, or if
        more than half of the samples are of missing nodes."""
        is_missing = places < 0
        if self.unknown < 0 or np.count_nonzero(is_missing) * 2 > len(ids):
            raise ValueError("a sample without a node")
        self.missing = np.union1d(self.missing, ids[is_missing])
        places[is_missing] = self.unknown


class OrderedSamples(NamedTuple):
    """Samples in order of time; at least one."""

    node: Int32s  # (n,) place of the node
    moments: Float64s  # (n + 1,) µs since the start: begin of each sample, end of the last

    @property
    def begin(self) -> Float64s:
        """Return the begin of each sample, (n,) µs since the start."""
        return self.moments[:-1]

    @property
    def end(self) -> Float64s:
        """Return the end of each sample, (n,) µs since the start."""
        return self.moments[1:]


def order_samples(nodes_at: Int32s, deltas: Float64s, length_us: float) -> OrderedSamples | None:
    """Return the samples in order of time; None = no samples. ``nodes_at``: (n,) places of nodes;
    ``deltas``: (n,) µs, overwritten by this function. Raises ValueError."""
    if len(deltas) != len(nodes_at):
        raise ValueError("it has more or fewer times than samples")
    if not len(nodes_at):
        return None
    is_ordered = bool((deltas[1:] >= 0).all())
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        begin = np.cumsum(deltas, out=deltas)
    if not np.isfinite(begin).all():
        raise ValueError("a time that is not a number")
    if not is_ordered:
        order = np.argsort(begin, kind="stable")
        nodes_at, begin = nodes_at[order], begin[order]
    return OrderedSamples(nodes_at, np.append(begin, max(length_us, float(begin[-1]))))


def _add_times(samples: FrameSamples, ordered: OrderedSamples, sample_of: Int32s) -> None:
    """Add the samples to the timeline. The moments are converted to ns in place, because another
    column would be as large as the file."""
    moments_ns = ordered.moments.view(np.int64)
    for first in range(0, len(moments_ns), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        moments_ns[part] = round_values(ordered.moments[part], _NS_PER_US)
    if int(moments_ns[-1]) - int(moments_ns[0]) > LONGEST_NS:
        return  # no clock runs so long
    moments_ns -= moments_ns[0]
    begin_ns, end_ns = moments_ns[:-1], moments_ns[1:]
    values = repeat_number(1, len(begin_ns)), end_ns - begin_ns
    samples.add_timed_rows(TimedRows(sample_of[ordered.node], begin_ns, end_ns, values))


class _Spent(NamedTuple):
    """Sums by node, in the order of the nodes' first samples."""

    node: Int64s  # (n,)
    n_samples: Int64s  # (n,)
    time: Float64s  # (n,) µs


def _sum_times(ordered: OrderedSamples) -> _Spent:
    counts = np.bincount(ordered.node)
    times = np.zeros(len(counts))
    for first in range(0, len(ordered.node), _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        np.add.at(times, ordered.node[part], ordered.end[part] - ordered.begin[part])
    order = order_by_first(ordered.node, len(counts))
    return _Spent(order, counts[order], times[order])


def _share_by_hits(nodes: Nodes, length_us: float) -> _Spent:
    hits = np.array(nodes.hits, dtype=np.int64)
    node = np.flatnonzero(hits)
    each_us = length_us / max(int(hits.sum()), 1)
    return _Spent(node, hits[node], hits[node].astype(np.float64) * each_us)
