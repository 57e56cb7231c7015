"""Label sets of a live session, as the engine defines them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.index import freeze
from stackglass_viewer.model.columns.wire_columns import find_string, read_columns
from stackglass_viewer.model.profile.label_table import Label, LabelIndex
from stackglass_viewer.model.proto import wire_pb2

_MAX_SETS = 1 << 20  # the engine defines at most 65 536


class LiveLabels:
    """Guarded by its owner's lock; what ``view`` returns is immutable."""

    def __init__(self) -> None:
        self._numbers: dict[Label, int] = {}
        self._pairs: dict[tuple[int, int], None] = {}  # set and label
        self._index: LabelIndex | None = None  # None = something has been defined since

    def define(self, batch: wire_pb2.Batch, strings: Sequence[str]) -> None:
        """Add a batch's definitions. Raises WireError."""
        columns = read_columns(batch.label_set, batch.label_key, batch.label_value)
        for number, key, value in zip(*(column.tolist() for column in columns), strict=True):
            if number >= _MAX_SETS:
                raise WireError(f"label set {number} is defined, and there are {_MAX_SETS} at most")
            label = (find_string(strings, key), find_string(strings, value))
            self._pairs[number, self._numbers.setdefault(label, len(self._numbers))] = None
            self._index = None

    def view(self) -> LabelIndex:
        """The labels of each set (the sets are the bearers); set 0 has none."""
        if self._index is None:
            pairs = np.array(list(self._pairs), dtype=np.int32).reshape(-1, 2)
            bearer, label = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
            freeze(bearer, label)
            n_sets = int(bearer.max(initial=0)) + 1
            self._index = LabelIndex(tuple(self._numbers), bearer, label, n_sets)
        return self._index
