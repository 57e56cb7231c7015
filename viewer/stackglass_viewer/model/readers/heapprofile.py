"""Reader of V8's sampled heap profiles (``.heapprofile``), as Node.js and Chrome write them.

::

    head: {"callFrame": {"functionName": "(root)", …}, "selfSize": 0, "children": [
              {"callFrame": {"functionName": "load", …}, "selfSize": 33152, "children": […]}]}

``selfSize`` is the live bytes of a function's own allocations, as V8 estimates them from samples.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.call_frame import ROOT, parse_call_frame
from stackglass_viewer.model.readers.caller_paths import list_caller_paths
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_trees import read_tree
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_TYPES = (SampleType("inuse_space", "bytes"),)
_NO_FRAME = -1
_MOST_BYTES = 2.0**63


def read_heapprofile(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        return _read(content, progress)
    except DAMAGE as error:
        raise ContentError(explain_damage("a heap profile of V8", error)) from None


def _read(content: bytes | bytearray, progress: Progress) -> Profile:
    samples = FrameSamples()
    frames, sizes = array("i"), array("d")
    known: dict[tuple[object, ...], int] = {}  # frames by name, URL and line

    def add_node(node: dict[str, Any]) -> None:
        call_frame = node["callFrame"]
        key = (call_frame["functionName"], call_frame.get("url"), call_frame.get("lineNumber"))
        frame = known.get(key)
        if frame is None:
            is_root = key[0] == ROOT
            frame = _NO_FRAME if is_root else samples.add_frame(parse_call_frame(call_frame))
            known[key] = frame
        frames.append(frame)
        sizes.append(node["selfSize"])

    tree = read_tree(content, ("callFrame", "selfSize"), add_node, progress)
    tree.check_root(tree.document["head"])
    held = np.array(sizes)
    if not (np.abs(held) < _MOST_BYTES).all():  # also refuses NaN
        raise ValueError("an impossible size")
    nodes = np.flatnonzero(held)
    lengths, stacks = _list_stacks(np.array(frames, dtype=np.int32), tree.list_callers(), nodes)
    samples.add_many(np.rint(held[nodes, None]).astype(np.int64), lengths, stacks)
    return samples.build(_TYPES)


def _list_stacks(frames: Int32s, callers: Int64s, nodes: Int64s) -> tuple[Int64s, Int32s]:
    """Return the size of each node's stack, and the frames of all stacks, leaf first, without the
    root's."""
    lengths, stacks = list_caller_paths(callers, nodes)
    found = frames[stacks]
    is_frame = found != _NO_FRAME
    row = np.repeat(np.arange(len(nodes)), lengths)
    lengths = np.bincount(row[is_frame], minlength=len(nodes)).astype(np.int64)
    return lengths, found[is_frame]
