"""Call graph widget: paints a call graph, and turns mouse and keys into moves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSizeF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.document.flame_scene import Direction, FrameDetails, Highlight
from stackglass_viewer.presenter.document.graph_scene import (
    CallGraphScene,
    GraphBox,
    details_of_box,
    details_of_edge,
    details_of_whole,
)
from stackglass_viewer.presenter.document.graph_walk import box_at, edge_at, neighbour_box
from stackglass_viewer.view.flame.accessible_boxes import describe_details
from stackglass_viewer.view.graph.camera import GraphCamera
from stackglass_viewer.view.graph.following import find_move
from stackglass_viewer.view.graph.keys import ACTIONS, ARROWS, PANS
from stackglass_viewer.view.graph.overview import GraphOverview
from stackglass_viewer.view.graph.painter import GraphPainter, Pointed
from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.pan_drag import PanDrag
from stackglass_viewer.view.widgets.placeholder import paint_placeholder
from stackglass_viewer.view.widgets.theme import Theme

_NOTCH = 120  # QWheelEvent.angleDelta of a notch
_SCROLL_PX = 60
_ZOOM_PER_NOTCH = 1.2
_REST_MS = 1200
_REACH_PX = 5.0  # greatest distance from the pointer to the arrow that it points at
_NOWHERE = QPointF(-1, -1)
_COMING = ("Drawing the call graph…", "")


class CallGraphView(QWidget):
    """A single widget that paints boxes and arrows: boxes are not widgets. GUI thread."""

    function_selected = Signal(int)  # frame; -1 = none
    action_requested = Signal(str, int)  # sandwich, source, editor or copy; frame
    menu_requested = Signal(int, QPoint)  # frame, place on the screen
    details_changed = Signal()  # another part is under the pointer, or is selected
    hold_requested = Signal(bool)  # True while the pointer moves: the layout must not change then
    step_requested = Signal(int)  # mouse button: -1 = back, 1 = forward

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 100)
        self.setAccessibleName("Call graph")
        self.camera = GraphCamera(self)
        self._theme = theme
        self._painter = GraphPainter(theme)
        self._overview = GraphOverview(theme)
        self._scene: CallGraphScene | None = None
        self._placeholder = ("", "")
        self._is_coming = False  # whether the first scene is being drawn
        self._pointed = Pointed()
        self._pointer = _NOWHERE
        self._selected = -1  # frame
        self._drag = PanDrag(self)
        self._is_in_overview = False
        self._has_begun = False  # whether the first scene was shown while the widget was visible
        self._rest = QTimer(self)  # runs until the pointer has rested for _REST_MS
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(lambda: self.hold_requested.emit(False))
        offer_parts(self, Parts(self._count, self._describe, self._find_box, self._find_current))
        self.camera.moved.connect(self.update)

    # -- what is shown

    @property
    def scene(self) -> CallGraphScene | None:
        return self._scene

    @property
    def selected(self) -> int:
        """The selected function; -1 = none."""
        return self._selected

    def show_scene(self, scene: CallGraphScene | None) -> None:
        """Show a graph. If the former graph was zoomed, a function keeps its place: the function
        under the pointer, else the selected one, else the one nearest to the middle."""
        self._is_coming = False
        old, self._scene = self._scene, scene
        self._painter.set_scene(scene)
        self._overview.set_scene(scene)
        if scene is not None:
            is_followed = old is not None and not self.camera.shows_all
            moved = None
            if old is not None and is_followed:
                pointed = old.boxes[self._pointed.box].frame if self._pointed.box >= 0 else -1
                middle = self.camera.visible.center()
                moved = find_move(old, scene, (pointed, self._selected), middle)
            self.camera.set_content(QSizeF(scene.width, scene.height), moved)
            if old is None:
                self._begin(scene)
        self._pointed = Pointed()
        self._point_at(self._pointer)
        self.update()
        self.details_changed.emit()

    def _begin(self, scene: CallGraphScene) -> None:
        """Begin at the selected function, else at the function with the greatest own value."""
        self._has_begun = self.isVisible()
        box = scene.box_of(self._selected)
        if box < 0:
            box = max(range(len(scene.boxes)), key=lambda at: abs(scene.boxes[at].own))
        self.camera.begin_at(_rect_of(scene.boxes[box]))

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that are shown without a graph."""
        if (title, text) != self._placeholder:  # callers set it with each status of a process
            self._placeholder = (title, text)
            self.update()

    def show_beginning(self) -> None:
        """Show that the first graph is being drawn."""
        self._is_coming = self._scene is None
        self.update()

    @property
    def placeholder(self) -> tuple[str, str]:
        """Title and text to show in the place of a graph."""
        return _COMING if self._is_coming else self._placeholder

    def set_highlight(self, highlight: Highlight) -> None:
        """Set which functions stand out: search matches, and the function selected in any view."""
        self._painter.set_highlight(highlight)
        self._selected = highlight.frame
        self.update()
        self.details_changed.emit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = self._overview.theme = theme
        self._painter.set_theme(theme)
        self.update()

    def go_to(self, frame: int) -> bool:
        """Make a function visible. Return False if the graph leaves it out."""
        scene = self._scene
        box = scene.box_of(frame) if scene is not None else -1
        if scene is None or box < 0:
            return False
        self.camera.reveal(_rect_of(scene.boxes[box]))
        return True

    def find_details(self) -> FrameDetails | None:
        """Return details of the part under the pointer, else of the selection, else of the whole
        graph."""
        scene, pointed = self._scene, self._pointed
        if scene is None:
            return None
        if pointed.edge >= 0:
            return details_of_edge(scene, pointed.edge)
        box = pointed.box if pointed.box >= 0 else scene.box_of(self._selected)
        return details_of_box(scene, box) if box >= 0 else details_of_whole(scene)

    @property
    def is_zoomed(self) -> bool:
        """Whether only a part of the graph is visible."""
        return self._scene is not None and not self.camera.shows_all

    def reset_zoom(self) -> None:
        """Show everything."""
        self.camera.show_all()

    def zoom_to(self, frame: int) -> None:
        """Centre a function at a scale at which it can be read."""
        scene = self._scene
        box = scene.box_of(frame) if scene is not None else -1
        if scene is not None and box >= 0:
            self.camera.zoom_to(_rect_of(scene.boxes[box]))

    def clear_selection(self) -> bool:
        """Clear the selection, if the function has a box; returns whether it has one."""
        was_selected = self._scene is not None and self._scene.box_of(self._selected) >= 0
        if was_selected:
            self.function_selected.emit(-1)
        return was_selected

    # -- the box or arrow under the pointer

    def _point_at(self, point: QPointF) -> None:
        self._pointer = point
        pointed, scene = Pointed(), self._scene
        if scene is not None and self.rect().contains(point.toPoint()):
            at = self.camera.to_graph(point)
            box = box_at(scene, (at.x(), at.y()))
            edge = -1
            if box < 0:
                edge = edge_at(scene, (at.x(), at.y()), _REACH_PX / self.camera.scale)
            pointed = Pointed(box, edge)
        if pointed != self._pointed:
            self._pointed = pointed
            self.update()
            self.details_changed.emit()

    def _frame_of(self, box: int) -> int:
        return self._scene.boxes[box].frame if self._scene is not None and box >= 0 else -1

    @property
    def _meant(self) -> int:
        """The function that keys act on: the one under the pointer, else the selected one."""
        pointed = self._frame_of(self._pointed.box)
        return pointed if pointed >= 0 else self._selected

    # -- for screen readers

    def _count(self) -> int:
        return len(self._scene.boxes) if self._scene is not None else 0

    def _describe(self, box: int) -> AccessiblePart | None:
        scene = self._scene
        if scene is None or box >= len(scene.boxes):
            return None
        details = details_of_box(scene, box)
        rect = self.camera.transform().mapRect(_rect_of(scene.boxes[box]))
        return AccessiblePart(
            make_printable(details.name), describe_details(details), rect.toRect()
        )

    def _find_box(self, point: QPoint) -> int:
        at = self.camera.to_graph(QPointF(point))
        return box_at(self._scene, (at.x(), at.y())) if self._scene is not None else -1

    def _find_current(self) -> int:
        return self._scene.box_of(self._selected) if self._scene is not None else -1

    # -- events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        scene = self._scene
        if scene is None:
            paint_placeholder(painter, self.rect(), self._theme, *self.placeholder)
        else:
            painter.fillRect(self.rect(), QColor(self._theme.flame_background))
            painter.setTransform(self.camera.transform(), True)
            self._painter.paint(
                painter,
                self.camera.scale,
                self.camera.visible,
                self._pointed,
                scene.box_of(self._selected),
            )
            painter.resetTransform()
            if not self.camera.shows_all:
                self._overview.paint(painter, QRectF(self.rect()), self.camera.visible)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.camera.settle()
        if self._scene is not None and not self._has_begun:
            self._begin(self._scene)

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels, notches = event.pixelDelta(), event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.camera.zoom_at(event.position(), _ZOOM_PER_NOTCH ** (notches.y() / _NOTCH))
        else:
            right_px = -float(pixels.x() or notches.x() / _NOTCH * _SCROLL_PX)
            down_px = -float(pixels.y() or notches.y() / _NOTCH * _SCROLL_PX)
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                right_px, down_px = right_px + down_px, 0.0
            self.camera.pan(right_px, down_px)
        self._point_at(event.position())
        event.accept()

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QNativeGestureEvent)
            and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture
        ):
            self.camera.zoom_at(event.position(), 1.0 + event.value())
            return True
        return super().event(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(_NOWHERE)

    def _hold(self) -> None:
        if not self._rest.isActive():
            self.hold_requested.emit(True)
        self._rest.start()

    def _is_over_overview(self, point: QPointF) -> bool:
        area = self._overview.place(QRectF(self.rect()))
        return self.is_zoomed and area.contains(point)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.BackButton:
            self.step_requested.emit(-1)
        elif event.button() == Qt.MouseButton.ForwardButton:
            self.step_requested.emit(1)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._is_in_overview = self._is_over_overview(event.position())
            if self._is_in_overview:
                self._look_at(event.position())
            else:
                self._drag.press(event.position())

    def _look_at(self, point: QPointF) -> None:
        self.camera.center_on(self._overview.to_graph(point, QRectF(self.rect())))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        self._hold()
        if self._is_in_overview:
            self._look_at(point)
            return
        delta = self._drag.move(point)
        if delta is not None:
            self.camera.pan(delta.x(), delta.y())
        else:
            self._point_at(point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._is_in_overview = False
        if self._drag.release():
            self._point_at(event.position())
            self.function_selected.emit(self._frame_of(self._pointed.box))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not self._is_over_overview(
            event.position()
        ):
            self._point_at(event.position())
            self.zoom_to(self._frame_of(self._pointed.box))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._point_at(QPointF(event.pos()))
        frame = self._frame_of(self._pointed.box)
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            frame = self._selected
        if frame >= 0:
            self.function_selected.emit(frame)
            self.menu_requested.emit(frame, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        plain = not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if event.matches(QKeySequence.StandardKey.Copy) and self._selected >= 0:
            self.action_requested.emit("copy", self._selected)
        elif not plain or self._scene is None:
            super().keyPressEvent(event)
        elif key in ARROWS:
            self._step(self._scene, ARROWS[key])
        elif key in PANS:
            self.camera.step_by(*PANS[key])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.camera.zoom_at(QPointF(self.rect().center()), _ZOOM_PER_NOTCH**2)
        elif key == Qt.Key.Key_Minus:
            self.camera.zoom_at(QPointF(self.rect().center()), _ZOOM_PER_NOTCH**-2)
        elif key == Qt.Key.Key_0:
            self.reset_zoom()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Z) and self._selected >= 0:
            self.zoom_to(self._selected)
        elif key in ACTIONS and self._meant >= 0:
            self.action_requested.emit(ACTIONS[key], self._meant)
        else:
            super().keyPressEvent(event)

    def _step(self, scene: CallGraphScene, direction: Direction) -> None:
        box = neighbour_box(scene, scene.box_of(self._selected), direction)
        if box >= 0:
            self.function_selected.emit(scene.boxes[box].frame)
            self.camera.reveal(_rect_of(scene.boxes[box]))
            announce_current(self)


def _rect_of(box: GraphBox) -> QRectF:
    return QRectF(box.left, box.top, box.width, box.height)
