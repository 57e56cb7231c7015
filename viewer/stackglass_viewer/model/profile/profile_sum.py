"""Sum and difference of profiles: samples with the same stack and labels are merged.

Functions, locations and labels of two files are equal if all their fields are equal. IDs are not
compared, since they have no meaning in another file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.added_label import add_label
from stackglass_viewer.model.profile.go_contention import check_contention
from stackglass_viewer.model.profile.profile import (
    Functions,
    Labels,
    Locations,
    Mappings,
    Profile,
    Samples,
    SampleType,
)
from stackglass_viewer.model.profile.sample_choice import keep_labels

_Key = TypeVar("_Key", bound=Hashable)
_Label = tuple[int, int, int, int]  # string of the key, string of the text, number, string of unit
BASE_KEY, BASE_TEXT = "pprof::base", "true"
"""Key and text of the label that samples of a base have."""
MOST_NS = 2**63 - 1
"""The longest duration that a file can hold."""

_MAPPING_TYPES = (np.int32, np.int32, np.uint64, np.uint64, np.uint64, np.int32)


def add_profiles(earlier: Profile, later: Profile) -> Profile:
    """Return the sum of two profiles, with the sum of their durations. May run in any thread.

    Raises ContentError if their sample types differ.
    """
    _check_types(earlier, later)
    merge = _Merge()
    merge.add(earlier, 1)
    merge.add(later, 1)
    duration_ns = sum_durations([earlier, later])
    return replace(merge.build(later), duration_ns=duration_ns)


def join_profiles(parts: Sequence[Profile]) -> Profile:
    """Join profiles into one with the sample types of all, in the order of their first use. Fields
    other than tables come from the first part. May run in any thread.
    """
    types = tuple(dict.fromkeys(each for part in parts for each in part.sample_types))
    merge = _Merge()
    for part in parts:
        merge.add(_spread(part, types), 1)
    return merge.build(replace(parts[0], sample_types=types))


def _spread(profile: Profile, types: tuple[SampleType, ...]) -> Profile:
    """Return the profile with values of all these types; 0 for types that it does not have."""
    values = np.zeros((len(types), profile.n_samples), np.int64)
    for column, each in zip(profile.samples.values, profile.sample_types, strict=True):
        values[types.index(each)] += column
    freeze(values)
    samples = replace(profile.samples, values=values)
    return replace(profile, samples=samples, sample_types=types, times=None)


def merge_profiles(profiles: Sequence[Profile]) -> Profile:
    """Return the sum of profiles of one kind, as pprof makes it. May run in any thread.

    The sum has the earliest time, the sum of durations, the longest period and the comments of all.

    Raises ContentError if their sample types or period types differ.
    """
    first = profiles[0]
    merge = _Merge()
    for profile in profiles:
        _check_types(first, profile)
        if profile.period_type != first.period_type:
            raise ContentError("the profiles were sampled by different events")
        merge.add(profile, 1)
    times = [profile.time_unix_ns for profile in profiles if profile.time_unix_ns]
    return replace(
        merge.build(first),
        time_unix_ns=min(times, default=0),
        duration_ns=sum_durations(profiles),
        period=max(profile.period for profile in profiles),
        comments=tuple(dict.fromkeys(text for each in profiles for text in each.comments)),
        warnings=tuple(dict.fromkeys(text for each in profiles for text in each.warnings)),
    )


def sum_durations(profiles: Sequence[Profile]) -> int:
    """Return the sum, ns, within what a file can hold."""
    return max(-MOST_NS, min(sum(each.duration_ns for each in profiles), MOST_NS))


def subtract_profiles(later: Profile, earlier: Profile) -> Profile:
    """Return the later profile minus the earlier one; values may be negative. May run in any
    thread.

    Raises ContentError if their sample types differ.
    """
    _check_types(later, earlier)
    merge = _Merge()
    merge.add(later, 1)
    merge.add(earlier, -1)
    passed_ns = later.time_unix_ns - earlier.time_unix_ns if earlier.time_unix_ns else 0
    return replace(merge.build(later), duration_ns=max(passed_ns, 0))


def subtract_base(
    profile: Profile, base: Profile, *, is_marked: bool = False, is_normalized: bool = False
) -> Profile:
    """Return a profile minus its base, as in pprof. May run in any thread.

    ``is_marked``: give the base's samples the label ``pprof::base``, so that they are not merged,
    and shares refer to the base. ``is_normalized``: scale the profile to the sums of the base
    first. Raises ContentError if the sample types differ.
    """
    _check_types(profile, base)
    merge = _Merge()
    merge.add(normalize(profile, base) if is_normalized else profile, 1)
    merge.add(_mark(base) if is_marked else base, -1)
    return merge.build(profile)


def normalize(profile: Profile, base: Profile) -> Profile:
    """Scale each sample type of the profile to its sum in the base, as in pprof."""
    samples = profile.samples
    sums, wanted = (each.samples.values.sum(axis=1) for each in (profile, base))
    ratios = np.divide(wanted, sums, out=np.zeros(len(sums)), where=sums != 0)
    if (ratios == 1).all():
        return profile
    scaled = samples.values * ratios[:, np.newaxis]
    values = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled).astype(np.int64)
    values = np.where((ratios == 1)[:, np.newaxis], samples.values, values)
    # As in pprof, a sample is dropped if scaling leaves 0.
    values[:, ~values[ratios != 1].any(axis=0)] = 0
    freeze(values)
    return replace(profile, samples=replace(samples, values=values), times=None)


def _mark(profile: Profile) -> Profile:
    """Return the profile with the label of a base on every sample."""
    return add_label(profile, BASE_KEY, BASE_TEXT)


def drop_base_label(profile: Profile) -> Profile:
    """Return the profile without the label that marks the samples of a base."""
    labels, strings = profile.labels, profile.strings
    keys = [key for key in np.unique(labels.key).tolist() if strings[key] == BASE_KEY]
    is_kept: Bools = ~np.isin(labels.key, keys)
    return replace(profile, labels=keep_labels(labels, is_kept)) if keys else profile


def _check_types(one: Profile, other: Profile) -> None:
    """Raise ContentError if the sample types, or Go's kinds of contention profiles, differ."""
    if one.sample_types != other.sample_types:
        first, second = (
            ", ".join(f"{kind.name} ({kind.unit})" for kind in each.sample_types)
            for each in (one, other)
        )
        raise ContentError(f"the profiles have different sample types: {first}; {second}")
    check_contention(one, other)


