"""Brush: the span of time that the user draws by mouse or keys, before it is chosen."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.presenter.settings.span_choice import Span

_SETTLE_MS = 250  # from the last key until the span is chosen, which updates all views


class SpanBrush(QObject):
    """The brush that lanes and heat map share; both paint its ``span``.

    ::

        mouse   hold ─▶ drag … ─▶ release ─▶ chosen
        keys    draw … ─── 250 ms without a key ─▶ chosen
    """

    moved = Signal()  # the span to paint changed
    chosen = Signal(object)  # Span: the user has finished it

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen: Span | None = None
        self._drawn: Span | None = None  # None = the user draws none
        self._fixed_ns: int | None = None  # the end that stays while the other is dragged
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SETTLE_MS)
        self._timer.timeout.connect(self.release)

    @property
    def span(self) -> Span | None:
        """The span to paint: the drawn one, else the chosen one, None = neither."""
        return self._chosen if self._drawn is None else self._drawn

    @property
    def is_held(self) -> bool:
        """Whether the mouse draws a span."""
        return self._fixed_ns is not None

    def show(self, span: Span | None) -> None:
        """Set the chosen span, which is painted unless the user draws another."""
        self._chosen = span
        if not self.is_held and not self._timer.isActive():
            self._drawn = None
        self.moved.emit()

    def hold(self, fixed_ns: float) -> None:
        """Begin to draw by mouse; ``fixed_ns``: the end that stays."""
        self._fixed_ns = round(fixed_ns)
        self._timer.stop()  # of keys just before, which would end the drag

    def drag(self, begin_ns: float, end_ns: float | None = None) -> None:
        """Extend the span from the fixed end to the mouse, at ``begin_ns``.

        With ``end_ns``, the span also includes all from ``begin_ns`` to ``end_ns``.
        """
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
        """Draw a span by keys. It is chosen after ``_SETTLE_MS`` without another call."""
        self._drawn = span
        self._timer.start()
        self.moved.emit()
