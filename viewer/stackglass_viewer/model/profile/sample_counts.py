"""Sample counts: how often each row of a profile was seen, where it says so."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.profile.profile import Profile, SampleType

_COUNTED = SampleType("samples", "count")


def list_counts(profile: Profile) -> Int64s | None:
    """(n_samples,) how often each was seen; None = the profile does not say.

    In a difference the samples of the base were seen as well: their counts are below zero there.
    """
    types = profile.sample_types
    return np.abs(profile.samples.values[types.index(_COUNTED)]) if _COUNTED in types else None


def count_samples(profile: Profile) -> int | None:
    """Samples that were taken; None = the profile does not say."""
    counts = list_counts(profile)
    return None if counts is None else int(counts.sum())
