"""Tag filter: chooses samples by their labels, as pprof's ``-tagfocus`` and ``-tagignore`` do.

::

    KEY=REGEX,REGEX    one of the patterns matches a text of that label
    REGEX,REGEX        each of the patterns matches some ``key:text``
    KEY=4kb:64kb       a number of that label is in the range; also 4kb  4kb:  :64kb
    4kb:64kb           a number of any label is in the range
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools
from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.measurement import scale
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.model.profile.numeric_labels import find_numeric, find_units, group_by_key
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_choice import drop_samples
from stackglass_viewer.model.profile.sample_times import keep_times

_IsIn = Callable[[int, str], bool]
"""``(number, unit)`` -> whether the number is in a range."""

_END = re.compile(r"([+-]?[0-9]+)([a-zA-Z]+)?")
_MAX_NUMBER = 2**63 - 1
_MAX_DIGITS = len(str(_MAX_NUMBER))


def choose_tagged(
    profile: Profile, focus: str, ignore: str, units: Mapping[str, str] | None = None
) -> Profile:
    """Keep the samples that pass both filters; "" = no such filter. A filter that matches no sample
    adds a warning to the profile.

    ``units``: the unit of the numbers of each key; None = find it from the samples. Raises
    PatternError.
    """
    units = find_units(profile) if units is None else units
    kept: Bools = np.ones(profile.n_samples, dtype=bool)
    warnings: list[str] = []
    for option, pattern, is_kept in (("tagfocus", focus, True), ("tagignore", ignore, False)):
        if pattern:
            found = _find_tagged(profile, pattern, units)
            kept &= found if is_kept else ~found
            if not found.any():
                warnings.append(f"--{option} {pattern} matches no sample{_explain(pattern)}")
    return replace(drop_samples(profile, kept), warnings=(*profile.warnings, *warnings))


def mask_samples(profile: Profile, kept: Bools) -> Profile:
    """Set the values of samples outside the mask, (n_samples,), to 0. No sample is dropped."""
    values = np.where(kept, profile.samples.values, 0)
    values.setflags(write=False)
    samples = replace(profile.samples, values=values)
    return replace(profile, samples=samples, times=keep_times(profile.times, kept))


def _find_tagged(profile: Profile, pattern: str, units: Mapping[str, str]) -> Bools:
    """Return which samples have a matching label: (n_samples,). Raises PatternError."""
    key, has_key, rest = pattern.partition("=")
    values, wanted = (rest, key) if has_key else (pattern, None)
    is_in = _parse_range(values)
    if is_in is not None:
        return _find_numbers(profile, is_in, wanted, units)
    found = [_find_texts(profile, part, wanted) for part in values.split(",")]
    mask: Bools = (np.any if has_key else np.all)(found, axis=0)
    return mask


def _explain(pattern: str) -> str:
    values = pattern.partition("=")[2] if "=" in pattern else pattern
    if _parse_range(values) is None:
        return ""
    unit = "" if re.search("[a-zA-Z]", values) else " without a unit"
    return f": {values} is a range of numbers{unit}; ^{values}$ is a text"


def _parse_range(text: str) -> _IsIn | None:
    """Return a test for a range such as ``4kb:64kb``; None = ``text`` is not a range. Raises
    PatternError."""
    ends = [*_END.finditer(text)][:2]
    words = [end.group() for end in ends]
    if text not in (":".join(words), f"{words[0]}:" if words else "", ":".join(["", *words[:1]])):
        return None
    if not words:
        return None
    numbers = [_parse_number(end[1]) for end in ends]
    first, unit = scale(numbers[0], ends[0][2] or "", ends[0][2] or "")
    low, high = first, first
    if len(ends) == 2:
        high, other = scale(numbers[1], ends[1][2] or "", unit)
        if other != unit:
            return None
    elif text.endswith(":"):
        high = float("inf")
    elif text.startswith(":"):
        low = float("-inf")

    def is_in(number: int, number_unit: str) -> bool:
        scaled, scaled_unit = scale(number, number_unit, unit)
        return scaled_unit == unit and low <= scaled <= high

    return is_in


def _parse_number(text: str) -> int:
    """Return a number of decimal digits, perhaps with a sign. Raises PatternError if it has more
    than 64 bits."""
    digits = text.lstrip("+-0")
    if len(digits) > _MAX_DIGITS:
        raise PatternError(f"a number of {len(digits)} digits is not a number of 64 bits")
    number = int(digits or "0")
    if number > _MAX_NUMBER:
        raise PatternError(f"{digits} is not a number of 64 bits")
    return -number if text.startswith("-") else number


def _find_numbers(
    profile: Profile, is_in: _IsIn, key: str | None, units: Mapping[str, str]
) -> Bools:
    """Return which samples have a number in a range: (n_samples,). ``key`` None = of any label."""
    labels, strings = profile.labels, profile.strings
    found: Bools = np.zeros(profile.n_samples, dtype=bool)
    rows = np.flatnonzero(find_numeric(labels))
    for name, own in group_by_key(labels, strings, rows).items():
        if key in (None, name):
            unit = units[name]
            values, value_of = np.unique(labels.number[own], return_inverse=True)
            hits = np.array([is_in(value, unit) for value in values.tolist()], dtype=bool)
            found[labels.sample[own][hits[value_of]]] = True
    return found


def _find_texts(profile: Profile, pattern: str, key: str | None) -> Bools:
    """Return which samples have a text that matches: (n_samples,). ``key`` None = of any label, and
    the pattern must match ``key:text``."""
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
