"""The call tree in the window: by keys, the other way round, and when the profile is another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.document.tree_model import TreeColumn
from stackglass_viewer.view.graph.menu import FunctionMenu
from stackglass_viewer.view.graph.tree_view import CallTreeView
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
KEY = Qt.Key
STACKS = "main;run;work;parse 30\nmain;run;save 20\nmain;run;work;load 5"


class TreeWindow:
    """The tab of a file, on its call tree."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil, stacks: str = STACKS) -> None:
        path = folder / "p.pb.gz"
        path.write_bytes(encode_stacks(stacks))
        app.open_files([str(path)])
        wait_until(lambda: app.window.page is not None)
        self.app = app
        self.page: ProfilePage = next(iter(app.documents))
        self.document: Document = app.documents[self.page]
        wait_until(lambda: self.document.scene is not None)
        app.window.activateWindow()
        QTest.keyClick(self.page.flame.graph, KEY.Key_Y)
        wait_until(lambda: self.rows != [])

    @property
    def view(self) -> CallTreeView:
        made = self.page.tables.tree
        assert made is not None
        return made

    @property
    def rows(self) -> list[str]:
        """The names that can be seen, as deep as they stand."""

        def write(row: QModelIndex) -> str:
            depth, parent = 0, row.parent()
            while parent.isValid():
                depth, parent = depth + 1, parent.parent()
            return f"{'.' * depth}{row.siblingAtColumn(TreeColumn.NAME).data()}"

        return [write(row) for row in self.view.list_rows()]

    def open_menu(self) -> FunctionMenu:
        """The menu of the chosen row, as the Menu key opens it."""
        # Qt sends such an event to the view, with the place of the row in the viewport.
        place = self.view.visualRect(self.view.currentIndex()).center()
        event = QContextMenuEvent(
            QContextMenuEvent.Reason.Keyboard, place, self.view.mapToGlobal(place)
        )
        QApplication.sendEvent(self.view, event)
        menu = self.view.findChild(FunctionMenu)
        assert menu is not None
        return menu


def trigger(menu: FunctionMenu, text: str) -> None:
    next(each for each in menu.actions() if each.text().split("\t")[0] == text).trigger()


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> TreeWindow:
    return TreeWindow(app, tmp_path, wait_until)


def test_the_path_that_has_everything_is_open(window: TreeWindow) -> None:
    assert window.page.view == "tree"
    assert window.view.hasFocus()
    assert window.document.selection.function == -1, "looking at it chooses nothing"
    assert window.rows == ["main", ".run", "..work", "..save"]


def test_file_and_line_of_a_row_are_copied(window: TreeWindow) -> None:
    view = window.view
    view.setCurrentIndex(view.list_rows()[2])
    trigger(window.open_menu(), "Copy file and line")
    assert QGuiApplication.clipboard().text() == "work.py"


def test_only_the_subtree_of_a_row_is_left(window: TreeWindow, wait_until: WaitUntil) -> None:
    view = window.view
    view.setCurrentIndex(view.list_rows()[2])
    filters = window.open_menu().filters
    assert filters is not None
    filters.actions()[0].trigger()
    path = Transform(TransformKind.CALL_PATH, "main\nrun\nwork")
    assert window.document.transforms.chosen == (path,)
    wait_until(lambda: window.rows == ["work", ".parse", ".load"])


def test_arrows_open_and_select_and_keys_lead_to_other_views(
    window: TreeWindow, wait_until: WaitUntil
) -> None:
    view = window.view
    for key in (KEY.Key_Down, KEY.Key_Down, KEY.Key_Right, KEY.Key_Down):
        QTest.keyClick(view, key)
    assert window.rows == ["main", ".run", "..work", "...parse", "...load", "..save"]
    chosen = view.currentIndex().siblingAtColumn(TreeColumn.NAME).data()
    assert window.document.top.name_of(window.document.selection.function) == chosen == "parse"
    QTest.keyClick(view, KEY.Key_Escape)
    assert window.document.selection.function == -1
    QTest.keyClick(view, KEY.Key_3)
    assert window.page.view == "top"
    QTest.keyClick(window.page.top, KEY.Key_Y)
    assert window.page.view == "tree"
    view.setCurrentIndex(view.list_rows()[2])
    QTest.keyClick(view, KEY.Key_C)
    assert window.page.view == "sandwich"


def test_callees_first_and_back(window: TreeWindow, wait_until: WaitUntil) -> None:
    QTest.keyClick(window.view, KEY.Key_I)
    wait_until(lambda: window.rows == ["parse", "save", "load"])
    QTest.keyClick(window.view, KEY.Key_I)
    wait_until(lambda: window.rows == ["main", ".run", "..work", "..save"])


