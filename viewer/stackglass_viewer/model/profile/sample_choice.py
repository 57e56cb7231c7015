"""Selection of samples, frames and labels by masks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s, freeze
from stackglass_viewer.model.profile.profile import Labels, Profile, Samples
from stackglass_viewer.model.profile.sample_times import renumber_times


def find_owners(samples: Samples) -> Int64s:
    """Return the sample of each frame: (n_frames,)."""
    return np.repeat(np.arange(len(samples.stack_start) - 1), np.diff(samples.stack_start))


def drop_samples(profile: Profile, is_kept: Bools) -> Profile:
    """Return the profile with only the samples that ``is_kept``, (n_samples,), marks."""
    if is_kept.all():
        return profile
    return keep_frames(profile, np.ones(len(profile.samples.stack), dtype=np.bool_), is_kept)


def keep_frames(profile: Profile, stays: Bools, is_kept: Bools) -> Profile:
    """Return the profile with only the samples that ``is_kept``, (n_samples,), marks, and in their
    stacks only the frames that ``stays``, (n_frames,), marks."""
    samples, labels = profile.samples, profile.labels
    owner = find_owners(samples)
    stays = stays & is_kept[owner]
    counts = np.bincount(owner[stays], minlength=len(is_kept))[is_kept]
    stack_start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    kept_samples = Samples(
        stack_start, samples.stack[stays], np.ascontiguousarray(samples.values[:, is_kept])
    )
    number_of = (np.cumsum(is_kept) - 1).astype(np.int32)
    kept = keep_labels(labels, is_kept[labels.sample])
    kept_labels = replace(kept, sample=number_of[kept.sample])
    freeze(kept_labels.sample, *(getattr(kept_samples, name) for name in kept_samples.__slots__))
    times = renumber_times(profile.times, is_kept)
    return replace(profile, samples=kept_samples, labels=kept_labels, times=times)


def keep_labels(labels: Labels, is_kept: Bools) -> Labels:
    """Return only the labels that ``is_kept``, (n_labels,), marks."""
    kept = Labels(*(getattr(labels, name)[is_kept] for name in labels.__slots__))
    freeze(*(getattr(kept, name) for name in kept.__slots__))
    return kept
