"""Label values: the table of one key, built from whatever carries labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.profile.label_table import (
    Label,
    LabelIndex,
    LabelTable,
    build_label_tables,
    find_valued,
)


@dataclass(frozen=True, slots=True, eq=False)
class LabelValues:
    """What a table of labels shows."""

    keys: tuple[str, ...]  # by name
    key: str  # "" = there are no labels
    table: LabelTable | None  # None = no sample has the key
    whole: int  # what 100 % is
    unit: str
    has_samples: bool  # False: how many samples there were is not known


@dataclass(frozen=True, slots=True, eq=False)
class LabelledValues:
    """The bearers of labels, and what each of them counts. The source of every label table."""

    index: LabelIndex
    weights: Int64s  # (n_bearers,) in ``unit``
    counts: Int64s | None  # (n_bearers,) samples that it stands for; None = not known
    whole: int  # what 100 % is
    unit: str


def build_label_values(values: LabelledValues, key: str, chosen: frozenset[Label]) -> LabelValues:
    """The values of a key; one that there is not is the first. A filter for that key itself does
    not shorten its table: its other values could not be chosen any more."""
    keys = tuple(sorted({each for each, _ in values.index.labels}))
    if key not in keys:
        key = keys[0] if keys else ""
    others = frozenset(label for label in chosen if label[0] != key)
    weights, has_samples = values.weights, values.counts is not None
    counts = np.ones(len(weights), np.int64) if values.counts is None else values.counts
    if others:
        is_kept = find_valued(values.index, others)
        weights, counts = np.where(is_kept, weights, 0), np.where(is_kept, counts, 0)
    tables = build_label_tables(values.index, weights, counts)
    table = next((each for each in tables if each.key == key), None)
    return LabelValues(keys, key, table, values.whole, values.unit, has_samples)
