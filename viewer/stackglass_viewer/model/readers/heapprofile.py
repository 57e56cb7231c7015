"""Reader of V8's sampled heaps (``.heapprofile``), as Node.js and Chrome write them.

::

    head: {"callFrame": {"functionName": "(root)", …}, "selfSize": 0, "children": [
              {"callFrame": {"functionName": "load", …}, "selfSize": 33152, "children": […]}]}

``selfSize`` is what lives of a function's allocations, in bytes: V8's estimate from its samples.
"""

from __future__ import annotations

import json
from typing import Any

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.call_frame import ROOT, parse_call_frame
from stackglass_viewer.model.readers.caller_paths import CallerPaths
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage

_TYPES = (SampleType("inuse_space", "bytes"),)
_NO_FRAME = -1


def read_heapprofile(content: bytes | bytearray) -> Profile:
    """Raises ProfileError."""
    try:
        return _read(json.loads(content))
    except DAMAGE as error:
        raise ProfileError(explain_damage("a heap profile of V8", error)) from None


def _read(document: dict[str, Any]) -> Profile:
    samples = FrameSamples()
    nodes, callers = _list_nodes(document["head"])
    paths = CallerPaths(callers.__getitem__, len(nodes))
    frames = [
        _NO_FRAME
        if node["callFrame"]["functionName"] == ROOT
        else samples.add_frame(parse_call_frame(node["callFrame"]))
        for node in nodes
    ]
    for number, node in enumerate(nodes):
        if size := node["selfSize"]:
            stack = [frames[each] for each in paths.list_stack(number)]
            samples.add([round(size)], [each for each in stack if each != _NO_FRAME])
    return samples.build(_TYPES)


def _list_nodes(head: dict[str, Any]) -> tuple[list[dict[str, Any]], list[int | None]]:
    """All nodes, and the position of the caller of each."""
    nodes: list[dict[str, Any]] = [head]
    callers: list[int | None] = [None]
    for number, node in enumerate(nodes):  # grows meanwhile
        for child in node.get("children") or ():
            nodes.append(child)
            callers.append(number)
    return nodes, callers
