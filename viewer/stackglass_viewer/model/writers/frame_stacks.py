"""Stacks of frames, as formats without locations have them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from stackglass_viewer.model.graph.frames import FrameTable
from stackglass_viewer.model.profile.profile import Profile


def list_stacks(profile: Profile, frames: FrameTable) -> Iterator[list[int]]:
    """The frames of each sample, root first."""
    lines = frames.line_frame.tolist()
    start = frames.line_start.tolist()
    of_location = [lines[first:last][::-1] for first, last in pairwise(start)]
    stack = profile.samples.stack.tolist()
    ends = profile.samples.stack_start.tolist()
    for first, last in pairwise(ends):
        yield [frame for location in stack[first:last][::-1] for frame in of_location[location]]
