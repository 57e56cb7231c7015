"""Brush of a process's tab: keeps the span chosen over time and the timeline's span the same."""

from __future__ import annotations

from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarkers
from stackglass_viewer.presenter.settings.span_choice import Span, SpanChoice


def tie(brush: SpanChoice, markers: TimelineMarkers) -> None:
    """Make ``brush`` and ``markers`` follow each other."""
    brush.chosen_changed.connect(lambda span: _mark(markers, span))
    markers.window_changed.connect(lambda window: brush.follow(_find_span(window)))


def _mark(markers: TimelineMarkers, span: Span | None) -> None:
    if span == _find_span(markers.marks.window):
        return  # the span came from the markers
    if span is not None:
        markers.choose_span(span[0] // UNIT_NS, -(-span[1] // UNIT_NS))
    elif markers.marks.mode == "span":
        markers.choose_mode("now")


def _find_span(window: HeapWindow | None) -> Span | None:
    if window is None or window.kind == "growth" or window.until is None:
        return None
    return window.after * UNIT_NS, window.until * UNIT_NS