class _Numbering(Generic[_Key]):
    """Numbers for values, in the order of their first use."""

    def __init__(self) -> None:
        self._number_of: dict[_Key, int] = {}

    def number(self, values: Iterable[_Key]) -> list[int]:
        known = self._number_of
        return [known.setdefault(each, len(known)) for each in values]

    def __len__(self) -> int:
        return len(self._number_of)

    @property
    def values(self) -> tuple[_Key, ...]:
        """All values, in the order of their numbers."""
        return tuple(self._number_of)


class _Merge:
    """Merges the tables of several profiles, and sums their samples."""

    def __init__(self) -> None:
        self._strings: _Numbering[str] = _Numbering()
        self._functions: _Numbering[tuple[int, ...]] = _Numbering()
        self._mappings: _Numbering[tuple[int, ...]] = _Numbering()
        self._locations: _Numbering[tuple[Any, ...]] = _Numbering()
        self._samples: _Numbering[tuple[bytes, tuple[_Label, ...]]] = _Numbering()
        self._parts: list[tuple[list[int], Int64s]] = []  # samples and their values
        self._strings.number([""])  # number 0 is the empty one, as in every file

    def add(self, profile: Profile, factor: int) -> None:
        """Add a profile with its values multiplied by ``factor``."""
        strings = _with_none(self._strings.number(profile.strings))
        functions = _with_none(self._functions.number(_list_functions(profile, strings)))
        mappings = _with_none(self._mappings.number(_list_mappings(profile, strings)))
        rows = _list_locations(profile, functions, mappings)
        locations = _with_none(self._locations.number(rows))
        stack = np.ascontiguousarray(locations[profile.samples.stack])
        starts = profile.samples.stack_start.tolist()
        labels = _list_labels(profile, strings)
        numbers = self._samples.number(
            (stack[starts[i] : starts[i + 1]].tobytes(), labels.get(i, ()))
            for i in range(profile.n_samples)
        )
        self._parts.append((numbers, profile.samples.values * factor))

    def build(self, like: Profile) -> Profile:
        """Return the sum. Fields other than tables come from ``like``. Samples with only zero
        values are dropped."""
        sums = np.zeros((len(like.sample_types), len(self._samples)), np.int64)
        for numbers, values in self._parts:
            for total, column in zip(sums, values, strict=True):
                np.add.at(total, numbers, column)
        is_kept: Bools = np.any(sums, axis=0)
        kept = [key for key, keep in zip(self._samples.values, is_kept, strict=True) if keep]
        stacks = [np.frombuffer(stack, np.int32) for stack, _ in kept]
        starts = np.cumsum([0, *map(len, stacks)], dtype=np.int64)
        used, stack = _number_by_use(np.concatenate([np.empty(0, np.int32), *stacks]))
        rows = self._locations.values
        sums = np.ascontiguousarray(sums[:, is_kept])
        freeze(starts, stack, sums)
        return replace(
            like,
            strings=self._strings.values,
            functions=_build_functions(self._functions.values),
            mappings=_build_mappings(self._mappings.values),
            locations=_build_locations([rows[number] for number in used.tolist()]),
            samples=Samples(starts, stack, sums),
            labels=_build_labels([labels for _, labels in kept]),
            times=None,  # the times of several runs have no common order
        )


