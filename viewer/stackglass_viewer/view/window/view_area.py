"""View area: places a tab's views beside and below each other as the layout says.

Each view is made as a child of the area and never gets another parent: moving a view changes only
its geometry. A view that is not in the layout is hidden.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from stackglass_viewer.presenter.settings.pane_places import (
    MINIMUM_PX,
    Places,
    Rectangle,
    find_minimum_px,
    find_side,
    halve,
    place_views,
)
from stackglass_viewer.presenter.settings.view_layout import Side, ViewLayout, make_preset
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.pane_border import DropMark, PaneBorder
from stackglass_viewer.view.window.pane_head import HEAD_PX, PaneHead

_MINIMUM_HEIGHT_LIMIT_PX = 240  # limit of the area's minimum height, even if its views need more


class ViewArea(QWidget):
    """An area of views, which have heads if the user has put several side by side. A drag of a head
    drops its view at a side of another view, or in the place of that view."""

    focused = Signal(str)  # view that got the keyboard focus
    head_made = Signal(object)  # PaneHead
    border_dragged = Signal(object, float)  # Border; its new place, as a share of its split
    put_requested = Signal(str, str, str)  # view, side, the other view to put it beside
    swap_requested = Signal(str, str)  # view, the other view whose place it takes

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._theme = theme
        self._layout = make_preset("")
        self._widgets: Mapping[str, QWidget] = {}
        self._places = Places({}, ())
        self._heads: dict[str, PaneHead] = {}
        self._borders: list[PaneBorder] = []
        self._stacked: tuple[tuple[str, ...], bool] = ((), False)  # as Qt's children are; heads?
        self._mark: DropMark | None = None  # made when a view is first dragged
        self._is_cancelled = False  # whether the drag under way was cancelled
        self._is_changing = False  # while views are being hidden: Qt moves the focus then
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus)

    def sizeHint(self) -> QSize:
        return QSize(900, 500)

    def minimumSizeHint(self) -> QSize:
        """Return the minimum height of the views up to a limit, so that no layout makes the window
        grow."""
        down_px = find_minimum_px(self._layout.root, False, self._find_minimums())
        return QSize(0, min(down_px, _MINIMUM_HEIGHT_LIMIT_PX))

    def show_layout(self, layout: ViewLayout, widgets: Mapping[str, QWidget]) -> None:
        """Place the views of a layout and hide all others.

        ``widgets``: all views made so far, by name; they include the layout's.
        """
        self._layout, self._widgets = layout, dict(widgets)
        has_heads = not layout.preset
        shown = layout.views
        for view in shown if has_heads else ():
            if view not in self._heads:
                self._heads[view] = PaneHead(view, self._theme, self)
                self.head_made.emit(self._heads[view])
        self._place()
        self._stack(tuple(view for view in shown if view in self._widgets), has_heads)
        for view, head in self._heads.items():
            head.setVisible(has_heads and view in shown)
            head.mark(view == layout.focused)
        self._is_changing = True
        for view, widget in self._widgets.items():
            widget.setVisible(view in shown)
        self._is_changing = False
        self.updateGeometry()

    def _stack(self, shown: tuple[str, ...], has_heads: bool) -> None:
        """Put the children into the order of the layout: Tab goes through them in this order."""
        if self._stacked == (shown, has_heads):
            return
        self._stacked = shown, has_heads
        for view in shown:
            for part in (self._heads.get(view), self._widgets[view]):
                if part is not None:
                    part.raise_()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for head in self._heads.values():
            head.set_theme(theme)
        for border in self._borders:
            border.set_theme(theme)
        if self._mark is not None:
            self._mark.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def _place(self) -> None:
        whole = Rectangle(0, 0, self.width(), self.height())
        self._places = place_views(self._layout.root, whole, self._find_minimums())
        head_px = self._head_px
        for view, box in self._places.views.items():
            if view not in self._widgets:
                continue
            self._widgets[view].setGeometry(
                box.x, box.y + head_px, box.width, max(0, box.height - head_px)
            )
            if head_px:
                self._heads[view].setGeometry(box.x, box.y, box.width, HEAD_PX)
        while len(self._borders) < len(self._places.borders):
            made = PaneBorder(self._theme, self)
            made.dragged.connect(self.border_dragged)
            self._borders.append(made)
        for widget, border in zip(self._borders, self._places.borders, strict=False):
            widget.show_border(border)
        for widget in self._borders[len(self._places.borders) :]:
            widget.hide()

    @property
    def _head_px(self) -> int:
        return 0 if self._layout.preset else HEAD_PX

    def _find_minimums(self) -> dict[str, tuple[int, int]]:
        """Return the minimum width and height in pixels of each view with its head, if any."""
        minimums = {}
        for view in self._layout.views:
            widget = self._widgets.get(view)
            if widget is not None:
                needed = widget.minimumSizeHint().expandedTo(widget.minimumSize())
                if widget.minimumHeight():  # set by the view, so it goes before the hint
                    needed.setHeight(widget.minimumHeight())
                across_px, down_px = MINIMUM_PX if self._head_px else (0, 0)
                minimums[view] = (
                    max(across_px, min(needed.width(), 2 * MINIMUM_PX[0])),
                    max(down_px, needed.height()) + self._head_px,
                )
        return minimums

    def _on_focus(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is None or self._is_changing or not self.isAncestorOf(now):
            return
        for view in self._layout.views:
            part = self._widgets.get(view)
            if part is not None and (part is now or part.isAncestorOf(now)):
                self.focused.emit(view)

    # -- drags of views

    def show_drop(self, view: str, point: QPoint) -> None:
        """Mark the area that ``view`` would take if dropped at ``point`` on the screen."""
        found = None if self._is_cancelled else self._find_drop(view, self.mapFromGlobal(point))
        if found is None:
            if self._mark is not None:
                self._mark.hide()
            return
        if self._mark is None:
            self._mark = DropMark(self._theme, self)
        target, side = found
        self._mark.setGeometry(*halve(self._places.views[target], side))
        self._mark.show()
        self._mark.raise_()

    def drop(self, view: str, point: QPoint) -> None:
        """Drop ``view`` at ``point`` on the screen: beside a view, in its place, or nowhere."""
        found = None if self._is_cancelled else self._find_drop(view, self.mapFromGlobal(point))
        self._is_cancelled = False
        if self._mark is not None:
            self._mark.hide()
        if found is None:
            return
        target, side = found
        if side is None:
            self.swap_requested.emit(view, target)
        else:
            self.put_requested.emit(view, side, target)

    def cancel_drag(self) -> bool:
        """Cancel the drag under way; returns whether a view was dragged over the area."""
        if self._mark is None or not self._mark.isVisible():
            return False
        self._is_cancelled = True
        self._mark.hide()
        return True

    def _find_drop(self, view: str, point: QPoint) -> tuple[str, Side | None] | None:
        """Return the view at ``point``, and its side to drop ``view`` at; None = in its place.

        Returns None if ``view`` cannot be dropped there.
        """
        for target, box in self._places.views.items():
            if box.x <= point.x() < box.x + box.width and box.y <= point.y() < box.y + box.height:
                side = find_side(box, point.x(), point.y())
                is_new = view not in self._layout.views
                if target == view or (side is not None and is_new and not self._layout.has_room):
                    return None
                return target, side
        return None
