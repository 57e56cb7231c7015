"""Added label: the same label for every sample of a profile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import freeze
from stackglass_viewer.model.profile.profile import Labels, Profile


def add_label(profile: Profile, key: str, text: str) -> Profile:
    """Return the profile with this label before the other labels of every sample. May run in any
    thread."""
    labels, n = profile.labels, profile.n_samples
    strings = (*profile.strings, key, text)
    at = np.searchsorted(labels.sample, np.arange(n))
    added = Labels(
        sample=np.insert(labels.sample, at, np.arange(n, dtype=np.int32)),
        key=np.insert(labels.key, at, len(strings) - 2),
        text=np.insert(labels.text, at, len(strings) - 1),
        number=np.insert(labels.number, at, 0),
        unit=np.insert(labels.unit, at, 0),
    )
    freeze(added.sample, added.key, added.text, added.number, added.unit)
    return replace(profile, strings=strings, labels=added)
