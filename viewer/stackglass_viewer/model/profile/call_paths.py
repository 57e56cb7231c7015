"""Call paths: the functions from the root of a stack to one of its calls, and the stacks that begin
with them.

A path is one text, with a line for each function, the outermost first. A function is known by its
name, as the frames of graphs are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s, freeze
from stackglass_viewer.model.profile.frames import FrameTable, name_frames
from stackglass_viewer.model.profile.profile import Locations, Profile
from stackglass_viewer.model.profile.sample_choice import find_owners, keep_frames


def write_path(names: Sequence[str]) -> str:
    """Return the path of these functions, the outermost first.

    >>> write_path(("main", "work"))
    'main\\nwork'
    """
    return "\n".join(each.replace("\n", " ") for each in names)


def join_paths(outer: str, inner: str) -> str:
    """Return the path of the call that is at ``inner`` in the stacks that ``outer`` leaves. They
    begin with its last function.

    >>> join_paths("main\\nwork", "work\\nparse")
    'main\\nwork\\nparse'
    """
    return outer + inner[len(inner.partition("\n")[0]) :]


def list_functions(path: str) -> list[str]:
    """Return the names of a path's functions, the outermost first."""
    return path.split("\n")


def number_path(path: str, names: Sequence[str]) -> tuple[list[int], Int64s]:
    """Return the numbers of a path's functions, and the number of each name: (n_names,)."""
    functions = list_functions(path)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(functions))}
    of_names = np.array([numbers.get(each.replace("\n", " "), -1) for each in names], np.int64)
    return [numbers[name] for name in functions], of_names


def keep_path(profile: Profile, path: str) -> Profile:
    """Keep the samples whose stacks begin with ``path``, and in them the calls from its last on.
    May run in any thread."""
    frames = name_frames(profile)
    frame, line = _follow(profile, frames, path)
    is_kept = frame >= 0
    samples = profile.samples
    stays: Bools = np.arange(len(samples.stack)) <= frame[find_owners(samples)]
    # Callers of the last call may be lines of its location, into which it was inlined.
    ends, lines = frame[is_kept], line[is_kept]
    place = samples.stack[ends].astype(np.int64)
    is_cut = lines + 1 < frames.line_start[place + 1]
    if is_cut.any():
        pairs = np.stack((place[is_cut], lines[is_cut] + 1), axis=1)
        cut, which = np.unique(pairs, axis=0, return_inverse=True)
        stack = samples.stack.copy()
        stack[ends[is_cut]] = len(profile.locations.address) + which.reshape(-1)
        freeze(stack)
        n_lines = cut[:, 1] - frames.line_start[cut[:, 0]]
        locations = _add_inner(profile.locations, cut[:, 0], n_lines)
        profile = replace(profile, locations=locations, samples=replace(samples, stack=stack))
    return keep_frames(profile, stays, is_kept)


def _follow(profile: Profile, frames: FrameTable, path: str) -> tuple[Int64s, Int64s]:
    """Return the frame and the line where the path ends in each sample: (n_samples,) each. Frame −1
    = the stack does not begin with the path."""
    wanted, number_of = number_path(path, frames.name)
    of_line = number_of[frames.line_frame]
    stack, start = profile.samples.stack, profile.samples.stack_start
    end_frame: Int64s = np.full(profile.n_samples, -1, dtype=np.int64)
    end_line = np.zeros_like(end_frame)
    sample = np.flatnonzero(np.diff(start) > 0)  # those that fit so far
    frame: Int64s = start[sample + 1].astype(np.int64) - 1
    line: Int64s = frames.line_start[stack[frame] + 1].astype(np.int64) - 1
    for step, number in enumerate(wanted):
        if step:  # to the callee
            line = line - 1
            is_past = line < frames.line_start[stack[frame]]
            frame = frame - is_past
            is_inside = frame >= start[sample]
            sample, frame, line = (each[is_inside] for each in (sample, frame, line))
            is_past = is_past[is_inside]
            line[is_past] = frames.line_start[stack[frame[is_past]] + 1] - 1
        fits = of_line[line] == number
        sample, frame, line = (each[fits] for each in (sample, frame, line))
    end_frame[sample], end_line[sample] = frame, line
    return end_frame, end_line


def _add_inner(locations: Locations, whole: Int64s, n_lines: Int64s) -> Locations:
    """Add locations: for each of ``whole`` one with only its ``n_lines`` innermost lines."""
    first = np.repeat(locations.line_start[whole] - (np.cumsum(n_lines) - n_lines), n_lines)
    lines = first + np.arange(int(n_lines.sum()))
    ends = locations.line_start[-1] + np.cumsum(n_lines)
    built = Locations(
        line_start=np.concatenate((locations.line_start, ends)).astype(np.int32),
        **{
            name: np.concatenate((column, column[rows]))
            for names, rows in (
                (("line_function", "line_number", "line_column"), lines),
                (("address", "mapping", "is_folded"), whole),
            )
            for name in names
            for column in (getattr(locations, name),)
        },
    )
    freeze(*(getattr(built, name) for name in built.__slots__))
    return built
