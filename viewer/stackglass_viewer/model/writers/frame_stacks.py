"""Stacks of samples as lists of frames, for formats without locations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from stackglass_viewer.model.profile.frames import FrameTable
from stackglass_viewer.model.profile.profile import Samples
from stackglass_viewer.model.writers.line_table import expand_stacks

NO_STACK = "<no stack>"
"""Frame of a sample without a stack, in formats that require one."""

_PIECE = 1 << 14  # samples; a list of numbers takes eight times the memory of a column


def list_stacks(samples: Samples, frames: FrameTable) -> Iterator[list[int]]:
    """Yield the frames of each sample, root first."""
    n_samples = len(samples.stack_start) - 1
    for first in range(0, n_samples, _PIECE):
        start = samples.stack_start[first : min(first + _PIECE, n_samples) + 1]
        stack = samples.stack[start[0] : start[-1]]
        rows, row_start = expand_stacks(stack, start - start[0], frames)
        numbers = frames.line_frame[rows].tolist()
        for begin, end in pairwise(row_start.tolist()):
            yield numbers[begin:end][::-1]
