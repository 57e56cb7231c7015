"""Label roots: a frame for each value of a label below the root, as pprof's ``-tagroot``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.profile.label_table import LabelIndex
from stackglass_viewer.model.profile.profile import Functions, Locations, Profile, Samples


def root_by_label(profile: Profile, index: LabelIndex, key: str) -> Profile:
    """The stacks, each with its value of ``key`` as the outermost call: ``route = /a``.

    Several values of a sample are one frame, ``/a,/b``, in alphabetical order (in pprof, in the
    file's); samples without the label have a frame of their own. Samples keep their numbers and
    values.
    """
    names, root = _number_roots(index, key)
    first = len(profile.locations.address)
    return replace(
        profile,
        strings=(*profile.strings, *names),
        functions=_add_functions(profile, len(names)),
        locations=_add_locations(profile.locations, len(profile.functions.name), len(names)),
        samples=_add_frames(profile.samples, root + np.int32(first)),
    )


def _number_roots(index: LabelIndex, key: str) -> tuple[list[str], Int32s]:
    """The names of the frames, and (n_samples,) which of them each sample has."""
    has_key: Bools = np.array([each == key for each, _ in index.labels], dtype=bool)
    pairs = np.flatnonzero(has_key[index.label])
    sets: dict[int, tuple[str, ...]] = {}
    for bearer, label in zip(
        index.bearer[pairs].tolist(), index.label[pairs].tolist(), strict=True
    ):
        sets[bearer] = (*sets.get(bearer, ()), index.labels[label][1])
    numbers: dict[str, int] = {}
    root = np.zeros(index.n_bearers, dtype=np.int32)
    numbers[f"(no {key})"] = 0
    for bearer, values in sets.items():
        name = f"{key} = {','.join(sorted(values))}"
        root[bearer] = numbers.setdefault(name, len(numbers))
    return list(numbers), root


def _add_functions(profile: Profile, n_added: int) -> Functions:
    functions, first = profile.functions, len(profile.strings)
    names = np.arange(first, first + n_added, dtype=np.int32)
    nothing = np.zeros(n_added, dtype=np.int32)  # string 0 is empty
    built = Functions(
        name=np.concatenate((functions.name, names)),
        system_name=np.concatenate((functions.system_name, names)),
        filename=np.concatenate((functions.filename, nothing)),
        start_line=np.concatenate((functions.start_line, nothing.astype(np.int64))),
    )
    freeze(built.name, built.system_name, built.filename, built.start_line)
    return built


def _add_locations(locations: Locations, first: int, n_added: int) -> Locations:
    """One line each, of a function from ``first`` on."""
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


def _add_frames(samples: Samples, outermost: Int32s) -> Samples:
    """``outermost``: (n_samples,) the location that each stack is to begin with."""
    n_samples = len(outermost)
    start = samples.stack_start + np.arange(n_samples + 1, dtype=np.int64)
    stack = np.empty(len(samples.stack) + n_samples, dtype=np.int32)
    is_added = np.zeros(len(stack), dtype=bool)
    is_added[start[1:] - 1] = True  # leaf first
    stack[is_added] = outermost
    stack[~is_added] = samples.stack
    freeze(start, stack)
    return Samples(start, stack, samples.values)
