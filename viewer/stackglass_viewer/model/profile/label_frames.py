"""Label frames: values of labels as frames around a stack, as with pprof's ``-tagroot`` and
``-tagleaf``.

The frame's name is the value (several: ``/a,/b``, in the file's order), its file is the key. A
sample without the label gets a frame without a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.profile.added_frames import add_frames
from stackglass_viewer.model.profile.numeric_labels import (
    find_numeric,
    format_number,
    group_by_key,
)
from stackglass_viewer.model.profile.profile import Profile, Samples

_NONE: Int64s = np.empty(0, np.int64)


def add_label_frames(profile: Profile, roots: str, leaves: str, unit: str) -> Profile:
    """Add a frame to every stack for each key. ``roots``, ``leaves``: keys separated by commas; the
    first root is outermost, the last leaf innermost. ``unit``: unit for numbers; "" = one that
    fits. If no sample has any key of an option, a warning is added to the profile.
    """
    missing: list[str] = []
    joined: list[tuple[str, list[str]]] = []  # keys with the text of each sample
    for option, keys in (("tagroot", roots), ("tagleaf", leaves)):
        wanted = [key for key in reversed(keys.split(",")) if key]
        texts = [_join_values(profile, key, unit) for key in wanted]
        if wanted and not any(any(each) for each in texts):
            missing.append(f"--{option} {keys} matches no sample")
        joined += zip(wanted, texts, strict=True)
    frames, columns = _number_frames(joined, profile.n_samples)
    columns += np.int32(len(profile.locations.address))
    n_roots = len([key for key in roots.split(",") if key])
    outer, inner = columns[:n_roots], columns[n_roots:]
    return replace(
        add_frames(profile, list(frames)),
        samples=_surround(profile.samples, outer, inner),
        warnings=(*profile.warnings, *missing),
    )


def _number_frames(
    joined: Sequence[tuple[str, Sequence[str]]], n_samples: int
) -> tuple[dict[tuple[str, str], int], Int32s]:
    """Number the pairs of name and key, sample by sample as in pprof. Returns the number of each
    pair, and the numbers of each sample's frames: (n_keys, n_samples)."""
    frames: dict[tuple[str, str], int] = {}
    columns = np.empty((len(joined), n_samples), dtype=np.int32)
    for sample in range(n_samples):
        for row, (key, texts) in enumerate(joined):
            columns[row, sample] = frames.setdefault((texts[sample], key), len(frames))
    return frames, columns


def _join_values(profile: Profile, key: str, unit: str) -> list[str]:
    """Return the values of a key for each sample, joined by commas, texts before numbers."""
    labels, strings = profile.labels, profile.strings
    values: list[list[str]] = [[] for _ in range(profile.n_samples)]
    texts = group_by_key(labels, strings, np.flatnonzero(labels.text >= 0))
    for row in texts.get(key, _NONE).tolist():
        values[labels.sample[row]].append(strings[labels.text[row]])
    numbers = group_by_key(labels, strings, np.flatnonzero(find_numeric(labels)))
    for row in numbers.get(key, _NONE).tolist():
        text = format_number(int(labels.number[row]), strings[labels.unit[row]], unit)
        values[labels.sample[row]].append(text)
    return [",".join(each) for each in values]


def _surround(samples: Samples, outer: Int32s, inner: Int32s) -> Samples:
    """Add frames at both ends of all stacks. ``outer``, ``inner``: (n_added, n_samples) locations,
    leaf first."""
    n_samples = len(samples.stack_start) - 1
    n_added = len(outer) + len(inner)
    start = samples.stack_start + n_added * np.arange(n_samples + 1, dtype=np.int64)
    stack = np.empty(len(samples.stack) + n_added * n_samples, dtype=np.int32)
    is_added = np.zeros(len(stack), dtype=bool)
    for depth, column in enumerate(inner):
        stack[start[:-1] + depth] = column
        is_added[start[:-1] + depth] = True
    for depth, column in enumerate(reversed(outer), start=1):
        stack[start[1:] - depth] = column
        is_added[start[1:] - depth] = True
    stack[~is_added] = samples.stack
    freeze(start, stack)
    return Samples(start, stack, samples.values)
