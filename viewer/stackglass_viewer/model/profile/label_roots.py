"""Label roots: a frame below the root for each value of a label, as with pprof's ``-tagroot``."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, freeze
from stackglass_viewer.model.profile.added_frames import add_frames
from stackglass_viewer.model.profile.label_table import LabelIndex
from stackglass_viewer.model.profile.profile import Profile, Samples


def root_by_label(profile: Profile, index: LabelIndex, key: str) -> Profile:
    """Add the value of ``key`` to each stack as its outermost frame: ``route = /a``.

    A sample with several values gets one frame with all, ``/a,/b``, in alphabetical order (pprof
    uses the order of the file). Samples without the label get the frame ``(no route)``. Samples
    keep their numbers and values.
    """
    names, root = number_roots(index, key)
    first = len(profile.locations.address)
    named = add_frames(profile, [(name, "") for name in names])
    return replace(named, samples=_add_outermost(profile.samples, root + np.int32(first)))


def number_roots(index: LabelIndex, key: str) -> tuple[list[str], Int32s]:
    """Return the names of the frames, and the index of each bearer's frame: (n_bearers,)."""
    has_key: Bools = np.array([each == key for each, _ in index.labels], dtype=bool)
    pairs = np.flatnonzero(has_key[index.label])
    sets: defaultdict[int, list[str]] = defaultdict(list)
    for bearer, label in zip(
        index.bearer[pairs].tolist(), index.label[pairs].tolist(), strict=True
    ):
        sets[bearer].append(index.labels[label][1])
    numbers: dict[str, int] = {}
    root = np.zeros(index.n_bearers, dtype=np.int32)
    numbers[f"(no {key})"] = 0
    for bearer, values in sets.items():
        name = f"{key} = {','.join(sorted(values))}"
        root[bearer] = numbers.setdefault(name, len(numbers))
    return list(numbers), root


def _add_outermost(samples: Samples, outermost: Int32s) -> Samples:
    """Add a frame at the root of each stack. ``outermost``: (n_samples,) its location."""
    n_samples = len(outermost)
    start = samples.stack_start + np.arange(n_samples + 1, dtype=np.int64)
    stack = np.empty(len(samples.stack) + n_samples, dtype=np.int32)
    is_added = np.zeros(len(stack), dtype=bool)
    is_added[start[1:] - 1] = True  # leaf first
    stack[is_added] = outermost
    stack[~is_added] = samples.stack
    freeze(start, stack)
    return Samples(start, stack, samples.values)
