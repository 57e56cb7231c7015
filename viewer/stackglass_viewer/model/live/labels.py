"""Label sets of a live session, as the engine defines them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stackglass.errors import WireError
from stackglass.wire.definitions import divide_labels
from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.columns.wire_columns import find_string, read_columns
from stackglass_viewer.model.profile.label_table import Label, LabelIndex
from stackglass_viewer.model.proto import wire_pb2

_MAX_TASKS = 1 << 14  # above any task number of the engine, which names at most 8193 tasks


def read_references(column: Sequence[int], n_rows: int) -> Int64s:
    """Return the engine's references to the label sets of buckets: (n_rows,); 0 if an older engine
    sends none."""
    return np.array(column or [0] * n_rows, dtype=np.int64)


class LiveLabels:
    """The label sets so far. The owner's lock guards all methods; the result of ``view`` is
    immutable."""

    def __init__(self) -> None:
        self._numbers: dict[Label, int] = {}
        self._labels: list[Label] = []  # by number
        self._defined: dict[int, dict[int, None]] = {}  # labels by the engine's set
        self._rows: dict[int, int] = {0: 0}  # label sets of the capture, by the engine's reference
        self._index: LabelIndex | None = None  # result of the last ``view``; None = outdated

    def define(self, batch: wire_pb2.Batch, strings: Sequence[str]) -> None:
        """Add a batch's definitions. Raises WireError."""
        columns = read_columns(batch.label_set, batch.label_key, batch.label_value)
        for number, key, value in zip(*(column.tolist() for column in columns), strict=True):
            own, task = divide_labels(number)
            if (own and task) or task >> 16 >= _MAX_TASKS:
                raise WireError(f"a message defines label set {number}, which is out of range")
            label = (find_string(strings, key), find_string(strings, value))
            own_labels = self._defined.setdefault(number, {})
            if label not in self._numbers:
                self._numbers[label] = len(self._labels)
                self._labels.append(label)
            own_labels[self._numbers[label]] = None
            self._index = None

    def number(self, references: Int32s | Int64s) -> Int32s:
        """Return the capture's label set for each of the engine's references: (n,), read-only; 0
        stays 0."""
        if not references.any():
            sets = np.zeros(len(references), dtype=np.int32)
            freeze(sets)
            return sets
        kinds, kind_of = np.unique(references, return_inverse=True)
        n_before = len(self._rows)
        rows = [self._rows.setdefault(kind, len(self._rows)) for kind in kinds.tolist()]
        if len(self._rows) > n_before:
            self._index = None
        sets = np.array(rows, dtype=np.int32)[kind_of.ravel()]
        freeze(sets)
        return sets

    def _list_labels(self, reference: int) -> Iterable[int]:
        """Return the labels of a reference: those of its set, and the task's other keys."""
        own, task = divide_labels(reference)
        labels = self._defined.get(own, {})
        if not task:
            return labels
        keys = {self._labels[label][0] for label in labels}
        others = self._defined.get(task, ())
        return [*labels, *(label for label in others if self._labels[label][0] not in keys)]

    def view(self) -> LabelIndex:
        """Return the index of the labels of each set. The sets are its bearers; set 0 has no
        labels."""
        if self._index is None:
            rows = (
                (row, label)
                for reference, row in self._rows.items()
                for label in self._list_labels(reference)
            )
            pairs = np.array(list(rows), dtype=np.int32).reshape(-1, 2)
            bearer, label = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
            freeze(bearer, label)
            self._index = LabelIndex(tuple(self._labels), bearer, label, len(self._rows))
        return self._index
