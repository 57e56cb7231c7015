"""Camera of a call graph: the part that a widget shows, and its scale."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, QSizeF, QVariantAnimation, Signal
from PySide6.QtGui import QTransform
from PySide6.QtWidgets import QWidget

_ZOOM_MS = 160
_MARGIN_PX = 24.0
_BEYOND = 0.2  # share of the visible part that may lie beyond the graph's edge
_LARGEST = 3.0  # greatest scale
_LEGIBLE = 0.7  # least scale at which the smallest text can be read
_USUAL = 0.8  # first scale of a graph that is not legible as a whole


@dataclass(frozen=True, slots=True)
class _Place:
    """A view: the point at the widget's centre, and pixels per unit of the graph."""

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0


class GraphCamera(QObject):
    """Converts between the scene's units and the widget's pixels, and moves the view."""

    moved = Signal()  # paint again
    view_changed = Signal()  # the view, or the target of an animation, changed

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._size = QSizeF()
        self._shown = self._origin = self._target = _Place()
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setDuration(_ZOOM_MS)
        self._animation.valueChanged.connect(self._on_animated)

    # -- coordinates

    @property
    def scale(self) -> float:
        """Pixels per unit of the graph."""
        return self._shown.scale

    def transform(self) -> QTransform:
        """Return the transform from the graph's units to the widget's pixels."""
        shown = self._shown
        made = QTransform()
        made.translate(self._widget.width() / 2, self._widget.height() / 2)
        made.scale(shown.scale, shown.scale)
        made.translate(-shown.x, -shown.y)
        return made

    def to_graph(self, point: QPointF) -> QPointF:
        """Return the point of the graph at a pixel of the widget."""
        shown = self._shown
        return QPointF(
            shown.x + (point.x() - self._widget.width() / 2) / shown.scale,
            shown.y + (point.y() - self._widget.height() / 2) / shown.scale,
        )

    @property
    def visible(self) -> QRectF:
        """The part of the graph that the widget shows."""
        return self._rect_of(self._shown)

    @property
    def shows_all(self) -> bool:
        """Whether the whole graph is visible, or will be when the animation ends."""
        everything = QRectF(QPointF(), self._size)
        return self._rect_of(self._target).adjusted(-1, -1, 1, 1).contains(everything)

    def _rect_of(self, place: _Place) -> QRectF:
        width = self._widget.width() / place.scale
        height = self._widget.height() / place.scale
        return QRectF(place.x - width / 2, place.y - height / 2, width, height)

    # -- moves

    def set_content(self, size: QSizeF, moved_by: QPointF | None) -> None:
        """Set the graph's size.

        ``moved_by``: how far the function to keep in place has moved, in the graph's units; None =
        show the whole graph.
        """
        self._size = size
        if moved_by is None:
            self._jump(self._fit())
        else:
            shown = self._target
            self._jump(
                self._limit(_Place(shown.x + moved_by.x(), shown.y + moved_by.y(), shown.scale))
            )

    def begin_at(self, box: QRectF) -> None:
        """Show the whole graph if all of it is legible, else the outer of ``box``."""
        fit = self._fit()
        if fit.scale >= _LEGIBLE:
            self._jump(fit)
        else:
            center = box.center()
            self._jump(self._limit(_Place(center.x(), center.y(), _USUAL), beyond=0.02))

    def show_all(self) -> None:
        self._go(self._fit())

    def zoom_at(self, point: QPointF, factor: float) -> None:
        """Zoom by ``factor`` about ``point``, a pixel of the widget."""
        fixed = self.to_graph(point)
        shown = self._shown
        scale = min(max(shown.scale * factor, self._smallest()), _LARGEST)
        share = shown.scale / scale
        x = fixed.x() + (shown.x - fixed.x()) * share
        y = fixed.y() + (shown.y - fixed.y()) * share
        self._jump(self._limit(_Place(x, y, scale)))

    def pan(self, right_px: float, down_px: float) -> None:
        """Move the view by pixels, at once."""
        shown = self._shown
        moved = _Place(
            shown.x + right_px / shown.scale, shown.y + down_px / shown.scale, shown.scale
        )
        self._jump(self._limit(moved))

    def step_by(self, right: float, down: float) -> None:
        """Move the view by shares of its size, animated."""
        target = self._target
        visible = self._rect_of(target)
        self._go(
            self._limit(
                _Place(
                    target.x + right * visible.width(),
                    target.y + down * visible.height(),
                    target.scale,
                )
            )
        )

    def center_on(self, point: QPointF) -> None:
        """Center a point of the graph, at once."""
        self._jump(self._limit(_Place(point.x(), point.y(), self._target.scale)))

    def zoom_to(self, box: QRectF) -> None:
        """Centre a box at a scale at which it can be read."""
        center = box.center()
        scale = max(self._target.scale, _USUAL)
        self._go(self._limit(_Place(center.x(), center.y(), scale)))

    def reveal(self, box: QRectF) -> None:
        """Move only until a box is visible; if the box is not legible, zoom to it."""
        target = self._target
        if target.scale < _LEGIBLE:
            self.zoom_to(box)
            return
        margin = _MARGIN_PX / target.scale
        wanted = box.adjusted(-margin, -margin, margin, margin)
        visible = self._rect_of(target)
        x = _shift(visible.left(), visible.right(), wanted.left(), wanted.right())
        y = _shift(visible.top(), visible.bottom(), wanted.top(), wanted.bottom())
        if x or y:
            self._go(self._limit(_Place(target.x + x, target.y + y, target.scale)))

    def settle(self) -> None:
        """Keep the view within its limits after the widget's size has changed."""
        self._jump(self._limit(self._target))

    def _fit(self) -> _Place:
        return _Place(self._size.width() / 2, self._size.height() / 2, self._smallest())

    def _smallest(self) -> float:
        """Return the scale at which the whole graph is visible, at most 1."""
        if self._size.isEmpty():
            return 1.0
        room = 2 * _MARGIN_PX
        return min(
            max(self._widget.width() - room, 1) / self._size.width(),
            max(self._widget.height() - room, 1) / self._size.height(),
            1.0,
        )

    def _limit(self, place: _Place, beyond: float = _BEYOND) -> _Place:
        """Return ``place`` moved so that the view reaches only a little beyond the graph's edge.

        A graph that fits is centred.
        """
        scale = max(place.scale, self._smallest())
        x = _keep_within(place.x, self._size.width(), self._widget.width() / scale, beyond)
        y = _keep_within(place.y, self._size.height(), self._widget.height() / scale, beyond)
        return _Place(x, y, scale)

    def _go(self, place: _Place) -> None:
        if not self._widget.isVisible():
            self._jump(place)
            return
        self._origin, self._target = self._shown, place
        self._animation.stop()
        self._animation.start()
        self.view_changed.emit()

    def _jump(self, place: _Place) -> None:
        self._animation.stop()
        self._shown = self._target = place
        self.moved.emit()
        self.view_changed.emit()

    def _on_animated(self, progress: float) -> None:
        eased = 1 - (1 - progress) ** 3
        start, end = self._origin, self._target
        self._shown = _Place(
            start.x + (end.x - start.x) * eased,
            start.y + (end.y - start.y) * eased,
            start.scale + (end.scale - start.scale) * eased,
        )
        self.moved.emit()


def _keep_within(center: float, size: float, visible: float, beyond: float) -> float:
    if visible >= size:
        return size / 2
    least = visible * (0.5 - beyond)
    return min(max(center, least), size - least)


def _shift(low: float, high: float, wanted_low: float, wanted_high: float) -> float:
    if wanted_low < low:
        return wanted_low - low
    return max(0.0, min(wanted_high - high, wanted_low - low))
