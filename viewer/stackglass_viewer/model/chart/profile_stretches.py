"""Stretches of a file, from the times of its samples, with a lane for each thread in its labels."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.chart.stretches import (
    Lane,
    Stretches,
    StretchRows,
    arrange_stretches,
)
from stackglass_viewer.model.columns.index import Int32s, TypeId
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.profile.profile import Profile

THREAD_KEYS = ("thread", "profile")
"""Keys of labels that name a thread. The first key that a file has is used."""
_PROCESS = "process"
_NO_NAME = "all samples"


def list_profile_stretches(
    profile: Profile, tree: CallTree, sample_type: TypeId, kind_of_sample: Int32s | None
) -> Stretches | None:
    """Return the stretches of samples with a value of ``sample_type``; None = the file has no times
    of samples. ``kind_of_sample``: (n_samples,) what each sample's thread did; None = unknown. Any
    thread."""
    times = profile.times
    if times is None:
        return None
    is_meant = times.values[sample_type] != 0
    sample = times.sample[is_meant]
    lanes, lane_of_sample = find_lanes(profile)
    kinds = kind_of_sample if kind_of_sample is not None else np.full(profile.n_samples, -1)
    rows = StretchRows(
        lane=lane_of_sample[sample],
        node=tree.sample_node[sample],
        begin_ns=times.begin_ns[is_meant],
        end_ns=times.end_ns[is_meant],
        kind=kinds[sample].astype(np.int32),
    )
    return arrange_stretches(tree, rows, lanes, (0, times.length_ns), 0)


def find_lanes(profile: Profile) -> tuple[tuple[Lane, ...], Int32s]:
    """Return a lane for each thread, and (n_samples,) the index of each sample's lane."""
    texts = {key: _find_texts(profile, key) for key in (*THREAD_KEYS, _PROCESS)}
    named_by = next((key for key in THREAD_KEYS if (texts[key] >= 0).any()), THREAD_KEYS[0])
    thread = texts[named_by]
    process = texts[_PROCESS]
    pairs = np.stack((process, thread), axis=1)
    distinct, lane = np.unique(pairs, axis=0, return_inverse=True)
    has_processes = len(np.unique(process)) > 1
    strings = profile.strings
    lanes = tuple(
        Lane(
            strings[text] if text >= 0 else _NO_NAME,
            process=strings[owner] if has_processes and owner >= 0 else "",
            key=named_by if text >= 0 else "",
        )
        for owner, text in distinct.tolist()
    )
    return lanes, lane.ravel().astype(np.int32)


def _find_texts(profile: Profile, key: str) -> np.ndarray:
    """Return the string of each sample's label ``key``: (n_samples,); -1 = no such label."""
    found = np.full(profile.n_samples, -1, dtype=np.int64)
    labels, strings = profile.labels, profile.strings
    if key in strings:
        is_meant = (labels.key == strings.index(key)) & (labels.text >= 0)
        found[labels.sample[is_meant]] = labels.text[is_meant]
    return found
