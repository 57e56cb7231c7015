"""Native libraries: merges the C functions of a library that call each other into one frame.

::

    leaf first   inflate_fast │ inflate │ cfunction_call │ unpack │ run    │ PyEval_EvalCode
                 libz           libz      libpython        Python   Python   libpython
    becomes      libz: *                                 │ unpack │ run

Functions of the interpreter and of the C runtime are merged into their callers. Built-in functions
and methods of Python, and system calls, stay: ``builtins: list.sort``, ``kernel: read``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, freeze
from stackglass_viewer.model.profile.added_frames import add_frames
from stackglass_viewer.model.profile.native_frames import find_merged_library, is_runtime, name_all
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_choice import find_owners, keep_frames


class LibraryFrames:
    """The libraries of a list of functions. The columns have an extra last row, so that index −1,
    the frame of a tree's root, has no library."""

    def __init__(self, names: Sequence[str]) -> None:
        numbers: dict[str, int] = {}
        libraries = [find_merged_library(name) for name in names]
        of_name = [numbers.setdefault(each, len(numbers)) if each else -1 for each in libraries]
        self.names = tuple(numbers)
        self.library: Int32s = np.array([*of_name, -1], dtype=np.int32)  # (n_names + 1,)
        self.is_runtime: Bools = np.array(
            [*map(is_runtime, numbers), False], dtype=np.bool_
        )  # (n_libraries + 1,)
        place_of = {name: place for place, name in enumerate(names)}
        places = [place_of.get(name_all(each), -1) for each in numbers]
        # Index in ``names`` of each library's own frame; -1 = there is none.
        self.frame: Int32s = np.array([*places, -1], dtype=np.int32)


def merge_libraries(profile: Profile) -> Profile:
    """Return the profile with one frame for each run of functions of one library. May run in any
    thread."""
    strings, functions = profile.strings, profile.functions
    places = LibraryFrames([strings[name] for name in functions.name.tolist()])
    if not places.names:
        return profile
    of_location = _find_libraries(profile, places)
    files = _find_files(profile, places)
    n_known = len(profile.locations.address)
    named = [(name_all(name), file) for name, file in zip(places.names, files, strict=True)]
    samples = profile.samples
    library = of_location[samples.stack]
    stays = ~places.is_runtime[library]
    stack = np.where(library >= 0, library + n_known, samples.stack).astype(np.int32)
    freeze(stack)
    changed = replace(add_frames(profile, named), samples=replace(samples, stack=stack))
    changed = _keep(changed, stays)
    stack, owner = changed.samples.stack, find_owners(changed.samples)
    is_inner: Bools = np.zeros(len(stack), dtype=np.bool_)
    is_inner[:-1] = (stack[:-1] == stack[1:]) & (owner[:-1] == owner[1:]) & (stack[:-1] >= n_known)
    return _keep(changed, ~is_inner)


def _keep(profile: Profile, stays: Bools) -> Profile:
    """Keep the frames of ``stays``, (n_frames,). Samples that lose all their frames are dropped."""
    starts = profile.samples.stack_start
    n_left = np.bincount(find_owners(profile.samples)[stays], minlength=len(starts) - 1)
    return keep_frames(profile, stays, (n_left > 0) | (np.diff(starts) == 0))


def _find_libraries(profile: Profile, places: LibraryFrames) -> Int32s:
    """Return the library of each location's outermost line: (n_locations,); -1 = none."""
    locations = profile.locations
    has_line = np.diff(locations.line_start) > 0
    last = np.maximum(locations.line_start[1:] - 1, 0)
    function = np.full(len(has_line), -1, dtype=np.int32)
    function[has_line] = locations.line_function[last[has_line]]
    found: Int32s = places.library[function]
    return found


def _find_files(profile: Profile, places: LibraryFrames) -> list[str]:
    """Return the file of each library's first function: (n_libraries,)."""
    _, first = np.unique(places.library[:-1], return_index=True)
    rows: dict[int, int] = {int(places.library[row]): int(row) for row in first}
    files = profile.functions.filename
    return [profile.strings[int(files[rows[number]])] for number in range(len(places.names))]
