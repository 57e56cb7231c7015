"""Line costs: flat and cum of each line of one source file, whatever the function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s, TypeId, freeze
from stackglass_viewer.model.graph.path_trim import PathTrim
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.location_lines import count_lines
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_choice import find_owners


@dataclass(frozen=True, slots=True, eq=False)
class LineCosts:
    """One row per line that occurs in samples, ascending."""

    number: Int64s  # (n_lines,) line number; 0 = the file is known and the line is not
    flat: Int64s  # (n_lines,) sum of the samples that end in this line
    cum: Int64s  # (n_lines,) sum of the samples with this line on their stack, each counted once
    is_of_function: Bools  # (n_lines,) the line belongs to the requested function


def sum_lines(
    profile: Profile, sample_type: TypeId, file: str, name: str, trim: PathTrim
) -> LineCosts:
    """Sum the lines of ``file``, a path in the profile, trimmed by ``trim`` or not. The lines of
    the function ``name`` are marked. May run in any thread."""
    locations, samples = profile.locations, profile.samples
    is_line = _find_file_lines(profile, file, trim)
    numbers = np.unique(locations.line_number[is_line])
    row_of_line = np.searchsorted(numbers, locations.line_number)  # valid where is_line
    flat = np.zeros(len(numbers), np.int64)
    cum = np.zeros(len(numbers), np.int64)
    values = samples.values[sample_type]

    leaf_sample = np.flatnonzero(np.diff(samples.stack_start) > 0)
    leaf = samples.stack[samples.stack_start[leaf_sample]]
    has_lines = np.diff(locations.line_start)[leaf] > 0
    leaf_sample, leaf_line = leaf_sample[has_lines], locations.line_start[leaf[has_lines]]
    ends_here = is_line[leaf_line]
    np.add.at(flat, row_of_line[leaf_line[ends_here]], values[leaf_sample[ends_here]])

    sample, line = _expand(profile, is_line)
    pairs = np.unique(sample * max(len(numbers), 1) + row_of_line[line])
    np.add.at(cum, pairs % max(len(numbers), 1), values[pairs // max(len(numbers), 1)])

    is_named = _find_lines_of(profile, name) & is_line
    is_of_function = np.isin(numbers, locations.line_number[is_named])
    freeze(numbers, flat, cum, is_of_function)
    return LineCosts(numbers, flat, cum, is_of_function)


def list_definitions(top: TopTable, file: str, name: str) -> LineCosts:
    """Return line costs from a table without stacks: a function's cost counts for its first
    line."""
    assert top.line is not None
    rows = np.flatnonzero(np.array([each == file for each in top.file], dtype=np.bool_))
    numbers, at = np.unique(top.line[rows], return_inverse=True)
    flat = np.zeros(len(numbers), np.int64)
    cum = np.zeros(len(numbers), np.int64)
    np.add.at(flat, at, top.flat[rows])
    np.add.at(cum, at, top.cum[rows])
    named = [row for row in rows.tolist() if top.name[row] == name]
    is_of_function = np.isin(numbers, top.line[named])
    freeze(numbers, flat, cum, is_of_function)
    return LineCosts(numbers, flat, cum, is_of_function)


def _find_file_lines(profile: Profile, file: str, trim: PathTrim) -> Bools:
    """Return the mask of the lines with a function of the file: (n_lines,)."""
    wanted = trim.shorten(file)
    strings, names = profile.strings, profile.functions.filename
    meant = [each for each in np.unique(names).tolist() if trim.shorten(strings[each]) == wanted]
    is_meant = np.append(np.isin(names, meant), False)  # function -1 = none
    of_file: Bools = is_meant[profile.locations.line_function]
    return of_file


def _find_lines_of(profile: Profile, name: str) -> Bools:
    """Return the mask of the lines with a function of this name: (n_lines,)."""
    strings, names = profile.strings, profile.functions.name
    meant = [each for each in np.unique(names).tolist() if strings[each] == name]
    is_meant = np.append(np.isin(names, meant), False)
    named: Bools = is_meant[profile.locations.line_function]
    return named


def _expand(profile: Profile, is_line: Bools) -> tuple[Int64s, Int64s]:
    """Return the sample and the line of each occurrence of one of these lines in a stack."""
    locations, samples = profile.locations, profile.samples
    lines = np.flatnonzero(is_line)  # by location
    n_of_location = count_lines(is_line, locations)
    begin_of_location = np.cumsum(n_of_location) - n_of_location
    n_of_frame = n_of_location[samples.stack]
    frames = np.flatnonzero(n_of_frame)
    counts = n_of_frame[frames]
    sample = np.repeat(find_owners(samples)[frames], counts)
    within = np.arange(len(sample)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.repeat(begin_of_location[samples.stack[frames]], counts) + within
    return sample.astype(np.int64), lines[at]
