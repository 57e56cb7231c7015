"""Added frames: new functions, each with a location, to show labels as frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, freeze
from stackglass_viewer.model.profile.profile import Functions, Locations, Profile


def add_frames(profile: Profile, frames: Sequence[tuple[str, str]]) -> Profile:
    """Return the profile with a function and a location added at the end of its tables for each
    pair of name and file. Samples stay as they are."""
    texts = [text for frame in frames for text in frame]
    return replace(
        profile,
        strings=(*profile.strings, *texts),
        functions=_add_functions(profile.functions, len(profile.strings), len(frames)),
        locations=_add_locations(profile.locations, len(profile.functions.name), len(frames)),
    )


def _add_functions(functions: Functions, first: int, n_added: int) -> Functions:
    """Append functions. ``first``: the first of their strings, which are pairs of name and file. As
    in pprof, they have no system name."""
    names = np.arange(first, first + 2 * n_added, 2, dtype=np.int32)
    built = Functions(
        name=np.concatenate((functions.name, names)),
        system_name=np.concatenate((functions.system_name, np.zeros_like(names))),
        filename=np.concatenate((functions.filename, names + np.int32(1))),
        start_line=np.concatenate((functions.start_line, np.zeros(n_added, dtype=np.int64))),
    )
    freeze(built.name, built.system_name, built.filename, built.start_line)
    return built


def _add_locations(locations: Locations, first: int, n_added: int) -> Locations:
    """Append locations of one line each, for the functions from ``first`` on."""
    added = np.arange(n_added, dtype=np.int32)
    nothing: Int64s = np.zeros(n_added, dtype=np.int64)
    line_start = np.concatenate((locations.line_start, locations.line_start[-1:] + added + 1))
    built = Locations(
        line_start=line_start.astype(np.int32),
        line_function=np.concatenate((locations.line_function, added + np.int32(first))),
        line_number=np.concatenate((locations.line_number, nothing)),
        line_column=np.concatenate((locations.line_column, nothing)),
        address=np.concatenate((locations.address, nothing.astype(np.uint64))),
        mapping=np.concatenate((locations.mapping, np.full(n_added, -1, dtype=np.int32))),
        is_folded=np.concatenate((locations.is_folded, np.zeros(n_added, dtype=bool))),
    )
    freeze(built.line_start, built.line_function, built.line_number, built.line_column)
    freeze(built.address, built.mapping, built.is_folded)
    return built
