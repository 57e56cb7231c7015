"""The flame graph as a widget: takes mouse and keys, shows what ``flame_painter`` paints."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import (
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
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.presenter.document.flame_scene import (
    Direction,
    FlameScene,
    Highlight,
    anchor_of,
    extent_of,
    find_in,
    neighbour,
    node_at,
)
from stackglass_viewer.presenter.document.navigation import Navigation, View
from stackglass_viewer.view.flame.keys import ARROWS, OPPOSITE, PANS, SCROLL_PX
from stackglass_viewer.view.flame.painter import FlamePainter
from stackglass_viewer.view.flame.row_geometry import ROW_PX, Stacking
from stackglass_viewer.view.flame.zoom_animation import Glide
from stackglass_viewer.view.widgets.theme import Theme

_NOTCH = 120  # of QWheelEvent.angleDelta
_ZOOM_PER_NOTCH = 1.25
_CONTEXT_ROWS = 3  # callers left visible above the frame one zooms to

_NOWHERE = QPointF(-1, -1)


class FlameView(QWidget):
    """One painted widget, whatever the number of nodes. GUI thread."""

    node_hovered = Signal(int)  # node; -1 = none
    node_selected = Signal(int)  # node; -1 = none
    menu_requested = Signal(int, QPoint)  # node, place on the screen
    view_changed = Signal()
    scene_changed = Signal()
    escape_pressed = Signal()
    copy_requested = Signal(int)  # node whose stack is wanted
    node_activated = Signal(int)  # double-click or Enter
    sandwich_requested = Signal(int)  # node whose function's callers and callees are wanted
    root_reached = Signal()  # an arrow key led to a row that is hidden here

    def __init__(
        self, theme: Theme, parent: QWidget | None = None, stacking: Stacking | None = None
    ) -> None:
        """``stacking`` None: the root on top."""
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Flame graph")
        self.navigation = Navigation()
        self.stacking = stacking if stacking is not None else Stacking()
        self._painter = FlamePainter(theme, self.stacking)
        self._scene: FlameScene | None = None
        self._placeholder = ("", "")
        self._highlight = Highlight()
        self._hovered = -1
        self._selected = -1
        self._pointer = _NOWHERE
        self._pressed_at: QPointF | None = None
        self._dragged_from: QPointF | None = None
        self._glide = Glide(self.navigation.view, self)
        self._glide.moved.connect(self.update)

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
        """Show another graph; what one looked at and selected is found again by its stack."""
        old, self._scene = self._scene, scene
        if scene is not None and old is not None:
            self._follow(old, scene)
        elif scene is None:
            self._selected = -1
        self._painter.set_scene(scene)
        self._limit_scroll()
        self._stop_moving()
        self._hover_at(self._pointer)
        self.update()
        self.scene_changed.emit()

    def start_over(self, scene: FlameScene | None) -> None:
        """Show a graph of something else: nothing of the old one is looked for in it."""
        self._scene = None
        self._selected = -1
        self.navigation = Navigation()
        self.set_scene(scene)
        self.view_changed.emit()

    def set_placeholder(self, title: str, text: str) -> None:
        """What stands in the place of a graph that is not there."""
        self._placeholder = (title, text)
        self.update()

    def set_highlight(self, highlight: Highlight) -> None:
        """Which functions stand out: search matches, a function selected elsewhere."""
        self._highlight = highlight
        self._painter.set_highlight(highlight)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        self._painter.set_theme(theme)
        self.update()

    def select(self, node: int) -> None:
        """Select without a signal; -1 = none."""
        self._selected = node
        self.update()

    def content_px(self) -> int:
        """Height of the whole graph."""
        return self.stacking.content_px(self._scene.layout.n_rows) if self._scene is not None else 0

    # -- moving about

    def zoom_to(self, node: int) -> None:
        """Let this node fill the width, with some of its callers above it."""
        extent = extent_of(self._scene, node) if self._scene is not None else None
        if extent is None:
            return
        left, right, row = extent
        top_px = max(0, self.stacking.offset_of(row - _CONTEXT_ROWS))
        if self.content_px() <= self.height():
            top_px = 0
        self._move(lambda: self.navigation.show(left, right, float(top_px)))

    def reveal(self, node: int) -> None:
        """Scroll and, where the node is out of sight or too narrow, zoom until it is seen."""
        extent = extent_of(self._scene, node) if self._scene is not None else None
        if extent is None:
            return
        left, right, row = extent
        view = self.navigation.view
        is_seen = left < view.right and right > view.left
        if not is_seen or (right - left) / view.span * self.width() < 2:
            self.zoom_to(node)
            return
        begin_px = self.stacking.offset_of(row)
        top_px = max(min(view.top_px, begin_px), begin_px + ROW_PX - self.height())
        self._move(lambda: self.navigation.scroll_to(top_px))

    def go_to(self, node: int) -> None:
        """Select the node without a signal, and bring it into sight."""
        self.select(node)
        self.reveal(node)

    def reset_zoom(self) -> None:
        self._move(self.navigation.reset)

    def go_back(self) -> None:
        self._move(self.navigation.go_back)

    def go_forward(self) -> None:
        self._move(self.navigation.go_forward)

    def zoom_by(self, factor: float) -> None:
        view = self.navigation.view
        self._move(lambda: self.navigation.zoom_at((view.left + view.right) / 2, factor))

    def scroll_to(self, top_px: float) -> None:
        self.navigation.scroll_to(top_px)
        self._show_now()

    def _move(self, change: object) -> None:
        """Change the view and let the eye follow."""
        assert callable(change)
        change()
        self._limit_scroll()
        if self.isVisible() and self._shown != self.navigation.view:
            self._glide.start(self.navigation.view)
        else:
            self._show_now()
        self.view_changed.emit()

    def _show_now(self) -> None:
        """The view changed by hand: no detours."""
        self._limit_scroll()
        self._stop_moving()
        self._hover_at(self._pointer)
        self.update()
        self.view_changed.emit()

    def _stop_moving(self) -> None:
        self._glide.jump(self.navigation.view)

    def _limit_scroll(self) -> None:
        self.navigation.limit_scroll(self.content_px(), self.height())

    def _follow(self, old: FlameScene, new: FlameScene) -> None:
        view = self.navigation.view
        anchor = anchor_of(old, view.left, view.right)
        before = extent_of(old, anchor)
        after = extent_of(new, find_in(old.tree, anchor, new.tree))
        if before is not None and after is not None and before[2] == after[2]:
            self.navigation.follow(before[0], before[1], after[0], after[1])
        if self._selected >= 0:
            self._selected = find_in(old.tree, self._selected, new.tree)

    # -- where things are

    @property
    def _shown(self) -> View:
        """What is on the screen: under way to ``navigation.view`` while it moves."""
        return self._glide.shown

    def _fraction_at(self, x_px: float) -> float:
        return self._shown.left + x_px / max(1, self.width()) * self._shown.span

    def _node_at(self, place: QPointF) -> int:
        if self._scene is None or not self.rect().contains(place.toPoint()):
            return -1
        row = self.stacking.row_at(place.y(), self._shown.top_px, self.height())
        return node_at(self._scene, row, self._fraction_at(place.x()))

    def _hover_at(self, place: QPointF) -> None:
        node = self._node_at(place)
        if node != self._hovered:
            self._hovered = node
            self.update()
            self.node_hovered.emit(node)

    # -- events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._scene is None or self._scene.layout.extent <= 0 or not self.content_px():
            self._painter.paint_placeholder(painter, self.rect(), *self._placeholder)
        else:
            self._painter.paint(painter, self.rect(), self._shown, self._hovered, self._selected)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._limit_scroll()
        self._stop_moving()
        self.view_changed.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        pixels, notches = event.pixelDelta(), event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = _ZOOM_PER_NOTCH ** (notches.y() / _NOTCH)
            self.navigation.zoom_at(self._fraction_at(event.position().x()), factor)
        else:
            right_px = -float(pixels.x() or notches.x() / _NOTCH * SCROLL_PX)
            down_px = -float(pixels.y() or notches.y() / _NOTCH * SCROLL_PX)
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                right_px, down_px = right_px + down_px, 0.0
            span = self.navigation.view.span
            down_px *= self.stacking.sign
            self.navigation.pan(right_px / max(1, self.width()) * span, down_px)
        self._show_now()
        event.accept()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                fraction = self._fraction_at(event.position().x())
                self.navigation.zoom_at(fraction, 1.0 + event.value())
                self._show_now()
                return True
        elif event.type() == QEvent.Type.DevicePixelRatioChange:
            self.update()
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.BackButton:
            self.go_back()
        elif event.button() == Qt.MouseButton.ForwardButton:
            self.go_forward()
        elif event.button() == Qt.MouseButton.LeftButton:
            self._pressed_at = event.position()
            self._dragged_from = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self._pointer = event.position()
        if self._pressed_at is not None and self._dragged_from is None:
            moved = (place - self._pressed_at).manhattanLength()
            if moved >= QApplication.startDragDistance():
                self._dragged_from = self._pressed_at
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._dragged_from is not None:
            delta = self._dragged_from - place
            self._dragged_from = place
            span = self.navigation.view.span
            down_px = delta.y() * self.stacking.sign
            self.navigation.pan(delta.x() / max(1, self.width()) * span, down_px)
            self._show_now()
        else:
            self._hover_at(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._pressed_at is None:
            return
        was_drag = self._dragged_from is not None
        self._pressed_at = self._dragged_from = None
        self.unsetCursor()
        if not was_drag:
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
        key = Qt.Key(event.key())
        plain = not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        if event.matches(QKeySequence.StandardKey.Copy) and self._selected >= 0:
            self.copy_requested.emit(self._selected)
        elif not plain or self._scene is None:
            super().keyPressEvent(event)
        elif key in ARROWS:
            self._step(ARROWS[key])
        elif key in PANS:
            right, down_px = PANS[key]
            span = self.navigation.view.span
            down_px *= self.stacking.sign
            self._move(lambda: self.navigation.pan(right * span, float(down_px)))
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_by(_ZOOM_PER_NOTCH**2)
        elif key == Qt.Key.Key_Minus:
            self.zoom_by(_ZOOM_PER_NOTCH**-2)
        elif key == Qt.Key.Key_0:
            self.reset_zoom()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._selected >= 0:
            self.node_activated.emit(self._selected)
        elif key == Qt.Key.Key_Z and self._selected >= 0:
            self.zoom_to(self._selected)
        elif key == Qt.Key.Key_C and max(self._hovered, self._selected) > 0:
            self.sandwich_requested.emit(self._hovered if self._hovered > 0 else self._selected)
        elif key == Qt.Key.Key_Escape:
            self.escape_pressed.emit()
        else:
            super().keyPressEvent(event)

    def _step(self, direction: Direction) -> None:
        """Follow an arrow key as it points on the screen."""
        assert self._scene is not None
        if self.stacking.is_upward:
            direction = OPPOSITE.get(direction, direction)
        node = neighbour(self._scene, max(0, self._selected), direction)
        if node == 0 and self.stacking.n_hidden:
            self.root_reached.emit()
            return
        self._choose(node)
        self.reveal(node)

    def enter(self) -> None:
        """Take the keys, and begin at the widest box of the first row."""
        self.setFocus()
        self._selected = 0
        self._step(ARROWS[Qt.Key.Key_Up if self.stacking.is_upward else Qt.Key.Key_Down])

    def _choose(self, node: int) -> None:
        self._selected = node
        self.update()
        self.node_selected.emit(node)
