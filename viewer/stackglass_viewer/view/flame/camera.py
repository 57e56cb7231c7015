"""Camera of a flame graph: the visible part, and its animated moves to another part."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    OverTime,
    anchor_of,
    extent_of,
    find_in,
)
from stackglass_viewer.presenter.document.navigation import Navigation, View
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry
from stackglass_viewer.view.flame.zoom_animation import ZoomAnimation

_CONTEXT_ROWS = 3  # callers that stay visible above the frame that is zoomed to
_LEAST_BOX_PX = 2  # a narrower box counts as invisible
_REVEALED_BOX_PX = 120  # a box that was invisible is shown at least this wide


class Camera(QObject):
    """The wanted view, in ``navigation``, and the view on the screen, ``shown``, which follows."""

    moved = Signal()  # one step of an animation: paint again
    jumped = Signal()  # the view changed at once: other boxes are under the pointer
    view_changed = Signal()  # the wanted view changed
    stepped = Signal(object)  # the View before a move that Back can undo
    restarted = Signal()  # another graph is shown, as a whole
    reset = Signal()  # the zoom was reset

    def __init__(self, widget: QWidget, geometry: RowGeometry) -> None:
        """``widget`` paints the graph; the camera uses its size."""
        super().__init__(widget)
        self.navigation = Navigation()
        self.geometry = geometry
        self._widget = widget
        self._scene: FlameScene | None = None
        self._animation = ZoomAnimation(self.navigation.view, self)
        self._animation.moved.connect(self.moved)

    # -- what is visible

    @property
    def shown(self) -> View:
        """The view that is on the screen now."""
        return self._animation.shown

    @property
    def is_zoomed(self) -> bool:
        """Whether the wanted view is not the whole graph from its root."""
        return self.navigation.view != View()

    def content_px(self) -> int:
        """Return the height of the whole graph in pixels."""
        return self.geometry.content_px(self._scene.layout.n_rows) if self._scene is not None else 0

    def fraction_at(self, x_px: float) -> float:
        """Return the horizontal position at a pixel, as a fraction of the root's width."""
        return self.shown.left + x_px / max(1, self._widget.width()) * self.shown.span

    # -- another graph

    def show_scene(self, scene: FlameScene | None, is_refresh: bool = True) -> None:
        """Set the graph. A refresh keeps the same stack in view; another graph is shown whole."""
        old, self._scene = self._scene, scene
        if not is_refresh:
            self.navigation = Navigation()
            self.restarted.emit()
        elif scene is not None and scene.over_time is not None:
            self._follow_time(old.over_time if old is not None else None, scene.over_time)
        elif scene is not None and old is not None:
            self._follow(old, scene)
        self.settle()

    def settle(self) -> None:
        """Limit the view to the graph, without animation, after the graph or widget was resized."""
        self._limit_scroll()
        self._animation.jump(self.navigation.view)

    def _follow(self, old: FlameScene, new: FlameScene) -> None:
        view = self.navigation.view
        anchor = anchor_of(old, view.left, view.right)
        before = extent_of(old, anchor)
        after = extent_of(new, find_in(old.tree, anchor, new.tree))
        if before is not None and after is not None and before[2] == after[2]:
            self.navigation.follow(before[0], before[1], after[0], after[1])

    def _follow_time(self, old: OverTime | None, new: OverTime) -> None:
        """Keep the same span of time in view as a graph over time grows.

        A graph of other calls is shown whole.
        """
        is_same = old is not None and (old.name, old.begin_ns) == (new.name, new.begin_ns)
        if old is None or not is_same:
            self.navigation.reset()
        elif self.navigation.view.span < 1.0:
            share = (old.end_ns - old.begin_ns) / (new.end_ns - new.begin_ns)
            self.navigation.follow(0.0, 1.0, 0.0, share)

    # -- animated moves

    def zoom_to(self, node: int) -> None:
        """Make this node fill the width, with some of its callers above it."""
        extent = extent_of(self._scene, node) if self._scene is not None else None
        if extent is None:
            return
        left, right, row = extent
        top_px = max(0, self.geometry.offset_of(row - _CONTEXT_ROWS))
        if self.content_px() <= self._widget.height():
            top_px = 0
        self._step(lambda: self.navigation.show(left, right, float(top_px)))

    def reveal(self, node: int) -> None:
        """Scroll to the node. If it is out of sight or too narrow, also move and zoom.

        It zooms only until the box is ``_REVEALED_BOX_PX`` wide.
        """
        extent = extent_of(self._scene, node) if self._scene is not None else None
        if extent is None:
            return
        left, right, row = extent
        view = self.navigation.view
        is_seen = left < view.right and right > view.left
        width_px = (right - left) / view.span * self._widget.width()
        begin_px = self.geometry.offset_of(row)
        top_px = max(min(view.top_px, begin_px), begin_px + ROW_PX - self._widget.height())
        if is_seen and width_px >= _LEAST_BOX_PX:
            self._move(lambda: self.navigation.scroll_to(top_px))
            return
        legible = (right - left) * self._widget.width() / _REVEALED_BOX_PX
        span = max(min(view.span, legible), right - left)
        begin = min(max((left + right - span) / 2, 0.0), 1.0 - span)
        self._step(lambda: self.navigation.show(begin, begin + span, float(top_px)))

    def reset_zoom(self) -> None:
        self._step(self.navigation.reset)
        self.reset.emit()

    def restore(self, view: View) -> None:
        """Move to ``view``. Unlike a step, Back does not undo this."""
        self._move(lambda: self.navigation.show(view.left, view.right, view.top_px))

    def zoom_by(self, factor: float) -> None:
        """Zoom about the middle of what is visible."""
        view = self.navigation.view
        self._move(lambda: self.navigation.zoom_at((view.left + view.right) / 2, factor))

    def step_by(self, share: float, down_px: float) -> None:
        """Move right by a share of the visible width, and down by pixels of the screen."""
        span = self.navigation.view.span
        self._move(lambda: self.navigation.pan(share * span, down_px * self.geometry.sign))

    def _step(self, change: Callable[[], None]) -> None:
        before = self.navigation.view
        self._move(change)
        if self.navigation.view != before:
            self.stepped.emit(before)

    def _move(self, change: Callable[[], None]) -> None:
        change()
        self._limit_scroll()
        if self._widget.isVisible() and self.shown != self.navigation.view:
            self._animation.start(self.navigation.view)
            self.view_changed.emit()
        else:
            self._jump()

    # -- moves that follow the mouse at once

    def zoom_at(self, x_px: float, factor: float) -> None:
        """Zoom about the position at a pixel."""
        self.navigation.zoom_at(self.fraction_at(x_px), factor)
        self._jump()

    def pan(self, right_px: float, down_px: float) -> None:
        """Move by pixels of the screen."""
        span = self.navigation.view.span
        share = right_px / max(1, self._widget.width())
        self.navigation.pan(share * span, down_px * self.geometry.sign)
        self._jump()

    def scroll_to(self, top_px: float) -> None:
        self.navigation.scroll_to(top_px)
        self._jump()

    def _jump(self) -> None:
        self.settle()
        self.jumped.emit()
        self.view_changed.emit()

    def _limit_scroll(self) -> None:
        self.navigation.limit_scroll(self.content_px(), self._widget.height())
