"""Call tree view: a tree of callees below their callers, or inverted, callers below callees."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QTreeView,
    QWidget,
)

from stackglass_viewer.model.columns.index import Bools
from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight, file_of
from stackglass_viewer.presenter.document.tree_model import (
    CallTreeModel,
    Index,
    Path,
    TreeColumn,
    find_row_of,
    write_row,
)
from stackglass_viewer.presenter.settings.copied_texts import say_copied_rows
from stackglass_viewer.view.flame.menu import add_subtree
from stackglass_viewer.view.graph.menu import FunctionMenu
from stackglass_viewer.view.graph.tree_cells import TreeCells
from stackglass_viewer.view.graph.tree_columns import TreeColumns
from stackglass_viewer.view.widgets.copied_text import copy_text
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.shown_text import show_item_tip
from stackglass_viewer.view.widgets.theme import Theme

_INDENT_PX = 14
_MOST_OPENED = 40  # greatest depth to expand: the main path at first, or all below a row
_PATH_SHARE = 0.9  # least share that a row on the main path has of its caller
_KEYS = {
    int(Qt.Key.Key_C): "sandwich",
    int(Qt.Key.Key_L): "source",
    int(Qt.Key.Key_E): "editor",
}


class CallTreeView(QTreeView):
    """A tree in which rows with the same path stay expanded when the scene is refreshed.

    Rows also keep their order while the pointer is over them, or while one is selected and the view
    has the focus, so that no row moves under the pointer. They are sorted later. A hidden view only
    stores the newest scene until it is shown.
    """

    function_selected = Signal(int)  # frame; -1 = none
    action_requested = Signal(str, int)  # name of a key's or a menu's command; frame
    path_requested = Signal(str)  # call path: show only its subtree

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = CallTreeModel(self)
        self._cells = TreeCells(self._model, theme, self._is_match, self)
        self._pending: tuple[FlameScene | None] | None = None  # to be taken when the view is shown
        self._open: set[int] = set()  # nodes of expanded rows
        self._has_transforms = False
        self._has_opened_main_path = False  # whether the main path was expanded
        self._placeholder = ("Nothing here", "")
        self._matches: Bools | None = None  # (n_frames,) search matches
        self._is_pointed = False  # the pointer is over the rows
        self._has_menu = False
        self._is_anew = True  # the next scene is not a refresh
        self._function = -1  # the tab's selected function; -1 = none
        self._is_following = False  # a row is being selected that the user has not chosen
        self.setModel(self._model)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Call tree")
        self.setUniformRowHeights(True)
        self.setIndentation(_INDENT_PX)
        self.setTreePosition(TreeColumn.NAME)
        self.setItemDelegate(self._cells)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setExpandsOnDoubleClick(True)
        self._columns = TreeColumns(self)
        self._note = EmptyNote(self)
        self.expanded.connect(lambda index: self._open.add(index.internalId()))
        self.collapsed.connect(lambda index: self._open.discard(index.internalId()))
        self.selectionModel().selectionChanged.connect(self._on_selected)

    # -- what is shown

    def show_scene(self, scene: FlameScene | None) -> None:
        """Show a scene now, or when the view is shown; None = there are no stacks."""
        if self.isVisible():
            self._take(scene)
        else:
            self._pending = (scene,)

    def set_theme(self, theme: Theme) -> None:
        self._cells.set_theme(theme)
        self.viewport().update()

    def forget(self) -> None:
        """Drop the scene, even while the view is hidden."""
        self._pending = None
        self._take(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._columns.share()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._pending is not None:
            (scene,), self._pending = self._pending, None
            self._take(scene)
        QTimer.singleShot(0, self, self._follow)  # when the size is known, for scrolling

    def _take(self, scene: FlameScene | None) -> None:
        before = self._model.scene
        is_turned = before is None or scene is None or before.is_inverted != scene.is_inverted
        paths = [] if before is None else sorted(map(self._model.path_of, self._open), key=len)
        chosen = self._chosen
        path: Path = self._model.path_of(chosen.internalId()) if chosen.isValid() else ()
        aimed_path, aimed_px = self._find_aimed()
        place_px = self.verticalScrollBar().value()
        self._open = set()
        is_held = self._is_held and not (is_turned or self._is_anew)
        self._is_anew = False
        self._model.set_scene(scene, keeps_order=is_held)
        if is_turned:
            self._has_opened_main_path = False
        else:
            for each in paths:
                self.setExpanded(self._model.find(each), True)
            self._choose_again(path)
        is_closed = bool(paths) and not self._open  # the rows that were open are not there any more
        if is_closed or not self._has_opened_main_path:
            self._open_main_path()
        if not is_turned:
            self.verticalScrollBar().setValue(place_px)
        if is_held and (row := self._model.find(aimed_path)).isValid():
            moved_px = self.visualRect(row).top() - aimed_px
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + moved_px)
        self._follow(is_refresh=not is_turned)
        names = int(TreeColumn.NAME)
        self._model.headerDataChanged.emit(Qt.Orientation.Horizontal, names, names)
        self._show_note()

    # -- the order of rows is kept while the user points at one

    @property
    def _is_held(self) -> bool:
        """Whether rows keep their order: while the pointer is over them, the menu is open, or a row
        is selected and the view has the focus."""
        return self._is_pointed or self._has_menu or (self.hasFocus() and self._chosen.isValid())

    def begin_anew(self) -> None:
        """Note that the next scene is not a refresh, so that its rows are sorted at once."""
        self._is_anew = True

    def _find_aimed(self) -> tuple[Path, int]:
        """Return the path of the row under the pointer or of the selected row, and its y in px."""
        port = self.viewport()
        row = self.indexAt(port.mapFromGlobal(QCursor.pos())) if self._is_pointed else self._chosen
        path = self._model.path_of(row.internalId()) if row.isValid() else ()
        return path, self.visualRect(row).top()

    def _catch_up(self) -> None:
        """Sort the rows if their order was kept and no longer has to be."""
        if self._model.is_order_held and not self._is_held:
            self._take(self._model.scene)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self._is_pointed = event.type() == QEvent.Type.Enter
            QTimer.singleShot(0, self, self._catch_up)
        elif isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            show_item_tip(self, event)
            return True
        return super().viewportEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._catch_up()

    def _end_menu(self) -> None:
        """Sort the rows if need be, after the chosen command has read its row."""
        self._has_menu = False
        self._catch_up()

    @property
    def _chosen(self) -> QModelIndex:
        rows = self.selectionModel().selectedRows()
        return rows[0] if rows else QModelIndex()

    def _choose_again(self, path: Path) -> None:
        """Select the row of ``path``, which was selected before the refresh, without a signal.

        If the tree has no such row, none is selected, also without a signal: the tab keeps its
        selected function, which other rows and other views may still show.
        """
        found = self._model.find(path) if path else QModelIndex()
        if found.isValid():
            self.selectionModel().blockSignals(True)
            self.setCurrentIndex(found)
            self.selectionModel().blockSignals(False)

    def select_function(self, function: int) -> None:
        """Select a row of a function that was selected elsewhere, without a signal; -1 = none.

        A row of this function that is selected stays so. A hidden view follows when it is shown.
        """
        self._function = function
        if self.isVisible():
            self._follow()

    def _follow(self, *, is_refresh: bool = False) -> None:
        """Select the most expensive row of the tab's selected function, and none if it has none.
        A refresh neither opens rows nor scrolls."""
        if self._model.frame_of(self._chosen) == self._function:
            return
        node = find_row_of(self._model.scene, self._function, self._open, is_open_only=is_refresh)
        row = self._model.reveal(node) if node >= 0 else QModelIndex()
        self._is_following = True
        if row.isValid():
            self.setCurrentIndex(row)
        else:
            self.selectionModel().clear()
        if row.isValid() and not is_refresh:
            self.scrollTo(row)
        self._is_following = False

    def _open_main_path(self) -> None:
        """Expand rows from the root for as long as one callee has nearly all of its caller."""
        scene = self._model.scene
        if scene is None or not self._model.rowCount():
            return
        self._has_opened_main_path = True
        node = 0
        for _ in range(_MOST_OPENED):
            children = self._model.children_of(node)
            totals = scene.values.total  # below 0 in a difference that shrank
            if not children or abs(totals[children[0]]) < _PATH_SHARE * abs(totals[node]):
                break
            node = children[0]
            self.setExpanded(self._model.reveal(node), True)

    def set_highlight(self, highlight: Highlight) -> None:
        """Set which functions a search has found, to show their names in bold."""
        if highlight.matches is not self._matches:
            self._matches = highlight.matches
            self.viewport().update()

    def _is_match(self, index: Index) -> bool:
        frame, matches = self._model.frame_of(index), self._matches
        return matches is not None and 0 <= frame < len(matches) and bool(matches[frame])

    def go_to(self, node: int) -> None:
        """Expand the rows that lead to a node of the scene, and select its row."""
        index = self._model.reveal(node)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that are shown without a tree."""
        self._placeholder = (title, text)
        self._show_note()

    def _show_note(self) -> None:
        self._note.say(*self._placeholder)
        self._note.setVisible(not self._model.rowCount())

    def offer_transforms(self, has_transforms: bool) -> None:
        """Choose whether the menu offers filters."""
        self._has_transforms = has_transforms

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether there was one."""
        was_selected = self.selectionModel().hasSelection()
        self.selectionModel().clear()
        return was_selected

    # -- mouse and keys

    def _on_selected(self) -> None:
        """Emit the selected function.

        The current row would not do: Qt makes the first row current when the view takes the focus.
        """
        if not self._is_following:
            self._function = self._model.frame_of(self._chosen)
            self.function_selected.emit(self._function)
        QTimer.singleShot(0, self, self._catch_up)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        point = event.globalPos()
        index = self.indexAt(self.viewport().mapFromGlobal(point))
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            index = self._chosen  # Qt's place is off by the height of the header
            self.scrollTo(index)
            point = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
        index = index if index.isValid() else self._chosen
        frame = self._model.frame_of(index)
        if frame < 0:
            return
        scene, node = self._model.scene, index.internalId()
        has_file = scene is not None and bool(file_of(scene, node))
        menu = FunctionMenu(frame, self, self._has_transforms, is_graph=False)
        menu.offer_place(has_file)
        if menu.filters is not None:
            subtree = add_subtree(menu.filters, scene, node)
            subtree.triggered.connect(lambda: self.path_requested.emit(subtree.data()))
        path = self._model.path_of(node)
        menu.addAction("Open all below", lambda: self._act_on(path, self._open_below))
        menu.addAction("Close all", self.collapseAll)
        menu.addSeparator()
        menu.addAction("Copy row\tCtrl+C", lambda: self._act_on(path, lambda row: self.copy([row])))
        menu.addAction("Copy all open rows\tCtrl+Shift+C", lambda: self.copy(self.list_rows()))
        menu.action_requested.connect(self.action_requested)
        menu.aboutToHide.connect(menu.deleteLater)
        self._has_menu = True
        menu.aboutToHide.connect(lambda: QTimer.singleShot(0, self, self._end_menu))
        menu.popup(point)

    def _act_on(self, path: Path, act: Callable[[QModelIndex], None]) -> None:
        """Run a command of the menu on the row of ``path``, if there still is one: a refresh may
        have changed the tree while the menu was open."""
        row = self._model.find(path)
        if row.isValid():
            act(row)

    def _open_below(self, row: QModelIndex) -> None:
        self.expandRecursively(row, _MOST_OPENED)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        frame, name = self._model.frame_of(self._chosen), _KEYS.get(event.key(), "")
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        if event.matches(QKeySequence.StandardKey.Copy) and frame >= 0:
            self.copy([self._chosen])
        elif event.key() == Qt.Key.Key_C and event.modifiers() & both == both:
            self.copy(self.list_rows())
        elif name and frame >= 0 and not event.modifiers():
            self.action_requested.emit(name, frame)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and frame >= 0:
            row = self._chosen.siblingAtColumn(0)
            self.setExpanded(row, not self.isExpanded(row))
        elif event.key() == Qt.Key.Key_Asterisk and self.currentIndex().isValid():
            self._open_below(self.currentIndex().siblingAtColumn(0))  # Qt would open without limit
        elif event.text().isprintable() and event.text() and event.text() not in "*+-":
            event.ignore()  # else Qt would search for a name that begins with the letter
        else:
            super().keyPressEvent(event)

    def list_rows(self) -> list[QModelIndex]:
        """Return the rows that are not inside a collapsed row, from the top."""
        rows, index = [], self._model.index(0, 0)
        while index.isValid():
            rows.append(index)
            index = self.indexBelow(index)
        return rows

    def copy(self, rows: list[QModelIndex]) -> None:
        """Copy rows to the clipboard, with names indented by their depth."""
        depths = [len(self._model.path_of(row.internalId())) - 1 for row in rows]
        text = "\n".join(map(write_row, rows, depths))
        copy_text(text, say_copied_rows(len(rows)), self)