def test_open_rows_stay_open_when_the_profile_is_another(
    window: TreeWindow, wait_until: WaitUntil
) -> None:
    window.view.setExpanded(window.view.list_rows()[2], True)
    window.view.setCurrentIndex(window.view.list_rows()[2])
    window.document.transforms.add(Transform(TransformKind.DROP, "load"))
    wait_until(lambda: window.rows == ["main", ".run", "..work", "...parse", "..save"])
    assert window.view.currentIndex().siblingAtColumn(TreeColumn.NAME).data() == "work"
    QTest.keyClick(window.app.window, KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_until(lambda: "...load" in window.rows)


def test_rows_are_copied_as_deep_as_they_stand(window: TreeWindow) -> None:
    held = Qt.KeyboardModifier.ControlModifier
    window.view.setCurrentIndex(window.view.list_rows()[2])
    QTest.keyClick(window.view, KEY.Key_C, held)
    (line,) = QGuiApplication.clipboard().text().splitlines()
    assert line.split("\t")[1:4] == ["63.6%", "0", "    work"]
    QTest.keyClick(window.view, KEY.Key_C, held | Qt.KeyboardModifier.ShiftModifier)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 4


@pytest.mark.parametrize("row", [0, 2, 3])
def test_the_menu_key_opens_the_menu_of_the_chosen_row(window: TreeWindow, row: int) -> None:
    view = window.view
    view.setCurrentIndex(view.list_rows()[row])
    menu = window.open_menu()
    assert menu.pos().y() >= view.viewport().mapToGlobal(QPoint(0, 0)).y()
    trigger(menu, "Copy row")
    assert QGuiApplication.clipboard().text().split("\t")[3].strip() == (
        window.rows[row].lstrip(".")
    )
    menu.close()


def test_the_menu_is_for_its_row_after_a_refresh(window: TreeWindow, wait_until: WaitUntil) -> None:
    view, clipboard = window.view, QGuiApplication.clipboard()
    view.setCurrentIndex(view.list_rows()[2])  # work
    menu = window.open_menu()
    window.document.transforms.add(Transform(TransformKind.DROP, "save"))
    wait_until(lambda: "..save" not in window.rows)
    window.document.transforms.add(Transform(TransformKind.FOCUS, "load"))  # other nodes
    wait_until(lambda: view._model.scene is not None and view._model.scene.tree.n_nodes == 5)
    trigger(menu, "Copy row")
    assert clipboard.text().split("\t")[3] == "    work"
    assert window.rows == ["main", ".run", "..work"]
    trigger(menu, "Open all below")
    assert window.rows == ["main", ".run", "..work", "...load"]
    window.document.transforms.add(Transform(TransformKind.DROP, "load"))
    wait_until(lambda: window.rows == [])
    clipboard.setText("as it was")
    for text in ("Copy row", "Open all below"):
        trigger(menu, text)  # the row is gone
    assert clipboard.text() == "as it was"
    menu.close()


def test_all_below_a_row_ends_after_forty_levels(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    stack = ";".join(f"f{depth}" for depth in range(60))
    window = TreeWindow(app, tmp_path, wait_until, f"{stack} 30")
    view = window.view
    view.collapseAll()
    view.setCurrentIndex(view.list_rows()[0])
    QTest.keyClick(view, KEY.Key_Asterisk)
    assert len(window.rows) == 42  # the row is open, and so are forty levels below it
    view.collapseAll()
    menu = window.open_menu()
    trigger(menu, "Open all below")
    assert len(window.rows) == 42
    menu.close()


def test_a_row_that_is_gone_leaves_the_function_to_other_views(
    window: TreeWindow, wait_until: WaitUntil
) -> None:
    view = window.view
    view.setCurrentIndex(view.list_rows()[3])
    function = window.document.selection.function
    window.document.transforms.add(Transform(TransformKind.DROP, "save"))
    wait_until(lambda: "..save" not in window.rows)
    assert not view.clear_selection()
    assert window.document.selection.function == function


def test_nothing_left_is_said(window: TreeWindow, wait_until: WaitUntil) -> None:
    window.document.transforms.add(Transform(TransformKind.DROP, "main"))
    wait_until(lambda: window.rows == [])
    wait_until(window.view._note.isVisible)
    assert window.view._note._title.text() == "Nothing left"


def test_rows_stay_where_they_are_while_one_is_aimed_at(
    window: TreeWindow, wait_until: WaitUntil
) -> None:
    view, scene = window.view, window.document.scene
    assert scene is not None
    rows = ["main", ".run", "..work", "..save"]
    more = replace(scene, values=replace(scene.values, total=scene.values.total.copy()))
    name = [name_of(scene, node) for node in range(scene.tree.n_nodes)]
    more.values.total[name.index("save")] = 40  # more than work
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Enter))
    view.show_scene(more)
    assert window.rows == rows
    head = Qt.Orientation.Horizontal
    assert view.model().headerData(TreeColumn.NAME, head).endswith("order held")
    QApplication.sendEvent(view.viewport(), QEvent(QEvent.Type.Leave))
    wait_until(lambda: window.rows == ["main", ".run", "..save", "..work"])
    assert view.model().headerData(TreeColumn.NAME, head) == "Function"
    view.setCurrentIndex(view.list_rows()[2])  # which has the keys
    view.show_scene(scene)
    assert window.rows == ["main", ".run", "..save", "..work"]
    QTest.keyClick(view, KEY.Key_Escape)
    wait_until(lambda: window.rows == rows)


