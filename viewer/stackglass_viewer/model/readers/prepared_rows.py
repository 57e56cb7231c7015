"""Samples in columns of a known size: a format with millions of rows fills them part by part.

Columns that grow are copied as they do, and leave their old memory behind. These are in their last
place at once, and what is not filled yet takes no memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.profile.profile import Labels, Samples
from stackglass_viewer.model.readers.sample_columns import LabelColumns


class SampleTables(NamedTuple):
    """Samples and labels that are whole."""

    samples: Samples
    labels: Labels

    def build(self) -> tuple[Samples, Labels]:
        """The tables."""
        return self.samples, self.labels


class StackRows(NamedTuple):
    """Samples without labels, in whole columns."""

    stack_start: Int64s  # as of `Samples`
    stack: Int32s
    values: Int64s

    def build(self) -> tuple[Samples, Labels]:
        """The tables, of the memory of the columns."""
        return Samples(*self), LabelColumns().build()


class LabelledRows(NamedTuple):
    """Samples that have a text of one key as their label, in whole columns."""

    stack_start: Int64s  # as of `Samples`
    stack: Int32s
    values: Int64s
    key: int  # the number of a text
    text: Int32s  # (n,) the same

    def build(self) -> tuple[Samples, Labels]:
        """The tables, of the memory of the columns."""
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
    """Samples that have a text of each key as their labels. One thread."""

    def __init__(self, n: int, n_frames: int, n_types: int, keys: Sequence[int]) -> None:
        """``n_frames``: of all stacks; ``keys``: numbers of texts, in the order of each sample."""
        self._n, self._n_frames = 0, 0  # as far as they are filled
        self._keys = np.array(keys, dtype=np.int32)
        self._stack_start = np.zeros(n + 1, dtype=np.int64)
        self._stack = np.empty(n_frames, dtype=np.int32)
        self._values = np.empty((n_types, n), dtype=np.int64)
        self._sample, self._key, self._text = (
            np.empty((n, len(keys)), dtype=np.int32) for _ in range(3)
        )

    def add(self, values: Int64s, sizes: Int64s, stacks: Int32s, texts: Int32s) -> None:
        """The next samples: (n_types, n) values, (n,) lengths of stacks, the stacks one after the
        other, leaf first, and (n, n_keys) numbers of texts."""
        first, end = self._n, self._n + len(sizes)
        self._values[:, first:end] = values
        self._stack_start[first + 1 : end + 1] = np.cumsum(sizes) + self._n_frames
        self._stack[self._n_frames : self._n_frames + len(stacks)] = stacks
        self._sample[first:end] = np.arange(first, end, dtype=np.int32)[:, np.newaxis]
        self._key[first:end] = self._keys
        self._text[first:end] = texts
        self._n, self._n_frames = end, self._n_frames + len(stacks)

    def build(self) -> tuple[Samples, Labels]:
        """The tables, of the memory of the columns."""
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
