"""Tag filter: samples chosen by their labels, as by pprof's ``-tagfocus`` and ``-tagignore``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.model.profile.profile import Profile


def find_tagged(profile: Profile, pattern: str) -> Bools:
    """(n_samples,) those with a label that is meant: ``KEY=REGEX,REGEX`` finds any of them in the
    key's value, ``REGEX,REGEX`` each of them in some ``key:value``. Labels are texts: numbers have
    none.

    Raises PatternError.
    """
    key, has_key, texts = pattern.partition("=")
    found = [
        _find_one(profile, part, key if has_key else None)
        for part in (texts if has_key else pattern).split(",")
    ]
    mask: Bools = (np.any if has_key else np.all)(found, axis=0)
    return mask


def choose_tagged(profile: Profile, focus: str, ignore: str) -> Profile:
    """All other samples are worth nothing. "" = no such filter. Raises PatternError."""
    kept: Bools = np.ones(profile.n_samples, dtype=bool)
    if focus:
        kept &= find_tagged(profile, focus)
    if ignore:
        kept &= ~find_tagged(profile, ignore)
    values = np.where(kept, profile.samples.values, 0)
    values.setflags(write=False)
    return replace(profile, samples=replace(profile.samples, values=values))


def _find_one(profile: Profile, pattern: str, key: str | None) -> Bools:
    """``key`` None = any, and then it is looked at as well."""
    is_found = compile_pattern(pattern)
    labels, strings = profile.labels, profile.strings
    found: Bools = np.zeros(profile.n_samples, dtype=bool)
    is_text = labels.text >= 0
    pairs = np.stack((labels.key[is_text], labels.text[is_text]))
    kinds, kind_of = np.unique(pairs, axis=1, return_inverse=True)

    def is_meant(name: int, value: int) -> bool:
        if key is None:
            return is_found(f"{strings[name]}:{strings[value]}")
        return strings[name] == key and is_found(strings[value])

    is_kind = np.array([is_meant(*pair) for pair in kinds.T.tolist()], dtype=bool)
    if len(is_kind):
        found[labels.sample[is_text][is_kind[kind_of.ravel()]]] = True
    return found
