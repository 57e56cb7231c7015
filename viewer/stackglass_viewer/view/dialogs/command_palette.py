"""Command palette: every command of the menus and of the tab in front, found by typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.presenter.settings.command_search import Command, rank_commands
from stackglass_viewer.view.widgets.accessible_parts import announce_current
from stackglass_viewer.view.widgets.accessible_rows import RowTree, offer_rows
from stackglass_viewer.view.widgets.shown_text import strip_mnemonics

_WIDTH_PX, _HEIGHT_PX, _TOP_PX = 560, 420, 70
_KEYS_PX = 130
_NOTHING = "No command found."
Offer = tuple[Command, Callable[[], object]]
"""A command, and the function that runs it."""

_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


def list_actions(bar: QMenuBar) -> list[tuple[Command, QAction]]:
    """Return every enabled command, in the order of the menus."""
    found: list[tuple[Command, QAction]] = []
    for action in bar.actions():
        _collect(action, (), found)
    return found


def list_entries(menu: QMenu, path: tuple[str, ...]) -> list[Offer]:
    """Return every enabled entry of a menu; ``path``: titles to put before each entry's."""
    found: list[tuple[Command, QAction]] = []
    menu.aboutToShow.emit()
    for action in menu.actions():
        _collect(action, path, found)
    return [(command, action.trigger) for command, action in found]


def _collect(action: QAction, path: tuple[str, ...], found: list[tuple[Command, QAction]]) -> None:
    here = (*path, strip_mnemonics(action.text()).partition("\t")[0])
    menu = action.menu()
    if not action.isEnabled():
        return  # entries of a disabled submenu are enabled, but cannot be reached in the menu
    if isinstance(menu, QMenu):
        menu.aboutToShow.emit()  # menus update their actions just before they open
        for each in menu.actions():
            _collect(each, here, found)
        menu.aboutToHide.emit()
    elif not action.isSeparator():
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        found.append((Command(here, keys, action.isChecked()), action))


class _Field(QLineEdit):
    """Search field: letters go to the search, arrows and Page Up and Down to the list."""

    def __init__(self, results: QTreeWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._results = results

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _MOVES:
            self._results.keyPressEvent(event)
            announce_current(self._results)
        else:
            super().keyPressEvent(event)


class CommandPalette(QDialog):
    """A field and a list of matching commands. Enter or a click closes it and runs the command."""

    def __init__(self, bar: QMenuBar, parent: QWidget, offers: Sequence[Offer] = ()) -> None:
        """``bar``: the menus. ``offers``: further commands."""
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setWindowTitle("Commands")
        menus = ((command, action.trigger) for command, action in list_actions(bar))
        self._commands: list[Offer] = [*menus, *offers]
        self._results = RowTree(self)
        offer_rows(self._results, lambda: (0,), lambda: self._field.hasFocus())
        self._results.setAccessibleName("Commands")
        self._results.setRootIsDecorated(False)
        self._results.setUniformRowHeights(True)
        self._results.setHeaderHidden(True)
        self._results.setColumnCount(2)
        # Entries of one long submenu differ at their ends.
        self._results.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._results.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._results.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._results.header().setStretchLastSection(False)
        self._results.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self._results.setColumnWidth(1, _KEYS_PX)
        self._field = _Field(self._results, self)
        self._field.setPlaceholderText("Type a command")
        self._field.setAccessibleName("Command")
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 10)
        column.addWidget(self._field)
        column.addWidget(self._results)
        self._nothing = QLabel(_NOTHING, self)
        self._nothing.setObjectName("hint")
        column.addWidget(self._nothing)
        self._field.textChanged.connect(self._show_results)
        self._field.returnPressed.connect(self._run_current)
        self._results.itemClicked.connect(self._run_current)
        self._most_px = min(_HEIGHT_PX, parent.height() - _TOP_PX)
        self.setFixedWidth(min(_WIDTH_PX, parent.width()))
        self._show_results("")
        left_px = (parent.width() - self.width()) // 2
        self.move(parent.mapToGlobal(QPoint(max(left_px, 0), _TOP_PX)))
        self._field.setFocus()

    def _show_results(self, text: str) -> None:
        self._results.clear()
        for index in rank_commands([command for command, _ in self._commands], text):
            command = self._commands[index][0]
            mark = "  ✓" if command.is_chosen else ""
            item = QTreeWidgetItem([command.title + mark, command.keys])
            item.setData(0, Qt.ItemDataRole.UserRole, index)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._results.addTopLevelItem(item)
        first = self._results.topLevelItem(0)
        if first is not None:
            self._results.setCurrentItem(first)
        self._fit()

    def _fit(self) -> None:
        """Make the list as high as its rows, up to the most that the dialog has room for."""
        n_rows = self._results.topLevelItemCount()
        self._results.setVisible(n_rows > 0)
        self._nothing.setVisible(n_rows == 0)
        rows_px = n_rows * self._results.sizeHintForRow(0) + 2 * self._results.frameWidth()
        margins = self.contentsMargins() + self._column.contentsMargins()
        others_px = self._field.sizeHint().height() + self._column.spacing()
        others_px += margins.top() + margins.bottom()
        self._results.setFixedHeight(max(min(rows_px, self._most_px - others_px), 0))
        self.adjustSize()

    def _run_current(self) -> None:
        item = self._results.currentItem()
        if item is None:
            return
        _, run = self._commands[item.data(0, Qt.ItemDataRole.UserRole)]
        self.accept()
        run()
