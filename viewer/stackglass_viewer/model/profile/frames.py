"""Frames: the function or mapped file of each line, at pprof's granularity "functions"."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.profile.profile import Profile

UNKNOWN = "<unknown>"


@dataclass(frozen=True, slots=True, eq=False)
class FrameTable:
    """The frames of a profile, and the frame of each line of each location.

    Every location has a line here: a location without lines in the profile gets one line, with its
    mapped file as the frame.
    """

    name: tuple[str, ...]  # (n_frames,)
    file: tuple[str, ...]  # (n_frames,) of the name's first function with a file; "" = unknown
    line: Int64s  # (n_frames,) where that function is defined; 0 = unknown
    line_start: Int32s  # (n_locations + 1,)
    line_frame: Int32s  # (n_lines,) frame, innermost first


def name_frames(profile: Profile) -> FrameTable:
    """Number the frames: one for each name of a function, in the order of the functions, then one
    for each mapped file's name and one for ``<unknown>``, unless a function has that name.

    As in pprof, a line without a named function has the frame ``[file]``, its mapping's file
    without folders, or ``<unknown>``.
    """
    numbers: dict[str, int] = {}
    files: list[str] = []
    lines: list[int] = []
    strings = profile.strings
    functions = profile.functions
    frame_of_function = np.empty(len(functions.name) + 1, dtype=np.int32)
    frame_of_function[-1] = -1  # function -1 = none
    rows = zip(
        functions.name.tolist(),
        functions.filename.tolist(),
        functions.start_line.tolist(),
        strict=True,
    )
    for function, (name, file, line) in enumerate(rows):
        text = strings[name]
        if not text:
            frame_of_function[function] = -1
            continue
        number = numbers.setdefault(text, len(files))
        if number == len(files):
            files.append(strings[file])
            lines.append(line)
        elif not files[number]:
            files[number] = strings[file]
            lines[number] = line
        frame_of_function[function] = number

    frame_of_mapping = _name_mappings(profile, numbers, files)
    line_start, line_frame = _spread(profile, frame_of_function, frame_of_mapping)
    line = np.zeros(len(files), np.int64)  # a mapped file has none
    line[: len(lines)] = lines
    freeze(line, line_start, line_frame)
    return FrameTable(tuple(numbers), tuple(files), line, line_start, line_frame)


def _name_mappings(profile: Profile, numbers: dict[str, int], files: list[str]) -> Int32s:
    """Return the frame for lines without a name, by mapping: (n_mappings + 1,). The last is for
    lines without a mapping."""
    frames = np.empty(len(profile.mappings.filename) + 1, dtype=np.int32)
    names = [profile.strings[name] for name in profile.mappings.filename.tolist()]
    for mapping, path in enumerate([*names, ""]):
        text = f"[{posixpath.basename(path.rstrip('/')) or '/'}]" if path else UNKNOWN
        frames[mapping] = numbers.setdefault(text, len(files))
        if frames[mapping] == len(files):
            files.append(path)
    return frames


def _spread(
    profile: Profile, frame_of_function: Int32s, frame_of_mapping: Int32s
) -> tuple[Int32s, Int32s]:
    """Return the columns ``line_start`` and ``line_frame`` of the table."""
    locations = profile.locations
    n_lines = np.diff(locations.line_start)
    is_bare = n_lines == 0
    line_start = locations.line_start
    line_frame = frame_of_function[locations.line_function]
    mapping_of_line = np.repeat(locations.mapping, n_lines)
    if is_bare.any():
        line_start = np.zeros(len(n_lines) + 1, dtype=np.int32)
        np.cumsum(np.maximum(n_lines, 1), out=line_start[1:])
        at = locations.line_start[:-1][is_bare]
        line_frame = np.insert(line_frame, at, -1)
        mapping_of_line = np.insert(mapping_of_line, at, locations.mapping[is_bare])
    is_nameless = line_frame < 0
    line_frame[is_nameless] = frame_of_mapping[mapping_of_line[is_nameless]]
    return line_start, line_frame
