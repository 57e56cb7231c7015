"""Span choice of a tab: the two moments between which samples are shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.units import count_decimals, format_clock, format_value

Span = tuple[int, int]
_LEAST_NS = 1
_CLOCK_FROM_NS = 60_000_000_000


def describe_moment(at_ns: int) -> str:
    """Return ``1.25 s`` or ``2:05.3``."""
    if at_ns < _CLOCK_FROM_NS:
        return format_value(at_ns, "nanoseconds")
    return format_clock(at_ns / 1e9)


def describe_span(span: Span) -> str:
    """Return ``1.20 s to 3.40 s (2.20 s)``."""
    length_ns = span[1] - span[0]
    first, last = map(describe_moment, span)
    if first == last and length_ns:
        decimals = count_decimals(length_ns)
        first, last = (_describe_exactly(each, decimals) for each in span)
    return f"{first} to {last} ({format_value(length_ns, 'nanoseconds')})"


def _describe_exactly(at_ns: int, decimals: int) -> str:
    if at_ns < _CLOCK_FROM_NS:
        return f"{at_ns / 1e9:.{decimals}f} s"
    return format_clock(at_ns / 1e9, decimals)


class SpanChoice(QObject):
    """Keeps the chosen span. GUI thread. Times are ns since a file's first moment, or since the
    start of a session."""

    changed = Signal()  # the views have to be built again
    chosen_changed = Signal(object)  # Span; None = all of the time
    moved = Signal()  # the timeline has changed the span, perhaps while it is dragged or replayed

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.chosen: Span | None = None
        self._is_choosing = False

    def choose(self, span: Span | None) -> None:
        """Choose a span, with its ends in any order; None = all of the time."""
        if span is not None:
            begin, end = sorted(span)
            span = (begin, max(end, begin + _LEAST_NS))
        self._is_choosing = True
        is_new = self._set(span)
        self._is_choosing = False
        if is_new:
            self.changed.emit()

    def follow(self, span: Span | None) -> None:
        """Take the span of the timeline, for which the views are built already."""
        if self._set(span) and not self._is_choosing:
            self.moved.emit()

    def _set(self, span: Span | None) -> bool:
        """Set the span. Returns False if it is the same."""
        if span == self.chosen:
            return False
        self.chosen = span
        self.chosen_changed.emit(span)
        if self.chosen != span:
            # A timeline has shortened the span: listeners after it must get the shortened one last.
            self.chosen_changed.emit(self.chosen)
        return True

    def drop(self) -> None:
        """Show all of the time."""
        self.choose(None)
