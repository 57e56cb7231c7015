"""The pages of a window behind their tabs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QTabWidget, QWidget

_LEAST_CHARACTERS = 16
_OUT_BARS = 2  # heights of the bar that a tab is dragged away from it to be out


class _Bar(QTabBar):
    """Scrolls where many tabs would leave no room for their titles. A tab that is dropped far from
    the bar is dragged out."""

    menu_requested = Signal(int, QPoint)  # tab; place on the screen
    dragged_out = Signal(int, QPoint)

    def __init__(self) -> None:
        super().__init__()
        self._is_dragged = False  # a tab is held by the mouse

    def minimumTabSizeHint(self, index: int) -> QSize:
        whole = self.tabSizeHint(index)
        letters_px = self.fontMetrics().averageCharWidth()
        cut_px = (len(self.tabText(index)) - _LEAST_CHARACTERS) * letters_px
        return whole - QSize(max(cut_px, 0), 0)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.tabAt(event.pos())
        if index < 0 and event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self.currentIndex()
        if index >= 0:
            self.menu_requested.emit(index, event.globalPos())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() == Qt.MouseButton.LeftButton
        self._is_dragged = is_left and self.tabAt(event.position().toPoint()) >= 0
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        margin_px = self.height() * _OUT_BARS
        near = self.rect().adjusted(-margin_px, -margin_px, margin_px, margin_px)
        if self._is_dragged and not near.contains(event.position().toPoint()):
            # After the bar has put the tab down: it is the current one since it was pressed.
            drop = event.globalPosition().toPoint()
            QTimer.singleShot(0, self, lambda: self.dragged_out.emit(self.currentIndex(), drop))
        self._is_dragged = False


class PageTabs(QTabWidget):
    """Is painted anew only for what changes in it.

    Each text that changes has the layouts around it asked again, up to the window's; and Qt's tabs
    answer that by painting themselves and all that is in them, ten times a second while figures
    come in. Nothing that they lay out depends on more than the two sizes that are compared here.
    """

    menu_requested = Signal(int, QPoint)  # tab; place on the screen
    dragged_out = Signal(int, QPoint)  # tab; where it was dropped on the screen

    def __init__(self) -> None:
        super().__init__()
        bar = _Bar()
        bar.menu_requested.connect(self.menu_requested)
        bar.dragged_out.connect(self.dragged_out)
        self.setTabBar(bar)
        self._asked: tuple[QSize, QSize] | None = None  # of the tabs, of the least page
        self.setObjectName("tabStrip")
        self.setDocumentMode(True)
        self.setTabsClosable(True)
        self.setMovable(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAccessibleName("Open profiles")

    @property
    def _stack(self) -> QStackedWidget:
        stack = self.findChild(QStackedWidget)
        assert isinstance(stack, QStackedWidget)
        return stack

    def insert(self, page: QWidget, title: str, number: int) -> int:
        """Returns where the tab stands: those with numbers, above 0, are in the order of these."""
        later = (place for place in range(self.count()) if 0 < number < self._number_of(place))
        place = self.insertTab(next(later, self.count()), page, title)
        self.tabBar().setTabData(place, number)
        return place

    def is_later_in_front(self, page: QWidget) -> bool:
        """Whether the tab in front was asked for together with this one's, or later, and stands
        behind it."""
        return 0 < self._number_of(self.indexOf(page)) < self._number_of(self.currentIndex())

    def _number_of(self, place: int) -> int:
        """0 = none."""
        return int(self.tabBar().tabData(place) or 0)

    def adopt(self, page: QWidget) -> None:
        """Make a page the child of what will hold it: with a style sheet, a page that is put in
        later has all that is in it styled again."""
        page.setParent(self._stack)

    def release_adopted(self) -> None:
        """Pages that are no tabs yet go on by themselves."""
        for child in self._stack.children():
            if isinstance(child, QWidget) and self.indexOf(child) < 0:
                child.setParent(None)

    def tabInserted(self, index: int) -> None:
        """Qt gives its button a picture and no name."""
        super().tabInserted(index)
        button = self.tabBar().tabButton(index, QTabBar.ButtonPosition.RightSide)
        if button is not None:
            button.setAccessibleName("Close this tab")

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            asked = (self.tabBar().sizeHint(), self.minimumSizeHint())
            if asked == self._asked:
                return True
            self._asked = asked
        return super().event(event)
