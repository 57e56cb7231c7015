"""Comparison of two profiles: their common sample types, and reasons why amounts may differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import TypeId, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.units import drop_zeros, format_value

_MAX_LONGER = 1.1  # factor up to which two durations count as equal
_AT_A_MOMENT = ("inuse", "space", "objects", "goroutine", "threads")
"""Beginnings of the names of sample types with values that do not add up over time."""


def keep_common_types(base: Profile, profile: Profile) -> tuple[Profile, Profile]:
    """Return both profiles with only their common sample types, in the order of ``base``. May run
    in any thread.

    Raises ContentError if there are none, or if the profiles were sampled by different events.
    """
    types = tuple(each for each in base.sample_types if each in profile.sample_types)
    if not types:
        first, second = (_name_types(each.sample_types) for each in (base, profile))
        raise ContentError(f"the profiles have no sample type in common: {first}; {second}")
    events = (base.period_type, profile.period_type)
    if None not in events and events[0] != events[1]:
        raise ContentError("the profiles were sampled by different events")
    return _choose_types(base, types), _choose_types(profile, types)


def cover_other_times(base: Profile, profile: Profile, types: Sequence[SampleType]) -> bool:
    """Return whether one of the profiles covers more time than the other, and one of ``types`` has
    values that add up over time."""
    shorter, longer = sorted((base.duration_ns, profile.duration_ns))
    adds_up = any(not each.name.startswith(_AT_A_MOMENT) for each in types)
    return adds_up and shorter > 0 and longer > shorter * _MAX_LONGER


def list_cautions(base: Profile, profile: Profile) -> Iterator[str]:
    """Yield a sentence for each reason why the amounts of two profiles may differ although the
    program did not change."""
    if cover_other_times(base, profile, base.sample_types):
        texts = [format_value(each.duration_ns, "nanoseconds") for each in (base, profile)]
        yield (
            f"the base covers {texts[0]}, the other profile {texts[1]}: scaling compares shares "
            "instead of amounts"
        )
    if SampleType("samples", "count") in base.sample_types and base.period != profile.period:
        yield (
            f"samples were taken every {say_period(base)} and every {say_period(profile)}: their "
            "numbers count different amounts"
        )


def say_period(profile: Profile) -> str:
    """Return ``10 ms``: what lies between two samples of a profile, in the unit of its events."""
    unit = profile.period_type.unit if profile.period_type is not None else ""
    return drop_zeros(format_value(profile.period, unit)).strip()  # a file may have no unit


def _choose_types(profile: Profile, types: tuple[SampleType, ...]) -> Profile:
    """Return the profile with only these sample types."""
    if types == profile.sample_types:
        return profile
    places = [profile.sample_types.index(each) for each in types]
    values = np.ascontiguousarray(profile.samples.values[places])
    freeze(values)
    first = profile.default_type
    return replace(
        profile,
        samples=replace(profile.samples, values=values),
        sample_types=types,
        times=None,
        default_type=TypeId(places.index(first) if first in places else len(types) - 1),
    )


def _name_types(types: Sequence[SampleType]) -> str:
    return ", ".join(f"{each.name} ({each.unit})" for each in types)
