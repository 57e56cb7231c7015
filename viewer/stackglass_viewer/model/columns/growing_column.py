"""Growing column: rows are appended, and views handed out earlier never change."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

_Kind = TypeVar("_Kind", bound=np.generic)
_FIRST_ROWS = 1024


class GrowingColumn(Generic[_Kind]):
    """Rows are appended, never changed. One writer; views may be read by any thread."""

    __slots__ = ("_rows", "n_rows")

    def __init__(self, kind: type[_Kind]) -> None:
        self._rows: npt.NDArray[_Kind] = np.empty(_FIRST_ROWS, dtype=kind)
        self.n_rows = 0

    def extend(self, rows: npt.NDArray[Any]) -> None:
        """Append rows; any integers that fit the column."""
        end = self.n_rows + len(rows)
        self.reserve(len(rows))[self.n_rows : end] = rows
        self.n_rows = end

    def reserve(self, n_more: int) -> npt.NDArray[_Kind]:
        """Return the array with room for ``n_more`` rows after ``n_rows``, for the writer to
        fill."""
        end = self.n_rows + n_more
        if end > len(self._rows):
            larger = np.empty(max(end, 2 * len(self._rows)), dtype=self._rows.dtype)
            larger[: self.n_rows] = self._rows[: self.n_rows]
            self._rows = larger  # older views keep the old rows alive
        return self._rows

    def view(self) -> npt.NDArray[_Kind]:
        """Return a read-only view of the rows that exist now: (n_rows,)."""
        rows = self._rows[: self.n_rows]
        rows.flags.writeable = False
        return rows
