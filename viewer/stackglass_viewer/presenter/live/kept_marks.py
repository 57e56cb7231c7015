"""Marks of a session's timeline, as its file keeps them."""

from __future__ import annotations

from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.session.notes import Marks
from stackglass_viewer.presenter.live.timeline_markers import TimelineMarkers


def read_marks(markers: TimelineMarkers) -> Marks | None:
    """Return the chosen span or growth; None = all of the time is shown."""
    window = markers.marks.window
    if window is None:
        return None
    end_ns = None if window.until is None else window.until * UNIT_NS
    return Marks("growth" if window.kind == "growth" else "span", window.after * UNIT_NS, end_ns)


def apply_marks(marks: Marks, markers: TimelineMarkers) -> None:
    """Choose a span or growth again."""
    begin, end = marks.begin_ns // UNIT_NS, None
    if marks.end_ns is not None:
        end = -(-marks.end_ns // UNIT_NS)
    if marks.kind == "growth":
        markers.choose_growth(begin, end)
    elif end is not None:
        markers.choose_span(begin, end)
