"""Reader of V8's CPU profiles from before 2016, which are a tree of nested nodes.

::

    head: {"functionName": "(root)", "id": 1, "hitCount": 0, "children": [{…}, …]}
    samples:     2             5             5              node ids
    timestamps:  8041000130    8041000250    8041000370     µs
    startTime … endTime                                     seconds, mostly whole ones

There may be one more timestamp than samples: the end of the last sample.

Node.js's ``v8-profiler`` and Chrome up to 53 write them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.call_frame import ROOT, parse_call_frame
from stackglass_viewer.model.readers.cpuprofile import (
    NO_FRAME,
    Nodes,
    build_cpu_profile,
    order_samples,
)
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_trees import read_tree
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_KEYS = ("functionName", "hitCount")
_US_PER_SECOND = 1e6


def read_cpuprofile_tree(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        return _read(content, progress)
    except DAMAGE as error:
        raise ContentError(explain_damage("a CPU profile of V8", error)) from None


def _read(content: bytes | bytearray, progress: Progress) -> Profile:
    samples = FrameSamples()
    nodes = Nodes()

    def add_node(node: dict[str, Any]) -> None:
        is_root = node["functionName"] == ROOT
        # Lines count from 1 here; 0 = unknown. cpuprofilify also writes lines that are not numbers.
        line = node.get("lineNumber")
        from_zero = line - 1 if isinstance(line, int) else -1
        frame = parse_call_frame({**node, "lineNumber": from_zero})
        number = NO_FRAME if is_root else samples.add_frame(frame)
        nodes.add(node["id"], number, node["hitCount"])

    tree = read_tree(content, _KEYS, add_node, progress)
    document = tree.document
    tree.check_root(document["head"])
    nodes.callers = tree.list_callers()
    start_us, end_us = (float(document[key]) * _US_PER_SECOND for key in ("startTime", "endTime"))
    if not document.get("samples") or "timestamps" not in document:  # samples have no times
        return build_cpu_profile(samples, nodes, None, end_us - start_us)
    ids = _to_column(document["samples"]).astype(np.int64)
    times_us = _to_column(document["timestamps"]).astype(np.float64)
    if len(times_us) == len(ids) + 1:  # the last one is the end
        end_us, times_us = float(times_us[-1]), times_us[:-1]
    first_us = times_us.min() if len(times_us) else end_us
    last_us = times_us.max(initial=end_us)
    length_us = float(last_us - first_us)  # start and end may be in whole seconds
    deltas = np.diff(times_us, prepend=times_us[:1])
    ordered = order_samples(nodes.find_places(ids), deltas, length_us)
    return build_cpu_profile(samples, nodes, ordered, length_us)


def _to_column(numbers: Any) -> Any:
    column = np.array(numbers)
    if column.ndim != 1 or column.dtype.kind not in "iuf":
        raise TypeError("no list of numbers")
    return column
