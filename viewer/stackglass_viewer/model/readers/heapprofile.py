"""Reader of V8's sampled heaps (``.heapprofile``), as Node.js and Chrome write them.

::

    head: {"callFrame": {"functionName": "(root)", …}, "selfSize": 0, "children": [
              {"callFrame": {"functionName": "load", …}, "selfSize": 33152, "children": […]}]}

``selfSize`` is what lives of a function's allocations, in bytes: V8's estimate from its samples.
"""

from __future__ import annotations

from array import array
from typing import Any

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.call_frame import ROOT, parse_call_frame
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_trees import read_tree
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_TYPES = (SampleType("inuse_space", "bytes"),)
_NO_FRAME = -1


def read_heapprofile(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Raises ProfileError; what ``progress`` raises."""
    try:
        return _read(content, progress)
    except DAMAGE as error:
        raise ProfileError(explain_damage("a heap profile of V8", error)) from None


def _read(content: bytes | bytearray, progress: Progress) -> Profile:
    samples = FrameSamples()
    frames, sizes = array("i"), array("d")

    def add_node(node: dict[str, Any]) -> None:
        is_root = node["callFrame"]["functionName"] == ROOT
        frame = _NO_FRAME if is_root else samples.add_frame(parse_call_frame(node["callFrame"]))
        frames.append(frame)
        sizes.append(node["selfSize"])

    tree = read_tree(content, ("callFrame", "selfSize"), add_node, progress)
    tree.check_root(tree.document["head"])
    paths = tree.find_paths()
    for number, size in enumerate(sizes):
        if size:
            stack = [frames[each] for each in paths.list_stack(number)]
            samples.add([round(size)], [each for each in stack if each != _NO_FRAME])
    return samples.build(_TYPES)
