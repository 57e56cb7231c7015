"""Label values: the table of one key, from the samples of a file or the label sets of a capture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.profile.label_table import (
    LabelFilter,
    LabelIndex,
    LabelTable,
    build_label_tables,
    match_labels,
    narrow_index,
)
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True, eq=False)
class LabelValues:
    """The content of the labels view."""

    keys: tuple[str, ...]  # all keys, in alphabetical order
    key: str  # the key of the table; "" = there are no labels
    table: LabelTable | None  # None = no sample has the key
    whole: int  # the value of 100 %
    unit: str
    has_samples: bool  # False = the number of samples is not known
    is_change: bool = False  # values are differences


@dataclass(frozen=True, slots=True, eq=False)
class LabelledValues:
    """The bearers of labels, and the value of each: the input of every label table."""

    index: LabelIndex
    weights: Int64s  # (n_bearers,) in ``unit``
    counts: Int64s | None  # (n_bearers,) samples that a bearer stands for; None = not known
    whole: int  # the value of 100 %
    unit: str
    has_samples: bool = True  # False = ``counts`` only say which bearers have a value


def sum_bearers(
    index: LabelIndex, bearers: Int32s, weights: Int64s, counts: Int64s | None, unit: str
) -> LabelledValues:
    """Sum rows by bearer; all columns are (n,). ``counts``: the number of samples that a row stands
    for; None = not known. Labels that no row has are left out."""
    sums = np.zeros(index.n_bearers, dtype=np.int64)
    n_of_each = np.zeros(index.n_bearers, dtype=np.int64)
    _loops.sum_own(bearers, np.ascontiguousarray(weights), sums)
    is_there = (weights != 0).astype(np.int64)
    _loops.sum_own(bearers, is_there if counts is None else counts, n_of_each)
    whole = int(np.maximum(weights, 0).sum())
    used = narrow_index(index, bearers)
    return LabelledValues(used, sums, n_of_each, whole, unit, counts is not None)


def build_label_values(
    values: LabelledValues, key: str, chosen: frozenset[LabelFilter]
) -> LabelValues:
    """Return the values of ``key``; if there is no such key, those of the first key with values.

    Filters for the key itself do not apply to its table: otherwise its other values could not be
    chosen any more.
    """
    keys = tuple(sorted({each for each, _ in values.index.labels}))
    weights = values.weights
    has_samples = values.has_samples and values.counts is not None
    counts = np.ones(len(weights), np.int64) if values.counts is None else values.counts
    if key not in keys:
        # In a capture, some keys have values in other profiles only, such as a heap's sizes.
        valued = {each.key for each in build_label_tables(values.index, weights, counts)}
        key = min(valued or keys, default="")
    others = frozenset(label for label in chosen if label[0] != key)
    if others:
        is_kept = match_labels(values.index, others)
        weights, counts = np.where(is_kept, weights, 0), np.where(is_kept, counts, 0)
    tables = build_label_tables(values.index, weights, counts)
    table = next((each for each in tables if each.key == key), None)
    is_change = bool((values.weights < 0).any())
    return LabelValues(keys, key, table, values.whole, values.unit, has_samples, is_change)