def test_a_filter_puts_rows_in_order_even_under_the_pointer(
    window: TreeWindow, wait_until: WaitUntil
) -> None:
    QApplication.sendEvent(window.view.viewport(), QEvent(QEvent.Type.Enter))
    window.document.transforms.add(Transform(TransformKind.DROP, "parse"))  # save has more now
    wait_until(lambda: window.rows == ["main", ".run", "..save", "..work"])


def test_a_search_goes_from_row_to_row(window: TreeWindow, wait_until: WaitUntil) -> None:
    held = Qt.KeyboardModifier.ControlModifier
    view, field = window.view, window.page.search._field
    QTest.keyClick(view, KEY.Key_F, held)
    assert window.page.view == "tree"
    wait_until(field.hasFocus)
    QTest.keyClicks(field, "parse|load")
    QTest.keyClick(field, KEY.Key_Return)
    wait_until(lambda: "...parse" in window.rows)
    wait_until(lambda: window.page.search._result.text().startswith("1 of 2"))
    assert [view._is_match(row) for row in view.list_rows()][:4] == [False, False, False, True]
    assert view.currentIndex().siblingAtColumn(TreeColumn.NAME).data() == "parse"
    QTest.keyClick(field, KEY.Key_Return)
    wait_until(lambda: window.page.search._result.text().startswith("2 of 2"))
    assert view.currentIndex().siblingAtColumn(TreeColumn.NAME).data() == "load"
    assert field.hasFocus()
    QTest.keyClick(field, KEY.Key_Escape)  # to the rows
    assert view.hasFocus()
    QTest.keyClick(view, KEY.Key_Escape)  # no row is chosen
    QTest.keyClick(view, KEY.Key_Escape)
    assert window.page.search.pattern == ""
    wait_until(lambda: not any(view._is_match(row) for row in view.list_rows()))


def name_of_chosen(view: CallTreeView) -> str:
    chosen = view._chosen
    return str(chosen.siblingAtColumn(TreeColumn.NAME).data()) if chosen.isValid() else ""


def test_the_function_that_is_selected_elsewhere_is_selected(window: TreeWindow) -> None:
    view, document, graph = window.view, window.document, window.page.flame.graph
    scene = document.scene
    assert scene is not None
    node = {name_of(scene, each): each for each in range(scene.tree.n_nodes)}
    view.setCurrentIndex(view.list_rows()[2])
    emitted: list[int] = []
    view.function_selected.connect(emitted.append)
    graph.node_selected.emit(node["save"])
    assert name_of_chosen(view) == "save"
    graph.node_selected.emit(node["parse"])
    assert name_of_chosen(view) == "parse", "inside a collapsed row, which is expanded"
    assert "...parse" in window.rows
    document.selection.choose_function(-1)
    assert name_of_chosen(view) == ""
    assert emitted == []


def test_a_hidden_tree_selects_the_function_once_it_is_shown(
    window: TreeWindow, wait_until: WaitUntil
) -> None:
    view, document = window.view, window.document
    view.setCurrentIndex(view.list_rows()[2])
    QTest.keyClick(view, KEY.Key_3)
    wait_until(lambda: not view.isVisible())
    names = [document.top.name_of(each) for each in range(document.top.rowCount())]
    document.selection.choose_function(names.index("load"))
    QTest.keyClick(window.page.top, KEY.Key_Y)
    wait_until(lambda: name_of_chosen(view) == "load")
    QTest.keyClick(view, KEY.Key_I)  # the tree of callers: other rows
    wait_until(lambda: window.rows[:1] == ["parse"])
    assert name_of_chosen(view) == "load"


def test_a_selected_row_of_the_function_stays(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    window = TreeWindow(app, tmp_path, wait_until, "main;a;work 30\nmain;b;work 5")
    view, selection = window.view, window.document.selection
    view.expandAll()
    rows = {name: row for name, row in zip(window.rows, view.list_rows(), strict=True)}
    assert window.rows == ["main", ".a", "..work", ".b", "..work"]
    view.setCurrentIndex(rows["..work"])  # the second, which costs less
    function = selection.function
    selection.choose_function(-1)
    view.setCurrentIndex(view.list_rows()[4])
    selection.choose_function(function)
    assert view._chosen.parent().siblingAtColumn(TreeColumn.NAME).data() == "b"
    selection.choose_function(-1)
    selection.choose_function(function)
    assert view._chosen.parent().siblingAtColumn(TreeColumn.NAME).data() == "a"
    view.setExpanded(view.list_rows()[1], False)
    selection.choose_function(-1)
    selection.choose_function(function)
    assert view._chosen.parent().siblingAtColumn(TreeColumn.NAME).data() == "b", "in sight"


def test_the_main_path_of_a_difference_that_shrank_is_open(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    window = TreeWindow(app, tmp_path, wait_until, "main;run;work -30\nmain;run;save 1")
    assert window.rows == ["main", ".run", "..work", "..save"]
