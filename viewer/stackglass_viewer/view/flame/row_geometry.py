"""Row geometry of a flame graph: which way rows grow, and where each is on the screen."""

from __future__ import annotations

from dataclasses import dataclass

ROW_PX = 20


@dataclass(frozen=True, slots=True)
class RowGeometry:
    """Rows are counted from the root; scrolling, ``top_px``, leads away from it.

    ::

        downward    row 0        upward    row 1
                    row 1                  row 0
    """

    is_upward: bool = False
    n_hidden: int = 0  # first rows that are shown elsewhere

    @property
    def hidden_px(self) -> int:
        return self.n_hidden * ROW_PX

    @property
    def sign(self) -> int:
        """1 if rows grow down the screen, -1 if they grow up."""
        return -1 if self.is_upward else 1

    def content_px(self, n_rows: int) -> int:
        """Height of all rows that are shown."""
        return max(0, n_rows - self.n_hidden) * ROW_PX

    def offset_of(self, row: int) -> int:
        """The distance of a row from the first shown one, px."""
        return (row - self.n_hidden) * ROW_PX

    def top_of(self, row: int, top_px: float, height_px: int) -> float:
        """The upper edge of a row on a widget of this height."""
        return self.place(self.offset_of(row) - top_px, height_px)

    def place(self, offset_px: float, height_px: int) -> float:
        """The upper edge of a row ``offset_px`` away from the edge where the root is."""
        return height_px - offset_px - ROW_PX if self.is_upward else offset_px

    def row_at(self, y_px: float, top_px: float, height_px: int) -> int:
        """The row at a height of the widget, -1 if hidden; the graph may have fewer rows."""
        along_px = height_px - 1 - y_px if self.is_upward else y_px
        row = int((along_px + top_px) // ROW_PX) + self.n_hidden
        return row if row >= self.n_hidden else -1