def _number_by_use(stack: Int32s) -> tuple[Int32s, Int32s]:
    """Return the locations that are used, in the order of their first use, and the stacks with
    locations renumbered in this order. pprof numbers a sum in the same way."""
    ordered, first, position = np.unique(stack, return_index=True, return_inverse=True)
    by_use = np.argsort(first, kind="stable")
    number_of = np.empty(len(ordered), np.int32)
    number_of[by_use] = np.arange(len(ordered), dtype=np.int32)
    return ordered[by_use], number_of[position]


def _with_none(numbers: Sequence[int]) -> Int32s:
    """Append −1, so that an index of −1 is mapped to −1."""
    return np.array([*numbers, -1], np.int32)


def _list_functions(profile: Profile, strings: Int32s) -> list[tuple[int, ...]]:
    each = profile.functions
    names = (strings[column].tolist() for column in (each.name, each.system_name, each.filename))
    return list(zip(*names, each.start_line.tolist(), strict=True))


def _list_mappings(profile: Profile, strings: Int32s) -> list[tuple[int, ...]]:
    each = profile.mappings
    names = (strings[column].tolist() for column in (each.filename, each.build_id))
    places = (column.tolist() for column in (each.start, each.limit, each.offset, each.flags))
    return list(zip(*names, *places, strict=True))


def _list_locations(profile: Profile, functions: Int32s, mappings: Int32s) -> list[tuple[Any, ...]]:
    """Return lines, address, mapping and ``is_folded`` of each location."""
    each = profile.locations
    numbers = (each.line_number.tolist(), each.line_column.tolist())
    lines = list(zip(functions[each.line_function].tolist(), *numbers, strict=True))
    starts = each.line_start.tolist()
    return list(
        zip(
            (tuple(lines[start:end]) for start, end in pairwise(starts)),
            each.address.tolist(),
            mappings[each.mapping].tolist(),
            each.is_folded.tolist(),
            strict=True,
        )
    )


def _list_labels(profile: Profile, strings: Int32s) -> dict[int, tuple[_Label, ...]]:
    """Return the labels of each sample that has any."""
    each = profile.labels
    names = (strings[column].tolist() for column in (each.key, each.text))
    rows = zip(*names, each.number.tolist(), strings[each.unit].tolist(), strict=True)
    found: defaultdict[int, list[_Label]] = defaultdict(list)
    for sample, row in zip(each.sample.tolist(), rows, strict=True):
        found[sample].append(row)
    return {sample: tuple(labels) for sample, labels in found.items()}


def _build_functions(rows: Sequence[tuple[int, ...]]) -> Functions:
    table = np.array(rows, np.int64).reshape(-1, 4).T
    name, system_name, filename = (column.astype(np.int32) for column in table[:3])
    line = np.ascontiguousarray(table[3])
    freeze(name, system_name, filename, line)
    return Functions(name, system_name, filename, line)


def _build_mappings(rows: Sequence[tuple[int, ...]]) -> Mappings:
    columns = list(zip(*rows, strict=True)) or [()] * len(_MAPPING_TYPES)
    pairs = zip(columns, _MAPPING_TYPES, strict=True)
    arrays = [np.array(column, dtype) for column, dtype in pairs]
    freeze(*arrays)
    return Mappings(*arrays)


def _build_locations(rows: Sequence[tuple[Any, ...]]) -> Locations:
    lines = [line for row in rows for line in row[0]]
    table = np.array(lines, np.int64).reshape(-1, 3).T
    built = Locations(
        line_start=np.cumsum([0, *(len(row[0]) for row in rows)], dtype=np.int32),
        line_function=table[0].astype(np.int32),
        line_number=np.ascontiguousarray(table[1]),
        line_column=np.ascontiguousarray(table[2]),
        address=np.array([row[1] for row in rows], np.uint64),
        mapping=np.array([row[2] for row in rows], np.int32),
        is_folded=np.array([row[3] for row in rows], np.bool_),
    )
    freeze(built.line_start, built.line_function, built.line_number, built.line_column)
    freeze(built.address, built.mapping, built.is_folded)
    return built


def _build_labels(by_sample: Sequence[tuple[_Label, ...]]) -> Labels:
    sizes = np.array([len(labels) for labels in by_sample], np.int64)
    sample = np.repeat(np.arange(len(by_sample)), sizes)
    rows = [label for labels in by_sample for label in labels]
    table = np.array(rows, np.int64).reshape(-1, 4).T
    key, text, unit = (table[i].astype(np.int32) for i in (0, 1, 3))
    number = np.ascontiguousarray(table[2])
    samples = sample.astype(np.int32)
    freeze(samples, key, text, number, unit)
    return Labels(samples, key, text, number, unit)
