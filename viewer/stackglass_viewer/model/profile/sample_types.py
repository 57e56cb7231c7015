"""Choice of a sample type by name or by number, as in pprof."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np

from stackglass_viewer.model.columns.index import Bools, TypeId
from stackglass_viewer.model.errors import SampleTypeError
from stackglass_viewer.model.profile.profile import Profile, SampleType


def choose_default(sample_types: Sequence[SampleType], default_name: str) -> TypeId:
    """Return the type that a profile names as its default, else its last."""
    for number, sample_type in enumerate(sample_types):
        if default_name and sample_type.name == default_name:
            return TypeId(number)
    return TypeId(len(sample_types) - 1)


def choose_first(profile: Profile, *compared: Profile) -> TypeId:
    """Return the type to show first: the default, or if it has no values, the first type that has.
    ddtrace's files name no default, and their last type is for GPUs.

    ``compared``: profiles with the same types that are shown with it, whose values count too.
    """
    values, default = [each.samples.values for each in (profile, *compared)], profile.default_type
    if any(each[default].any() for each in values):  # almost always, without a pass over the others
        return default
    has_values: Bools = np.any([np.any(each, axis=1) for each in values], axis=0)
    return TypeId(int(has_values.argmax())) if has_values.any() else default


def find_type(sample_types: Sequence[SampleType], wanted: str) -> TypeId:
    """Return a type by its number or name; ``inuse_space`` also finds ``space``.

    Raises SampleTypeError if there is no such type.
    """
    names = [sample_type.name for sample_type in sample_types]
    listed = ", ".join(names)
    try:
        number = int(wanted)
    except ValueError:
        for number, name in enumerate(names):
            if name in (wanted, wanted.removeprefix("inuse_")):
                return TypeId(number)
        near = get_close_matches(wanted, names, n=1)
        question = f"did you mean {near[0]}? " if near else ""
        raise SampleTypeError(
            f"the profile has no sample type {wanted!r}", f"{question}it has {listed}"
        ) from None
    if not 0 <= number < len(names):
        raise SampleTypeError(
            f"the profile has no sample type number {number}",
            f"it has 0 to {len(names) - 1}: {listed}",
        )
    return TypeId(number)
