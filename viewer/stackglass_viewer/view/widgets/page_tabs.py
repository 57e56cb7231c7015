"""Page tabs: the tab bar of a window and the pages behind it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QTabWidget, QWidget

from stackglass_viewer.view.widgets.shown_text import escape_ampersands
from stackglass_viewer.view.widgets.tab_list import TabListButton

_LEAST_CHARACTERS = 40  # names of profiles differ in their middle, so those are shown whole
_OUT_BARS = 2  # a tab is dragged out if dropped this far from the bar, in heights of the bar


class _Bar(QTabBar):
    """A tab bar that scrolls rather than cut titles below 40 letters.

    ``dragged_out`` reports a tab that is dropped far from the bar, so that another window takes it.
    """

    menu_requested = Signal(int, QPoint)  # tab; place on the screen
    dragged_out = Signal(int, QPoint)
    laid_out = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._is_dragged = False  # whether the mouse holds a tab

    def minimumTabSizeHint(self, index: int) -> QSize:
        whole = self.tabSizeHint(index)
        letters_px = self.fontMetrics().averageCharWidth()
        n_letters = len(self.tabText(index).replace("&&", "&"))
        cut_px = (n_letters - _LEAST_CHARACTERS) * letters_px
        return whole - QSize(max(cut_px, 0), 0)

    @property
    def taken_px(self) -> int:
        """The width of all tabs together, also of those that are scrolled out."""
        if not self.count():
            return 0
        return self.tabRect(self.count() - 1).right() + 1 - self.tabRect(0).left()

    def tabLayoutChange(self) -> None:
        self.laid_out.emit()

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
            # Emitted after the bar has put the tab down. It is the current tab since the press.
            drop = event.globalPosition().toPoint()
            QTimer.singleShot(0, self, lambda: self.dragged_out.emit(self.currentIndex(), drop))
        self._is_dragged = False


class PageTabs(QTabWidget):
    """The tab widget of a window. It ignores layout requests that would change nothing.

    When a text in a page changes, Qt sends a layout request to each parent up to the window. At
    each request QTabWidget repaints itself and its page, ten times a second in a live capture. Its
    layout depends only on the bar's size hint, on its own least size and on whether the list of
    tabs has a button, so ``event`` drops a request if these are the same as at the last one.

    The button of the list is shown while the tabs need more than the width of the window.
    """

    menu_requested = Signal(int, QPoint)  # tab; place on the screen
    dragged_out = Signal(int, QPoint)  # tab; where it was dropped on the screen

    def __init__(self) -> None:
        super().__init__()
        bar = _Bar()
        bar.menu_requested.connect(self.menu_requested)
        bar.dragged_out.connect(self.dragged_out)
        self.setTabBar(bar)
        self._bar = bar
        self._last_sizes: tuple[QSize, QSize, bool] | None = None  # at the last layout request
        self._list = TabListButton(self)
        self._list.hide()
        self.setCornerWidget(self._list, Qt.Corner.TopRightCorner)
        bar.laid_out.connect(self._offer_list)
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
        """Add a page and return the index of its tab.

        Tabs with a ``number`` above 0 are in the order of their numbers.
        """
        later = (index for index in range(self.count()) if 0 < number < self._number_of(index))
        index = self.insertTab(next(later, self.count()), page, escape_ampersands(title))
        self.tabBar().setTabData(index, number)
        return index

    def place_page(self, size: QSize) -> None:
        """Give these tabs, which are hidden, and the page in front the size that they will have.
        QTabWidget lays out its page after showing it, which does all the work twice."""
        self.resize(size)
        bar_px = self.tabBar().sizeHint().height()
        self._stack.setGeometry(0, bar_px, size.width(), size.height() - bar_px)

    def tabText(self, index: int) -> str:
        """Return the title of the tab at an index, as it was set."""
        return super().tabText(index).replace("&&", "&")

    def setTabText(self, index: int, title: str) -> None:
        super().setTabText(index, escape_ampersands(title))

    def _offer_list(self) -> None:
        """Show the button of the list if the tabs do not all fit, else hide it.

        The tabs are compared with the whole width, with that of the button, so that showing it
        does not change the answer.
        """
        is_wanted = self._bar.taken_px > self.width()
        if self._list.isHidden() == is_wanted:
            self._list.setVisible(is_wanted)

    def step(self, step: int) -> None:
        """Bring the tab to the front that is ``step`` to the right (below 0: to the left) of the
        one in front. The first tab follows the last one."""
        if self.count():
            self.setCurrentIndex((self.currentIndex() + step) % self.count())

    def is_later_in_front(self, page: QWidget) -> bool:
        """Whether both this page's tab and the tab in front have numbers, and the latter's is
        greater."""
        return 0 < self._number_of(self.indexOf(page)) < self._number_of(self.currentIndex())

    def _number_of(self, index: int) -> int:
        """Return the number of the tab at an index; 0 = none."""
        return int(self.tabBar().tabData(index) or 0)

    def adopt(self, page: QWidget) -> None:
        """Make a page a child of the stack that will hold it.

        Qt applies the style sheet again to all widgets of a page that gets another parent later.
        """
        page.setParent(self._stack)

    def release_adopted(self) -> None:
        """Release adopted pages that have no tab yet, so that they outlive this window."""
        for child in self._stack.children():
            if isinstance(child, QWidget) and self.indexOf(child) < 0:
                child.setParent(None)

    def tabInserted(self, index: int) -> None:
        """Give the tab's close button a name for screen readers; Qt gives it only an icon."""
        super().tabInserted(index)
        button = self.tabBar().tabButton(index, QTabBar.ButtonPosition.RightSide)
        if button is not None:
            button.setAccessibleName("Close this tab")

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            sizes = (self.tabBar().sizeHint(), self.minimumSizeHint(), self._list.isHidden())
            if sizes == self._last_sizes:
                return True
            self._last_sizes = sizes
        return super().event(event)
