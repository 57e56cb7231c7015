"""Samples in columns of a known size, for formats whose readers know how many rows there are.

Growing columns are copied when they grow and leave holes in the heap. Columns of a known size stay
in their place, and the part that is not filled yet takes no memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.profile.profile import Labels, Samples
from stackglass_viewer.model.readers.sample_columns import LabelColumns


class SampleTables(NamedTuple):
    """Complete tables of samples and labels."""

    samples: Samples
    labels: Labels

    def build(self) -> tuple[Samples, Labels]:
        """Return the tables."""
        return self.samples, self.labels


class StackRows(NamedTuple):
    """Complete columns of samples without labels."""

    stack_start: Int64s  # as in `Samples`
    stack: Int32s
    values: Int64s

    def build(self) -> tuple[Samples, Labels]:
        """Build the tables, without a copy of the columns."""
        return Samples(*self), LabelColumns().build()


class SingleLabelRows(NamedTuple):
    """Complete columns of samples that have one label each, with the same key and a text."""

    stack_start: Int64s  # as in `Samples`
    stack: Int32s
    values: Int64s
    key: int  # number of a string
    text: Int32s  # (n,) numbers of strings

    def build(self) -> tuple[Samples, Labels]:
        """Build the tables, without a copy of the columns."""
        n = len(self.text)
        labels = Labels(
            sample=np.arange(n, dtype=np.int32),
            key=np.full(n, self.key, dtype=np.int32),
            text=self.text,
            number=np.zeros(n, dtype=np.int64),
            unit=np.zeros(n, dtype=np.int32),
        )
        return Samples(self.stack_start, self.stack, self.values), labels


class PreparedRows:
    """Collects samples that have a text label for each key. Used by one thread."""

    def __init__(self, n: int, n_frames: int, n_types: int, keys: Sequence[int]) -> None:
        """``n_frames``: the frames of all stacks; ``keys``: numbers of strings, in the order of a
        sample's labels."""
        self._n, self._n_frames = 0, 0  # samples and frames added so far
        self._keys = np.array(keys, dtype=np.int32)
        self._stack_start = np.zeros(n + 1, dtype=np.int64)
        self._stack = np.empty(n_frames, dtype=np.int32)
        self._values = np.empty((n_types, n), dtype=np.int64)
        self._sample, self._key, self._text = (
            np.empty((n, len(keys)), dtype=np.int32) for _ in range(3)
        )

    def add(self, values: Int64s, sizes: Int64s, stacks: Int32s, texts: Int32s) -> None:
        """Add samples: (n_types, n) values, (n,) sizes of stacks, the frames of all stacks, leaf
        first, and (n, n_keys) numbers of the labels' texts."""
        first, end = self._n, self._n + len(sizes)
        self._values[:, first:end] = values
        self._stack_start[first + 1 : end + 1] = np.cumsum(sizes) + self._n_frames
        self._stack[self._n_frames : self._n_frames + len(stacks)] = stacks
        self._sample[first:end] = np.arange(first, end, dtype=np.int32)[:, np.newaxis]
        self._key[first:end] = self._keys
        self._text[first:end] = texts
        self._n, self._n_frames = end, self._n_frames + len(stacks)

    def build(self) -> tuple[Samples, Labels]:
        """Build the tables, without a copy of the columns."""
        samples = Samples(stack_start=self._stack_start, stack=self._stack, values=self._values)
        n_labels = self._sample.size
        labels = Labels(
            sample=self._sample.reshape(-1),
            key=self._key.reshape(-1),
            text=self._text.reshape(-1),
            number=np.zeros(n_labels, dtype=np.int64),
            unit=np.zeros(n_labels, dtype=np.int32),
        )
        return samples, labels
