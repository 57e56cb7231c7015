"""The call tree in the window: by keys, the other way round, and when the profile is another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.document.tree_model import TreeColumn
from stackglass_viewer.view.graph.tree_view import CallTreeView
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
KEY = Qt.Key
STACKS = "main;run;work;parse 30\nmain;run;save 20\nmain;run;work;load 5"


class TreeWindow:
    """The tab of a file, on its call tree."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil) -> None:
        path = folder / "p.pb.gz"
        path.write_bytes(encode_stacks(STACKS))
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


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> TreeWindow:
    return TreeWindow(app, tmp_path, wait_until)


def test_the_path_that_has_everything_is_open(window: TreeWindow) -> None:
    assert window.page.view == "tree"
    assert window.view.hasFocus()
    assert window.document.selection.function == -1, "looking at it chooses nothing"
    assert window.rows == ["main", ".run", "..work", "..save"]


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
    assert line.split("\t")[1:4] == ["63.6%", "–", "    work"]
    QTest.keyClick(window.view, KEY.Key_C, held | Qt.KeyboardModifier.ShiftModifier)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 4


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
