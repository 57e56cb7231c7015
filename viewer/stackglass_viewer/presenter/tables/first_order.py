"""First order: how the first click on a column's title sorts. Without numpy, for the start page."""

from __future__ import annotations

from PySide6.QtCore import Qt


def choose_first_order(is_text: bool) -> Qt.SortOrder:
    """Return the order of the first click on a column: texts from A, numbers from the largest."""
    return Qt.SortOrder.AscendingOrder if is_text else Qt.SortOrder.DescendingOrder
