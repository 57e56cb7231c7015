"""Flame graph widget: paints a flame graph, and turns mouse and keys into moves."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHideEvent,
    QImage,
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

from stackglass_viewer.presenter.document.flame_scene import (
    Direction,
    FlameScene,
    Highlight,
    find_in,
    neighbour,
    node_at,
)
from stackglass_viewer.view.flame.accessible_boxes import AccessibleBoxes
from stackglass_viewer.view.flame.camera import Camera
from stackglass_viewer.view.flame.keys import ARROWS, OPPOSITE, PANS, SCROLL_PX, ZOOMS
from stackglass_viewer.view.flame.painter import FlamePainter
from stackglass_viewer.view.flame.row_geometry import RowGeometry
from stackglass_viewer.view.widgets.accessible_parts import announce_current, offer_parts
from stackglass_viewer.view.widgets.pan_drag import PanDrag
from stackglass_viewer.view.widgets.theme import Theme

_NOTCH = 120  # QWheelEvent.angleDelta of a notch
_ZOOM_PER_NOTCH = 1.25
_NOWHERE = QPointF(-1, -1)


class FlameView(QWidget):
    """A single widget that paints all boxes: boxes are not widgets. GUI thread."""

    node_hovered = Signal(int)  # node; -1 = none
    node_selected = Signal(int)  # node that the user selected; -1 = none
    selection_shown = Signal()  # another node is selected, by whatever means
    menu_requested = Signal(int, QPoint)  # node, place on the screen
    view_changed = Signal()
    step_requested = Signal(int)  # mouse button: -1 = back, 1 = forward
    scene_changed = Signal()
    appearance_changed = Signal()  # the boxes or their colours changed
    copy_requested = Signal(int)  # node: copy its stack
    node_activated = Signal(int)  # double-click or Enter
    sandwich_requested = Signal(int)  # node: show its function's callers and callees
    source_requested = Signal(int)  # node: show its function's source
    editor_requested = Signal(int)  # node: open its function in the editor
    root_reached = Signal()  # an arrow key led to the root, whose row is hidden

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, geometry: RowGeometry | None = None
    ) -> None:
        """``geometry``: None = the root is at the top."""
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 100)
        self.setAccessibleName("Flame graph")
        self.camera = Camera(self, geometry if geometry is not None else RowGeometry())
        self._painter = FlamePainter(theme, self.camera.geometry)
        self._scene: FlameScene | None = None
        self._placeholder = ("", "")
        self._highlight = Highlight()
        self._hovered = -1
        self._selected = -1
        self._pointer = _NOWHERE
        self._is_selected_last = False  # whether a box was selected since the pointer moved
        self._drag = PanDrag(self)
        self._acts_on_selected: dict[Qt.Key, Callable[[int], None]] = {
            Qt.Key.Key_Return: self.node_activated.emit,
            Qt.Key.Key_Enter: self.node_activated.emit,
            Qt.Key.Key_Z: self.camera.zoom_to,
        }
        self._acts_on_pointed: dict[Qt.Key, Callable[[int], None]] = {
            Qt.Key.Key_C: self.sandwich_requested.emit,
            Qt.Key.Key_L: self.source_requested.emit,
            Qt.Key.Key_E: self.editor_requested.emit,
        }
        boxes = AccessibleBoxes(self, self.camera, lambda: self._scene, lambda: self._selected)
        offer_parts(self, boxes.parts)
        self.camera.moved.connect(self.update)
        self.camera.jumped.connect(self._on_jumped)
        self.camera.view_changed.connect(self.view_changed)

    # -- what is shown

    @property
    def scene(self) -> FlameScene | None:
        return self._scene

    @property
    def selected(self) -> int:
        """The selected node; -1 = none."""
        return self._selected

    @property
    def hovered(self) -> int:
        """The node under the pointer; -1 = none."""
        return self._hovered

    def set_scene(self, scene: FlameScene | None) -> None:
        """Show a refreshed graph. The view and the selection stay at their stacks."""
        old = self._scene
        if old is not None and scene is not None and old.is_inverted is not scene.is_inverted:
            self.start_over(scene)  # stacks run the other way
            return
        if scene is None or scene.over_time is not None:
            self._selected = -1  # over time, a node is one call: it has no counterpart
        elif old is not None and self._selected >= 0:
            self._selected = find_in(old.tree, self._selected, scene.tree)
        self._take(scene, is_refresh=True)

    def start_over(self, scene: FlameScene | None) -> None:
        """Show another graph as a whole, without a selection."""
        self._selected = -1
        self._take(scene, is_refresh=False)
        self.view_changed.emit()

    def _take(self, scene: FlameScene | None, is_refresh: bool) -> None:
        self._scene = scene
        self._painter.set_scene(scene)
        self.camera.show_scene(scene, is_refresh)
        self._on_jumped()
        self.scene_changed.emit()
        self.appearance_changed.emit()

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that are shown in the place of an empty graph."""
        if (title, text) != self._placeholder:  # callers set it with each status of a process
            self._placeholder = (title, text)
            self.update()

    def set_highlight(self, highlight: Highlight) -> None:
        """Set which functions stand out: search matches, and a function selected elsewhere."""
        self._highlight = highlight
        self._painter.set_highlight(highlight)
        self.update()
        self.appearance_changed.emit()

    def set_theme(self, theme: Theme) -> None:
        self._painter.set_theme(theme)
        self.update()

    def shorten_names(self, is_short: bool) -> None:
        """Choose whether boxes show names without package and module."""
        self._painter.shorten_names(is_short)
        self.update()

    def set_geometry(self, geometry: RowGeometry) -> None:
        """Set the direction in which rows grow."""
        self.camera.geometry = geometry
        self.camera.settle()
        self._painter.set_geometry(geometry)
        self._on_jumped()
        self.appearance_changed.emit()
        self.view_changed.emit()

    def draw_whole(self, width_px: int, height_px: int) -> QImage:
        """Draw the whole graph in ``width_px`` by ``height_px`` device pixels."""
        return self._painter.draw_whole(width_px, height_px)

    def select(self, node: int) -> None:
        """Select a node without ``node_selected``; -1 = none."""
        self._is_selected_last |= node != self._selected
        self._selected = node
        self.update()
        self.selection_shown.emit()

    def go_to(self, node: int) -> None:
        """Select a node without ``node_selected``, and bring the node into sight."""
        self.select(node)
        self.camera.reveal(node)

    # -- the box under the pointer

    def _node_at(self, point: QPointF) -> int:
        if self._scene is None or not self.rect().contains(point.toPoint()):
            return -1
        camera = self.camera
        row = camera.geometry.row_at(point.y(), camera.shown.top_px, self.height())
        return node_at(self._scene, row, camera.fraction_at(point.x()))

    def _on_jumped(self) -> None:
        self._hover_at(self._pointer)
        self.update()

    def _hover_at(self, point: QPointF) -> None:
        node = self._node_at(point)
        if node != self._hovered:
            self._hovered = node
            self.update()
            self.node_hovered.emit(node)

    # -- events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._scene is None or self._scene.layout.extent <= 0 or not self.camera.content_px():
            self._painter.paint_placeholder(painter, self.rect(), *self._placeholder)
        else:
            self._painter.paint(
                painter, self.rect(), self.camera.shown, self._hovered, self._selected
            )
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.camera.settle()
        self.view_changed.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        self._painter.release()

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels, notches = event.pixelDelta(), event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = _ZOOM_PER_NOTCH ** (notches.y() / _NOTCH)
            self.camera.zoom_at(event.position().x(), factor)
        else:
            right_px = -float(pixels.x() or notches.x() / _NOTCH * SCROLL_PX)
            down_px = -float(pixels.y() or notches.y() / _NOTCH * SCROLL_PX)
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                right_px, down_px = right_px + down_px, 0.0
            self.camera.pan(right_px, down_px)
        event.accept()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.camera.zoom_at(event.position().x(), 1.0 + event.value())
                return True
        elif event.type() == QEvent.Type.DevicePixelRatioChange:
            self.update()
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer, self._is_selected_last = event.position(), False
        self._hover_at(self._pointer)  # an open menu consumed the last moves
        if event.button() == Qt.MouseButton.BackButton:
            self.step_requested.emit(-1)
        elif event.button() == Qt.MouseButton.ForwardButton:
            self.step_requested.emit(1)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._drag.press(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = self._pointer = event.position()
        self._is_selected_last = False
        delta = self._drag.move(point)
        if delta is not None:
            self.camera.pan(delta.x(), delta.y())
        else:
            self._hover_at(point)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._drag.release():
            self._choose(self._node_at(event.position()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            node = self._node_at(event.position())
            if node >= 0:
                self.node_activated.emit(node)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = _NOWHERE
        self._hover_at(_NOWHERE)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        node = self._node_at(QPointF(event.pos()))
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            node = self._selected
        if node >= 0:
            self._choose(node)
            self.menu_requested.emit(node, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if event.matches(QKeySequence.StandardKey.Copy) and self._selected >= 0:
            self.copy_requested.emit(self._selected)
        elif held or self._scene is None or not self._act(Qt.Key(event.key())):
            super().keyPressEvent(event)

    def _act(self, key: Qt.Key) -> bool:
        """Run the command of a key. Return False if it has none."""
        pointed = self._find_pointed()
        if key in ARROWS:
            self._step(ARROWS[key])
        elif key in PANS:
            self.camera.step_by(*PANS[key])
        elif key in ZOOMS:
            self.camera.zoom_by(_ZOOM_PER_NOTCH ** ZOOMS[key])
        elif key == Qt.Key.Key_0:
            self.camera.reset_zoom()
            announce_current(self)
        elif key in self._acts_on_selected and self._selected >= 0:
            self._acts_on_selected[key](self._selected)
            announce_current(self)
        elif key in self._acts_on_pointed and pointed > 0:
            self._acts_on_pointed[key](pointed)
        else:
            return False
        return True

    def _find_pointed(self) -> int:
        """Return the node that a key acts on: the one under the pointer, unless a search or a key
        has selected another one since the pointer moved. Not above 0 = none."""
        is_hovered = self._hovered > 0 and not (self._is_selected_last and self._selected > 0)
        return self._hovered if is_hovered else self._selected

    def _step(self, direction: Direction) -> None:
        """Select the neighbour in an arrow key's direction on the screen."""
        assert self._scene is not None
        if self.camera.geometry.is_upward:
            direction = OPPOSITE.get(direction, direction)
        node = neighbour(self._scene, max(0, self._selected), direction)
        if node == 0 and self.camera.geometry.n_hidden:
            self.root_reached.emit()
            return
        self._choose(node)
        self.camera.reveal(node)
        announce_current(self)

    def enter(self) -> None:
        """Take the keyboard focus, and select the widest box of the first shown row."""
        self.setFocus()
        self._selected = 0
        self._step(ARROWS[Qt.Key.Key_Up if self.camera.geometry.is_upward else Qt.Key.Key_Down])

    def _choose(self, node: int) -> None:
        self.select(node)
        self.node_selected.emit(node)
