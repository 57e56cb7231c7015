"""Sandwich bar: the chosen function and its values, between its callers and its callees."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.units import format_change, format_share, format_value, make_printable
from stackglass_viewer.presenter.document.flame_scene import FrameDetails
from stackglass_viewer.view.widgets.shown_text import make_tip
from stackglass_viewer.view.widgets.text_fitter import TextFitter
from stackglass_viewer.view.widgets.theme import Theme, fixed_font

_HEIGHT_PX = 32
_INSET_PX = 10
_GAP_PX = 24


class SandwichBar(QWidget):
    """The bar looks like a box of the flame graph that has the full width."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(_HEIGHT_PX)
        self._theme = theme
        self._details: FrameDetails | None = None
        self._font = fixed_font()
        self._bold = QFont(self._font)
        self._bold.setBold(True)
        self._fitter = TextFitter(self._bold)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_details(self, details: FrameDetails | None) -> None:
        """Show a function's details; None = no function is chosen."""
        self._details = details
        name = make_printable(details.name) if details is not None else ""
        place = make_printable(details.place) if details is not None else ""
        self.setToolTip(make_tip(f"{name}\n{place}".strip()))
        self.setAccessibleName(f"{name}, {self.say()}" if details is not None else "")
        self.update()

    def say(self) -> str:
        """Return ``flat 1.2 s   cum 3.4 s   45.0%``; "" if no function is chosen."""
        details = self._details
        if details is None:
            return ""
        say = format_change if details.is_change else format_value
        own, total = (say(value, details.unit) for value in (details.own, details.total))
        share = "" if details.is_change else f"   {format_share(details.share)}"
        return f"flat {own}   cum {total}{share}"

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._details is None:
            painter.fillRect(self.rect(), QColor(self._theme.flame_background))
            painter.end()
            return
        painter.fillRect(self.rect().adjusted(0, 1, 0, -1), QColor(self._theme.chosen))
        painter.setPen(QColor(self._theme.label))
        metrics = QFontMetricsF(self._font)
        y_px = (self.height() + metrics.ascent() - metrics.descent()) / 2
        numbers = self.say()
        room_px = self.width() - 2 * _INSET_PX
        numbers_px = metrics.horizontalAdvance(numbers)
        painter.setFont(self._font)
        if numbers_px < room_px:
            painter.drawText(QPointF(self.width() - _INSET_PX - numbers_px, y_px), numbers)
            room_px -= round(numbers_px) + _GAP_PX
        painter.setFont(self._bold)
        name = self._fitter.fit(self._details.name, max(0, room_px), keeps_end=True)
        painter.drawText(QPointF(_INSET_PX, y_px), name)
        painter.end()
