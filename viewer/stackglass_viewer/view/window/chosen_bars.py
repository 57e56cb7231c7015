"""Chosen bars: the bars of all filters, beside each other where they fit, else in several rows.

::

    │ Time  0:10–0:20 × │ Threads  worker × │ Filters  only render × │
    ├───────────────────┴───────────────────┴────────────────────────┤
    │ Only  route = /cart ×                                          │
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

_SHOWN = (QEvent.Type.ShowToParent, QEvent.Type.HideToParent)


class ChosenBars(QWidget):
    """A container that sets its own height by the rows that its visible bars take; 0 = none.

    A layout that wraps, whose height depends on its width, took room from the timeline. The
    container stays visible without bars, so that it always knows its width.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(0)
        self._bars: list[QWidget] = []  # from the left

    def add(self, bar: QWidget, place: int | None = None) -> None:
        """Add a bar, which stays hidden or shown as it is. ``place``: its place from the left;
        None = the last."""
        self._bars.insert(len(self._bars) if place is None else place, bar)
        if bar.parentWidget() is not self:
            bar.setParent(self)
        bar.installEventFilter(self)
        for each in self._bars:  # Tab goes through them in this order
            each.raise_()
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _SHOWN:
            self._arrange()
        return False

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a bar has other chips
            self._arrange()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        shown = [bar for bar in self._bars if not bar.isHidden()]
        hints = [bar.sizeHint() for bar in shown]
        y_px = 0
        for row in fill_rows([hint.width() for hint in hints], self.width()):
            height_px = max(hints[number].height() for number in row)
            x_px = 0
            for number in row:
                is_last = number == row[-1]
                width_px = self.width() - x_px if is_last else hints[number].width()
                shown[number].setGeometry(x_px, y_px, width_px, height_px)
                x_px += width_px
            y_px += height_px
        if y_px != self.height():
            self.setFixedHeight(y_px)


def fill_rows(widths_px: Sequence[int], room_px: int) -> Iterator[range]:
    """Yield the items of each row, in order: as many as fit into ``room_px``, at least one."""
    first, used_px = 0, 0
    for number, width_px in enumerate(widths_px):
        if number > first and used_px + width_px > room_px:
            yield range(first, number)
            first, used_px = number, 0
        used_px += width_px
    if widths_px:
        yield range(first, len(widths_px))
