"""Packed column: frame-of-reference coding. Integers are stored as differences from the least of
them, in the narrowest unsigned type that holds these. A column of equal integers stores none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import freeze

_WIDTHS = (np.uint8, np.uint16, np.uint32)


@dataclass(frozen=True, slots=True, eq=False)
class PackedColumn:
    """Packed integers, which ``unpack`` restores. Immutable."""

    kind: np.dtype[Any]  # dtype of the unpacked integers
    n_rows: int
    least: int  # 0 if there are no rows
    greatest: int  # 0 if there are no rows
    # (n_rows,) each integer minus ``least``, or the integers themselves if no narrower type holds
    # the differences; None = all integers are equal
    above: npt.NDArray[Any] | None

    def unpack(self) -> npt.NDArray[Any]:
        """Return the integers: (n_rows,) of dtype ``kind``, read-only."""
        if self.above is None:
            rows = np.full(self.n_rows, self.least, dtype=self.kind)
        elif self.above.dtype == self.kind:
            rows = self.above
        else:
            rows = self.above.astype(self.kind)
            rows += self.kind.type(self.least)
        freeze(rows)
        return rows


def pack_column(rows: npt.NDArray[Any]) -> PackedColumn:
    """Pack integers. A column that fits no narrower type is not copied; it becomes read-only."""
    if len(rows) == 0:
        return PackedColumn(rows.dtype, 0, 0, 0, None)
    least, greatest = int(rows.min()), int(rows.max())
    if least == greatest:
        return PackedColumn(rows.dtype, len(rows), least, greatest, None)
    for width in _WIDTHS:
        is_narrower = np.dtype(width).itemsize < rows.dtype.itemsize
        if is_narrower and greatest - least <= np.iinfo(width).max:
            above = (rows - rows.dtype.type(least)).astype(width)
            freeze(above)
            return PackedColumn(rows.dtype, len(rows), least, greatest, above)
    freeze(rows)
    return PackedColumn(rows.dtype, len(rows), least, greatest, rows)
