"""Pane head: the head of a view beside others, with its name, a menu and a close button."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.pan_drag import PanDrag
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.widgets.view_rail import name_view

HEAD_PX = 27
_ICON_PX = 14


class PaneHead(QFrame):
    """A drag of the head moves its view; a click focuses the view. Signals have the view's name."""

    chosen = Signal(str)  # focus the view
    close_requested = Signal(str)
    menu_requested = Signal(str, QPoint)  # view; place on the screen
    dragged = Signal(str, QPoint)  # view; place of the pointer on the screen
    dropped = Signal(str, QPoint)

    def __init__(self, view: str, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("paneHead")
        self._view = view
        self._drag = PanDrag(self)
        title, self._icon_name = name_view(view)
        self.setAccessibleName(f"{title}: view")
        self.setToolTip("Drag to put this view beside, below or in place of another view")
        self._icon = QLabel(self)
        self._title = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._title.set_text(title)
        self._title.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._menu = self._make_button(f"Views beside {title}", "Put a view beside or below (B)")
        self._close = self._make_button(f"Close {title}", "Close this view (B, X)")
        self._menu.clicked.connect(self._on_menu)
        self._close.clicked.connect(lambda: self.close_requested.emit(self._view))
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 4, 0)
        row.setSpacing(6)
        row.addWidget(self._icon)
        row.addWidget(self._title, 1)
        row.addWidget(self._menu)
        row.addWidget(self._close)
        self.set_theme(theme)

    def _make_button(self, name: str, tool_tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAccessibleName(name)
        button.setToolTip(tool_tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def set_theme(self, theme: Theme) -> None:
        icon = load_icon(self._icon_name, theme.muted, theme.faint)
        self._icon.setPixmap(icon.pixmap(_ICON_PX, _ICON_PX))
        self._menu.setIcon(load_icon("split", theme.muted, theme.faint))
        self._close.setIcon(load_icon("close", theme.muted, theme.faint))

    def mark(self, is_focused: bool) -> None:
        """Show whether the view has the keyboard focus."""
        state = "focused" if is_focused else ""
        if self.property("state") != state:
            self.setProperty("state", state)
            for part in (self, self._title):
                part.style().unpolish(part)
                part.style().polish(part)

    def _on_menu(self) -> None:
        self.menu_requested.emit(self._view, self._menu.mapToGlobal(self._menu.rect().bottomLeft()))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_requested.emit(self._view, event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._drag.press(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag.move(event.position()) is not None:
            self.dragged.emit(self._view, event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._drag.release():
            self.chosen.emit(self._view)
        else:
            self.dropped.emit(self._view, event.globalPosition().toPoint())
