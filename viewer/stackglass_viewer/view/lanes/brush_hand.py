"""A span of time under the user's hand, by mouse and by keys."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.presenter.settings.span_choice import Span

_SETTLE_MS = 250  # after the last key: until then the span is drawn, and the views stay


class BrushHand(QObject):
    """Draws a span before it is chosen. GUI thread."""

    moved = Signal()  # another span is to be drawn
    chosen = Signal(object)  # Span: the user is done

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen: Span | None = None
        self._drawn: Span | None = None  # None = as chosen
        self._fixed_ns: int | None = None  # the end that stays while the other is dragged
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SETTLE_MS)
        self._timer.timeout.connect(self.release)

    @property
    def span(self) -> Span | None:
        """What is to be drawn."""
        return self._chosen if self._drawn is None else self._drawn

    @property
    def is_held(self) -> bool:
        """Whether the mouse draws it."""
        return self._fixed_ns is not None

    def show(self, span: Span | None) -> None:
        """Set the chosen span, which is drawn unless the user draws another."""
        self._chosen = span
        if not self.is_held and not self._timer.isActive():
            self._drawn = None
        self.moved.emit()

    def hold(self, fixed_ns: float) -> None:
        """The mouse begins to draw from a moment."""
        self._fixed_ns = round(fixed_ns)

    def drag(self, begin_ns: float, end_ns: float | None = None) -> None:
        """The mouse is at a moment, or over all of a stretch."""
        fixed = self._fixed_ns
        if fixed is None:
            return
        ends = [round(begin_ns), round(begin_ns if end_ns is None else end_ns), fixed]
        self._drawn = (min(ends), max(ends))
        self.moved.emit()

    def release(self) -> None:
        """Choose the span that was drawn."""
        self._fixed_ns = None
        self._timer.stop()
        drawn, self._drawn = self._drawn, None
        if drawn is not None and drawn[1] > drawn[0]:
            self._chosen = drawn
            self.chosen.emit(drawn)

    def cancel(self) -> bool:
        """Drop the drawn span; returns whether there was one."""
        was_drawing = self._drawn is not None
        self._fixed_ns = self._drawn = None
        self._timer.stop()
        if was_drawing:
            self.moved.emit()
        return was_drawing

    def draw(self, span: Span) -> None:
        """Keys draw another one; it is chosen when they rest."""
        self._drawn = span
        self._timer.start()
        self.moved.emit()
