"""Row geometry of a flame graph: the direction in which rows grow, and their pixels."""

from __future__ import annotations

from dataclasses import dataclass

ROW_PX = 20


@dataclass(frozen=True, slots=True)
class RowGeometry:
    """Rows in pixels, numbered from the root. ``top_px``: how far the view is scrolled from there.

    ::

        downward    row 0        upward    row 1
                    row 1                  row 0
    """

    is_upward: bool = False
    n_hidden: int = 0  # number of first rows that are not shown here

    @property
    def hidden_px(self) -> int:
        return self.n_hidden * ROW_PX

    @property
    def sign(self) -> int:
        """1 if rows grow down the screen, -1 if they grow up."""
        return -1 if self.is_upward else 1

    def content_px(self, n_rows: int) -> int:
        """Return the height of all shown rows, of ``n_rows`` in the graph."""
        return max(0, n_rows - self.n_hidden) * ROW_PX

    def offset_of(self, row: int) -> int:
        """Return a row's distance from the first shown row, in pixels."""
        return (row - self.n_hidden) * ROW_PX

    def top_of(self, row: int, top_px: float, height_px: int) -> float:
        """Return the y of a row's upper edge on a widget of this height."""
        return self.place(self.offset_of(row) - top_px, height_px)

    def place(self, offset_px: float, height_px: int) -> float:
        """Return the y of the upper edge of a row that is ``offset_px`` from the root's edge."""
        return height_px - offset_px - ROW_PX if self.is_upward else offset_px

    def row_at(self, y_px: float, top_px: float, height_px: int) -> int:
        """Return the row at ``y_px``, -1 if it is hidden. It may be past the graph's last row."""
        along_px = height_px - 1 - y_px if self.is_upward else y_px
        row = int((along_px + top_px) // ROW_PX) + self.n_hidden
        return row if row >= self.n_hidden else -1
