"""Base class of small charts: keys move from bar to bar, and screen readers read each bar."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.shown_text import show_tip

_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Down: 1,
}


class PaintedBars(QWidget):
    """A chart that takes the focus by Tab while it has bars. The bar that keys act on has a frame,
    and its tool tip is shown."""

    begins_at_end = False
    """Whether keys begin at the last bar."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """``name``: the chart's, for screen readers."""
        super().__init__(parent)
        self._chosen_bar = -1  # that keys have chosen; -1 = none yet
        self.setAccessibleName(name)
        offer_parts(
            self,
            Parts(self._count_bars, self._describe_bar, self._find_bar, lambda: self._current_bar),
        )

    # -- what a chart has to say

    @abstractmethod
    def _count_bars(self) -> int:
        """Return the number of bars."""

    @abstractmethod
    def _place_bar(self, bar: int) -> QRect:
        """Return the area of a bar, with the room above it."""

    @abstractmethod
    def _name_bar(self, bar: int) -> tuple[str, str]:
        """Return name and value of a bar."""

    @abstractmethod
    def _find_bar(self, point: QPoint) -> int:
        """Return the bar at a pixel; -1 = none."""

    def _tell_bar(self, bar: int) -> str:
        """Return the tool tip of a bar; "" = none."""
        return ""

    # -- what it gets

    def _follow_bars(self, n_shifted: int = 0) -> None:
        """Note that there are other bars. ``n_shifted``: how many places the old bars have moved
        towards the end."""
        if self._chosen_bar >= 0:
            self._chosen_bar = max(self._chosen_bar + n_shifted, 0)
        has_bars = self._count_bars() > 0
        policy = Qt.FocusPolicy.TabFocus if has_bars else Qt.FocusPolicy.NoFocus
        if policy != self.focusPolicy():
            self.setFocusPolicy(policy)
        self.update()

    @property
    def _current_bar(self) -> int:
        """The bar that keys act on; -1 = there is none."""
        last = self._count_bars() - 1
        first = last if self.begins_at_end else min(last, 0)
        return min(self._chosen_bar, last) if self._chosen_bar >= 0 else first

    def _describe_bar(self, bar: int) -> AccessiblePart | None:
        if not 0 <= bar < self._count_bars():
            return None
        return AccessiblePart(*self._name_bar(bar), self._place_bar(bar))

    def _paint_current(self, painter: QPainter, colour: str) -> None:
        """Paint the frame of the bar that keys act on, while the chart has the focus."""
        if self.hasFocus() and self._current_bar >= 0:
            painter.setPen(QColor(colour))
            painter.drawRect(self._place_bar(self._current_bar).adjusted(0, 0, -1, -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, last = Qt.Key(event.key()), self._count_bars() - 1
        if last < 0 or key not in (*_STEPS, Qt.Key.Key_Home, Qt.Key.Key_End):
            event.ignore()
            return
        ends = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        bar = ends.get(key, self._current_bar + _STEPS.get(key, 0))
        self._chosen_bar = min(max(bar, 0), last)
        self.update()
        self._on_bar_reached(self._place_bar(self._chosen_bar))
        announce_current(self)

    def _on_bar_reached(self, place: QRect) -> None:
        """Show the tool tip of the bar that keys have reached."""
        text = self._tell_bar(self._chosen_bar)
        if text:
            show_tip(self.mapToGlobal(place.bottomLeft()), text, self)
        else:
            QToolTip.hideText()
