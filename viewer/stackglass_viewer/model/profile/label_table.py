"""Label tables: the cost of each value of each label key, as in ``go tool pprof -tags``.

A bearer is an object with labels: a sample of a file, or a label set of a capture.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.patterns import Test, compile_pattern
from stackglass_viewer.model.profile.numeric_labels import (
    find_numeric,
    find_unit,
    format_number,
    group_by_key,
)
from stackglass_viewer.model.profile.profile import Profile

Label = tuple[str, str]
"""A key and its value."""


class LabelPattern(NamedTuple):
    """Filter for the values of a key that match a regular expression."""

    key: str  # "" = any key
    pattern: str
    is_excluded: bool = False  # True = only samples without such a value pass


LabelFilter = Label | LabelPattern


@dataclass(frozen=True, slots=True, eq=False)
class LabelIndex:
    """The distinct labels, and the pairs of bearer and label, each once."""

    labels: tuple[Label, ...]  # (n_labels,) in the order of their first appearance
    bearer: Int32s  # (n_pairs,)
    label: Int32s  # (n_pairs,) index in ``labels``
    n_bearers: int

    def list_sets(self) -> dict[int, tuple[Label, ...]]:
        """Return the labels of each bearer that has any."""
        sets: defaultdict[int, list[Label]] = defaultdict(list)
        for bearer, label in zip(self.bearer.tolist(), self.label.tolist(), strict=True):
            sets[bearer].append(self.labels[label])
        return {bearer: tuple(labels) for bearer, labels in sets.items()}


@dataclass(frozen=True, slots=True, eq=False)
class LabelTable:
    """The values of one key, the largest absolute value first."""

    key: str
    value: tuple[str, ...]  # (n_values,)
    flat: Int64s  # (n_values,) in the unit of the sample type
    samples: Int64s  # (n_values,) number of samples
    total: int  # sum of ``flat``; a sample with two values of the key counts twice


def index_profile(
    profile: Profile, unit: str = "", units: Mapping[str, str] | None = None
) -> LabelIndex:
    """Return the index of the labels of a file's samples. Numbers become texts in ``unit``; "" = a
    unit that fits.

    ``units``: the unit of the numbers of each key in the file; None = find it from the samples.
    """
    labels, strings = profile.labels, profile.strings
    numbers: dict[Label, int] = {}
    parts: list[tuple[Int32s, Int64s]] = []
    texts = np.flatnonzero(labels.text >= 0)
    for key, rows in group_by_key(labels, strings, texts).items():
        kinds, kind_of = np.unique(labels.text[rows], return_inverse=True)
        names = [strings[kind] for kind in kinds.tolist()]
        parts.append((labels.sample[rows], _number(numbers, key, names)[kind_of]))
    numeric = np.flatnonzero(find_numeric(labels))
    for key, rows in group_by_key(labels, strings, numeric).items():
        from_unit = find_unit(labels, strings, rows, key) if units is None else units[key]
        kinds, kind_of = np.unique(labels.number[rows], return_inverse=True)
        names = [format_number(kind, from_unit, unit) for kind in kinds.tolist()]
        parts.append((labels.sample[rows], _number(numbers, key, names)[kind_of]))
    return _build_index(numbers, parts, profile.n_samples)


def narrow_index(index: LabelIndex, bearers: Int32s) -> LabelIndex:
    """Return the index with only the labels that one of ``bearers``, (n,), has. Bearers keep their
    numbers."""
    is_used = np.zeros(index.n_bearers, dtype=bool)
    is_used[bearers] = True
    is_kept = is_used[index.bearer]
    kept, inverse = np.unique(index.label[is_kept], return_inverse=True)
    labels = tuple(index.labels[label] for label in kept.tolist())
    narrowed = LabelIndex(
        labels, index.bearer[is_kept], inverse.ravel().astype(np.int32), index.n_bearers
    )
    freeze(narrowed.bearer, narrowed.label)
    return narrowed


def _number(numbers: dict[Label, int], key: str, names: Sequence[str]) -> Int64s:
    return np.array([numbers.setdefault((key, name), len(numbers)) for name in names], np.int64)


def _build_index(
    numbers: dict[Label, int], parts: Sequence[tuple[Int32s, Int64s]], n_bearers: int
) -> LabelIndex:
    """Build the index. Equal pairs become one: two numbers of a sample may have the same text."""
    pairs = [bearer.astype(np.int64) * len(numbers) + label for bearer, label in parts]
    distinct = np.unique(np.concatenate(pairs)) if pairs else np.empty(0, np.int64)
    bearer, label = np.divmod(distinct, max(len(numbers), 1))
    index = LabelIndex(tuple(numbers), bearer.astype(np.int32), label.astype(np.int32), n_bearers)
    freeze(index.bearer, index.label)
    return index


def build_label_tables(
    index: LabelIndex, weights: Int64s, counts: Int64s
) -> tuple[LabelTable, ...]:
    """Return a table for each key, ordered by key. ``weights``, ``counts``: (n_bearers,) the value
    of each bearer, and the number of samples that it stands for. A label's value without samples is
    left out."""
    n_labels = len(index.labels)
    flat, samples = np.zeros(n_labels, np.int64), np.zeros(n_labels, np.int64)
    np.add.at(flat, index.label, weights[index.bearer])
    np.add.at(samples, index.label, counts[index.bearer])
    rows_of: dict[str, list[int]] = {}
    for row in np.flatnonzero(samples).tolist():
        rows_of.setdefault(index.labels[row][0], []).append(row)
    return tuple(_build_table(index, key, rows_of[key], flat, samples) for key in sorted(rows_of))


def _build_table(
    index: LabelIndex, key: str, rows: list[int], flat: Int64s, samples: Int64s
) -> LabelTable:
    rows.sort(key=lambda row: (-abs(int(flat[row])), index.labels[row][1]))
    value = tuple(index.labels[row][1] for row in rows)
    table = LabelTable(key, value, flat[rows], samples[rows], int(flat[rows].sum()))
    freeze(table.flat, table.samples)
    return table


def match_labels(index: LabelIndex, chosen: Collection[LabelFilter]) -> Bools:
    """Return which bearers pass the filters: (n_bearers,). Raises PatternError.

    For every key with filters, a bearer must have one of the chosen values, and it must not have an
    excluded value. Without filters all pass.
    """
    found: Bools = np.ones(index.n_bearers, dtype=bool)
    excluded = [each for each in chosen if _is_excluded(each)]
    included = [each for each in chosen if not _is_excluded(each)]
    for key in {each[0] for each in included}:
        found &= _find_bearers(index, [each for each in included if each[0] == key])
    if excluded:
        found &= ~_find_bearers(index, excluded)
    return found


def _is_excluded(each: LabelFilter) -> bool:
    return isinstance(each, LabelPattern) and each.is_excluded


def _find_bearers(index: LabelIndex, chosen: Collection[LabelFilter]) -> Bools:
    """Return which bearers have a label that matches one of these: (n_bearers,)."""
    plain = {each for each in chosen if not isinstance(each, LabelPattern)}
    tests: list[tuple[str, Test]] = [
        (each.key, compile_pattern(each.pattern))
        for each in chosen
        if isinstance(each, LabelPattern)
    ]
    is_meant = [
        label in plain or any(key in ("", label[0]) and test(label[1]) for key, test in tests)
        for label in index.labels
    ]
    has_value: Bools = np.zeros(index.n_bearers, dtype=bool)
    if is_meant:
        has_value[index.bearer[np.array(is_meant)[index.label]]] = True
    return has_value
