"""Navigation in a flame graph: zoom and pan.

Three spaces::

    value units  0 … total of the root            (model.graph.flame_layout)
    fraction     0 … 1 of the root                (here: survives a live refresh)
    pixels       0 … width of the widget; rows count downwards from the root

The view belongs to the frame that was zoomed to: a refresh moves every box, and ``follow`` moves
the view along with its frame.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

_MIN_SPAN = 2.0**-40  # below it, neighbouring pixels have the same float64


@dataclass(frozen=True, slots=True)
class View:
    """The visible part of the graph."""

    left: float = 0.0  # fraction of the root
    right: float = 1.0  # fraction of the root
    top_px: float = 0.0  # how far the view is scrolled down

    @property
    def span(self) -> float:
        return self.right - self.left


def _clamp(view: View) -> View:
    span = min(1.0, max(_MIN_SPAN, view.span))
    left = min(max(0.0, view.left), 1.0 - span)
    return View(left, left + span, max(0.0, view.top_px))


class Navigation:
    """The current view. It holds state only. GUI thread."""

    def __init__(self) -> None:
        self._view = View()

    @property
    def view(self) -> View:
        return self._view

    def zoom_at(self, fraction: float, factor: float) -> None:
        """Zoom by ``factor`` (above 1: closer) with the point at ``fraction`` of the root fixed."""
        view = self._view
        span = min(1.0, max(_MIN_SPAN, view.span / factor))
        share = (fraction - view.left) / view.span
        left = fraction - share * span
        self._view = _clamp(View(left, left + span, view.top_px))

    def pan(self, fraction: float, down_px: float) -> None:
        """Move the view by a fraction of the root to the right and by pixels down."""
        view = self._view
        left = view.left + fraction
        self._view = _clamp(View(left, left + view.span, view.top_px + down_px))

    def scroll_to(self, top_px: float) -> None:
        self._view = _clamp(replace(self._view, top_px=top_px))

    def show(self, left: float, right: float, top_px: float) -> None:
        """Set the view."""
        self._view = _clamp(View(left, right, top_px))

    def reset(self) -> None:
        self.show(0.0, 1.0, 0.0)

    def follow(self, old_left: float, old_right: float, left: float, right: float) -> None:
        """Move along with a box that a refresh moved from the old to the new fractions."""
        view = self._view
        old_span = old_right - old_left
        if old_span <= 0 or right <= left:
            return
        scale = (right - left) / old_span
        self._view = _clamp(
            View(
                left + (view.left - old_left) * scale,
                left + (view.right - old_left) * scale,
                view.top_px,
            )
        )

    def limit_scroll(self, content_px: float, height_px: float) -> None:
        """Do not scroll beyond the last row."""
        top_px = min(self._view.top_px, max(0.0, content_px - height_px))
        self._view = replace(self._view, top_px=top_px)
