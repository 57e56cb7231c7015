"""Choice of labels by key, as with pprof's ``-tagshow`` and ``-taghide``. No sample is dropped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.model.profile.numeric_labels import find_numeric
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_choice import keep_labels


def choose_labels(profile: Profile, show: str, hide: str) -> Profile:
    """Keep the labels with keys that match ``show`` and do not match ``hide``; "" = no such
    pattern. A pattern that matches no label adds a warning to the profile. Raises PatternError.
    """
    labels = profile.labels
    is_kept: Bools = np.ones(len(labels.key), dtype=bool)
    warnings: list[str] = []
    for option, pattern, is_shown in (("tagshow", show, True), ("taghide", hide, False)):
        if pattern:
            test = compile_pattern(pattern)
            keys, key_of = np.unique(labels.key, return_inverse=True)
            found = np.array([test(profile.strings[key]) for key in keys.tolist()], dtype=bool)
            is_found: Bools = found[key_of]
            is_kept &= is_found if is_shown else ~is_found
            if not (is_found & ((labels.text >= 0) | find_numeric(labels))).any():
                warnings.append(f"--{option} {pattern} matches no sample")
    return replace(
        profile,
        labels=keep_labels(labels, is_kept),
        warnings=(*profile.warnings, *warnings),
    )
