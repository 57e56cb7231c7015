"""Sample counts: how many samples were taken of each stack, if the profile has that type."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.profile.profile import Profile, SampleType

_COUNTED = SampleType("samples", "count")


def list_counts(profile: Profile) -> Int64s | None:
    """Return how often each sample was taken: (n_samples,); None = the profile does not say.

    In a difference the counts of the base are negative, but its samples were taken as well: the
    result has absolute values.
    """
    types = profile.sample_types
    return np.abs(profile.samples.values[types.index(_COUNTED)]) if _COUNTED in types else None


def count_samples(profile: Profile) -> int | None:
    """Return the number of samples that were taken; None = the profile does not say."""
    counts = list_counts(profile)
    return None if counts is None else int(counts.sum())
