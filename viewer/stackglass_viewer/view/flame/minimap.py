"""Minimap of a flame graph: the whole graph in a corner, with the visible part marked."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHideEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.model.units import format_share
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.widgets.theme import Theme

_WIDTH_PX, _MOST_PX, _ROW_PX = 220, 84, 3  # width, greatest height, height of a row
_LEAST_PX = 24  # least height, if there are few rows
_SHARE = 0.25  # greatest share of the graph's width and height
_GRAPH_PX = (400, 140)  # least width and height of a graph that has a minimap
_MARGIN_PX, _FRAME_PX = 10, 1
_LEAST_SIGHT_PX = 4.0  # least width and height of the mark of the visible part
_STEP, _ZOOM = 0.25, 1.5625  # of a key: share of the visible part; zoom factor


class Minimap(QWidget):
    """The minimap is shown while only a part of the graph is visible.

    A drag that begins within the marked part moves it, a drag beside it marks another part, and a
    click centres the part there.
    """

    def __init__(self, graph: FlameView, theme: Theme) -> None:
        super().__init__(graph)
        self._graph = graph
        self._theme = theme
        self._image: QImage | None = None  # None = it has to be drawn again
        self._is_wanted = True
        self._pressed_at: QPointF | None = None
        self._moved_from: View | None = None  # the view before the drag that moves it
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Minimap")
        self.setToolTip(
            "The whole graph, and the part in sight: drag it, or draw another part\n"
            "(M; arrow keys move, + and − zoom, 0 shows everything)"
        )
        graph.camera.moved.connect(self._follow)
        graph.view_changed.connect(self._follow)
        graph.appearance_changed.connect(self._forget)
        graph.installEventFilter(self)
        self.hide()

    def set_wanted(self, is_wanted: bool) -> None:
        """Choose whether the minimap may be shown at all."""
        self._is_wanted = is_wanted
        self._follow()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._forget()

    def _forget(self) -> None:
        """Drop the image, since the graph's content or colours changed."""
        self._image = None
        self._follow()

    # -- its place

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._follow()
        return False

    def _follow(self) -> None:
        graph = self._graph
        scene = graph.scene
        has_room = graph.width() >= _GRAPH_PX[0] and graph.height() >= _GRAPH_PX[1]
        is_shown = self._is_wanted and has_room and scene is not None and graph.camera.is_zoomed
        if is_shown and scene is not None:
            n_rows = max(scene.layout.n_rows, 1)
            row_px = max(_ROW_PX, _LEAST_PX // n_rows)
            most_px = min(_MOST_PX, round(_SHARE * graph.height()))
            height_px = min(n_rows * row_px, most_px) + 2 * _FRAME_PX
            width_px = min(_WIDTH_PX, round(_SHARE * graph.width())) + 2 * _FRAME_PX
            left_px = graph.width() - width_px - _MARGIN_PX
            top_px = graph.height() - height_px - _MARGIN_PX
            if graph.camera.geometry.is_upward:
                top_px = _MARGIN_PX
            self.setGeometry(left_px, top_px, width_px, height_px)
            self._say()
            self.update()
        self.setVisible(is_shown)

    def _say(self) -> None:
        """Describe the visible part for screen readers."""
        view = self._graph.camera.navigation.view
        self.setAccessibleDescription(
            f"In sight: {format_share(view.left)} to {format_share(view.right)} of the width"
        )

    def hideEvent(self, event: QHideEvent) -> None:
        if self.hasFocus():
            self._graph.setFocus()

    @property
    def _area(self) -> QRectF:
        inset = float(_FRAME_PX)
        return QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)

    @property
    def sight(self) -> QRectF:
        """The visible part of the graph, in pixels of the minimap."""
        area, view, camera = self._area, self._graph.camera.shown, self._graph.camera
        content_px = max(camera.content_px(), 1)
        top = min(view.top_px / content_px, 1.0)
        bottom = min((view.top_px + self._graph.height()) / content_px, 1.0)
        if camera.geometry.is_upward:
            top, bottom = 1.0 - bottom, 1.0 - top
        width = max(view.span * area.width(), _LEAST_SIGHT_PX)
        left = area.left() + (view.left + view.right) / 2 * area.width() - width / 2
        left = min(max(left, area.left()), area.right() - width)
        height = max((bottom - top) * area.height(), _LEAST_SIGHT_PX)
        return QRectF(left, area.top() + top * area.height(), width, height)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ratio, area = self.devicePixelRatioF(), self._area
        width_px, height_px = round(area.width() * ratio), round(area.height() * ratio)
        image = self._image
        if image is None or (image.width(), image.height()) != (width_px, height_px):
            image = self._image = self._graph.draw_whole(width_px, height_px)
        painter.drawImage(area, image)
        sight = self.sight
        veil = QColor(self._theme.flame_background)
        veil.setAlphaF(0.55)
        for beside in (
            QRectF(area.left(), area.top(), sight.left() - area.left(), area.height()),
            QRectF(sight.right(), area.top(), area.right() - sight.right(), area.height()),
        ):
            painter.fillRect(beside, veil)
        painter.setPen(QPen(QColor(self._theme.selection), 1.5))
        painter.drawRect(sight.adjusted(0.5, 0.5, -0.5, -0.5))
        frame = self._theme.accent if self.hasFocus() else self._theme.strong_border
        painter.setPen(QPen(QColor(frame), 1))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    # -- moves

    def _fraction_at(self, point: QPointF) -> float:
        area = self._area
        return min(max((point.x() - area.left()) / area.width(), 0.0), 1.0)

    def _top_at(self, point: QPointF) -> float:
        """Return the ``top_px`` of a view that has ``point`` at its middle height."""
        area, camera = self._area, self._graph.camera
        share = (point.y() - area.top()) / area.height()
        if camera.geometry.is_upward:
            share = 1.0 - share
        return share * camera.content_px() - self._graph.height() / 2

    def _show(self, left: float, right: float, top_px: float) -> None:
        self._graph.camera.restore(View(left, right, top_px))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.position()
            is_inside = self.sight.contains(event.position())
            self._moved_from = self._graph.camera.navigation.view if is_inside else None
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        begin, point = self._pressed_at, event.position()
        if begin is None:
            return
        if self._moved_from is not None:
            view, area = self._moved_from, self._area
            moved = (point.x() - begin.x()) / area.width()
            down_px = (point.y() - begin.y()) / area.height() * self._graph.camera.content_px()
            down_px *= self._graph.camera.geometry.sign
            self._show(view.left + moved, view.right + moved, view.top_px + down_px)
        elif abs(point.x() - begin.x()) >= QApplication.startDragDistance():
            ends = sorted((self._fraction_at(begin), self._fraction_at(point)))
            self._show(ends[0], ends[1], self._graph.camera.navigation.view.top_px)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        begin, self._pressed_at = self._pressed_at, None
        if begin is None or self._moved_from is not None:
            return
        if (event.position() - begin).manhattanLength() < QApplication.startDragDistance():
            middle, view = self._fraction_at(begin), self._graph.camera.navigation.view
            left = middle - view.span / 2
            self._show(left, left + view.span, self._top_at(begin))
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()  # else the graph below would zoom to a frame

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        camera = self._graph.camera
        view = camera.navigation.view
        row_px = self._graph.height() * _STEP
        match event.key():
            case Qt.Key.Key_Left:
                camera.step_by(-_STEP, 0.0)
            case Qt.Key.Key_Right:
                camera.step_by(_STEP, 0.0)
            case Qt.Key.Key_Up:
                camera.step_by(0.0, -row_px)
            case Qt.Key.Key_Down:
                camera.step_by(0.0, row_px)
            case Qt.Key.Key_Home:
                self._show(0.0, view.span, view.top_px)
            case Qt.Key.Key_End:
                self._show(1.0 - view.span, 1.0, view.top_px)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                camera.zoom_by(_ZOOM)
            case Qt.Key.Key_Minus:
                camera.zoom_by(1 / _ZOOM)
            case Qt.Key.Key_0:
                camera.reset_zoom()
            case _:
                super().keyPressEvent(event)
