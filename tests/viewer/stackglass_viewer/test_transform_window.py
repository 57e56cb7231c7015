"""Filters of frames in the window: the menu of a frame, chips, undo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMenu, QToolButton, QWidget

from harness.profiles import encode_stacks
from stackglass_viewer.app import App
from stackglass_viewer.model.graph.flame_layout import FlameLayout
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import FlameScene, name_of, path_of
from stackglass_viewer.view.dialogs.command_palette import list_actions
from stackglass_viewer.view.dialogs.pattern_dialog import PatternDialog
from stackglass_viewer.view.flame.menu import TRANSFORMS, FlameMenu
from stackglass_viewer.view.window.edit_menu import FRAME_FILTERS
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
STACKS = "main;work;parse 30\nmain;save 20\nmain;work;work;load 5"
CTRL = Qt.KeyboardModifier.ControlModifier
ALL = {"all", "main", "work", "parse", "save", "load"}


def name_path(scene: FlameScene, node: int) -> tuple[str, ...]:
    """Names from the root's to the node's."""
    return (name_of(scene, 0), *(name for name, _ in path_of(scene.tree, node)))


class TransformWindow:
    """The tab of a file, on its flame graph."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil, stacks: str = STACKS) -> None:
        path = folder / "p.pb.gz"
        path.write_bytes(encode_stacks(stacks))
        app.open_files([str(path)])
        wait_until(lambda: app.window.page is not None)
        self.page: ProfilePage = next(iter(app.documents))
        self.document: Document = app.documents[self.page]
        self.app, self.wait_until = app, wait_until
        app.window.activateWindow()

    def expect(self, names: set[str], total: int) -> None:
        """Functions that have a box, and the whole."""

        def is_shown() -> bool:
            scene = self.document.scene
            if scene is None:
                return False
            layout: FlameLayout = scene.layout
            shown = {name_of(scene, int(node)) for node in layout.node}
            return shown == names and scene.total == total

        self.wait_until(is_shown)

    def choose(self, kind: str, name: str) -> None:
        """An entry of a frame's menu."""
        self.find_entry(dict(TRANSFORMS)[kind], (name,)).trigger()

    def find_entry(self, text: str, end: tuple[str, ...]) -> QAction:
        """The filter that begins with ``text``, of the first box whose path ends so."""
        scene = self.document.scene
        assert scene is not None
        paths = ((node, name_path(scene, node)) for node in range(scene.tree.n_nodes))
        node = next(node for node, path in paths if path[-len(end) :] == end)
        self.page.flame.graph.menu_requested.emit(node, QPoint(50, 50))
        menu = next(each for each in self.page.findChildren(FlameMenu) if each.isVisible())
        filters = next(each for each in menu.findChildren(QMenu) if "Filter" in each.title())
        found = next(each for each in filters.actions() if each.text().startswith(text))
        menu.close()
        return found

    @property
    def chips(self) -> list[str]:
        buttons = self.page.transform_bar.findChildren(QToolButton)
        words = (each.text().removeprefix("\u200e") for each in buttons if each.isVisible())
        return [each for each in words if each not in ("Clear", "Undo")]


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> TransformWindow:
    made = TransformWindow(app, tmp_path, wait_until)
    made.expect(ALL, 55)
    return made


def test_steps_add_up_and_chips_take_them_away(window: TransformWindow) -> None:
    assert not window.page.transform_bar.isVisible()
    window.choose("drop", "save")
    window.expect(ALL - {"save"}, 35)
    window.choose("merge", "work")
    window.expect({"all", "main", "parse", "load"}, 35)
    assert window.chips == ["Without save", "Merged: work"]
    window.page.transform_bar._chips[0].click()
    window.expect({"all", "main", "parse", "load", "save"}, 55)
    assert window.chips == ["Merged: work"]


def test_the_edit_menu_filters_frames(window: TransformWindow) -> None:
    assert {kind for kind, _ in FRAME_FILTERS} == {kind for kind, _ in TRANSFORMS}
    bar = window.app.window.menuBar()
    actions = {command.title: action for command, action in list_actions(bar)}
    top = window.document.top.table
    assert top is not None
    actions["Filter frames ▸ Without stacks of the selected function"].trigger()
    assert [each.kind for each in window.document.transforms.chosen] == []
    assert "Select a function first, to filter by it." in str(window.page.message.notice)
    actions["Filter frames ▸ Collapse recursion"].trigger()
    window.document.selection.choose_function(list(top.name).index("save"))
    actions["Filter frames ▸ Without stacks of the selected function"].trigger()
    window.expect(ALL - {"save"}, 35)
    kinds = [each.kind.value for each in window.document.transforms.chosen]
    assert kinds == ["recursion", "drop"]


def test_a_package_is_collapsed_by_the_menu(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    stacks = "main;json.dumps;json.Encoder.encode 30\nmain 5"
    window = TransformWindow(app, tmp_path, wait_until, stacks)
    window.expect({"all", "main", "json.dumps", "json.Encoder.encode"}, 35)
    window.choose("package", "json.Encoder.encode")
    window.expect({"all", "main", "json.dumps"}, 35)
    assert window.chips == ["Collapsed: json"]
    window.choose("package", "main")  # its name has no package, and its file no folder
    assert window.chips == ["Collapsed: json"]
    notice = window.page.message.notice
    assert notice is not None
    assert "does not name this function or its package" in notice.text


SUBTREE = "Only the &subtree of this call"


def test_only_the_subtree_of_a_call_is_left(window: TransformWindow) -> None:
    window.find_entry(SUBTREE, ("work", "work")).trigger()  # not that of the outer one
    window.expect({"all", "work", "load"}, 5)
    assert window.chips == ["Subtree of work"]
    window.find_entry(SUBTREE, ("all", "work", "load")).trigger()
    window.expect({"all", "load"}, 5)
    assert window.chips == ["Subtree of load"], "one path, from the root of all"
    assert (
        window.page.transform_bar._chips[0]
        .toolTip()
        .startswith("Subtree of load\nmain\nwork\nwork\nload\nClick")
    )
    window.page.transform_bar.undo_requested.emit()
    window.expect({"all", "work", "load"}, 5)
    window.page.transform_bar._chips[0].click()
    window.expect(ALL, 55)
    window.find_entry(SUBTREE, ("main", "work")).trigger()
    window.expect({"all", "work", "parse", "load"}, 35)
    assert window.chips == ["Subtree of work"]
    assert not window.find_entry(SUBTREE, ("all",)).isEnabled()


def test_a_subtree_needs_callers_first(window: TransformWindow) -> None:
    window.app.window.setting_chosen.emit("tree", "callees")
    window.wait_until(lambda: window.document.scene is not None
                      and window.document.scene.is_inverted)  # fmt: skip
    entry = window.find_entry(SUBTREE, ("parse",))
    assert not entry.isEnabled()
    assert entry.text() == f"{SUBTREE} (needs callers first)"


def test_the_value_of_a_label_is_no_call(app: App, tmp_path: Path, wait_until: WaitUntil) -> None:
    window = TransformWindow(app, tmp_path, wait_until)
    window.expect(ALL, 55)
    window.document.labels.split("thread")
    window.expect(ALL | {"(no thread)"}, 55)
    assert not window.find_entry(SUBTREE, ("(no thread)",)).isEnabled()
    window.find_entry(SUBTREE, ("main", "save")).trigger()
    window.expect({"all", "(no thread)", "save"}, 20)
    assert window.chips == ["Subtree of save"]


def answer(text: str, row: int) -> Callable[[PatternDialog], int]:
    """What a user does with the dialog."""

    def act(dialog: PatternDialog) -> int:
        dialog.pattern.setText("(")
        assert "not a regular expression" in dialog.fault
        assert not dialog._apply.isEnabled()
        dialog.pattern.setText(text)
        dialog.kind.setCurrentIndex(row)
        assert dialog._apply.isEnabled()
        return int(QDialog.DialogCode.Accepted)

    return act


def test_a_pattern_is_typed_edited_and_undone(
    window: TransformWindow, app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PatternDialog, "exec", answer("^(sa|lo)", 1))
    QTest.keyClick(app.window, Qt.Key.Key_F, CTRL | Qt.KeyboardModifier.ShiftModifier)
    window.expect({"all", "main", "work", "parse"}, 30)
    assert window.chips == ["Without /^(sa|lo)/"]
    monkeypatch.setattr(PatternDialog, "exec", answer("^(sa|wo)", 4))
    choose_of_chip(window, 0, "&Edit the pattern…")
    window.expect({"all", "work", "save"}, 55)
    assert window.chips == ["Only frames /^(sa|wo)/"]
    choose_of_chip(window, 0, "Only through /^(sa|wo)/")
    window.expect(ALL, 55)
    window.page.transform_bar.undo_requested.emit()
    window.page.transform_bar.undo_requested.emit()
    window.expect({"all", "main", "work", "parse"}, 30)


def choose_of_chip(window: TransformWindow, place: int, text: str) -> None:
    """An entry of the menu of a chip's right button."""
    menu = window.page.transform_bar.make_menu(place)
    action = next(each for each in menu.actions() if each.text() == text)
    assert action.isEnabled()
    action.trigger()
    menu.deleteLater()


def test_a_chip_is_changed_and_moved(window: TransformWindow) -> None:
    window.choose("merge", "work")
    window.choose("focus", "parse")
    window.expect({"all", "main", "parse"}, 30)
    choose_of_chip(window, 1, "Without parse")
    window.expect({"all", "main", "save", "load"}, 25)
    assert window.chips == ["Merged: work", "Without parse"]
    choose_of_chip(window, 0, "Apply &later")
    window.wait_until(lambda: window.chips == ["Without parse", "Merged: work"])
    choose_of_chip(window, 1, "Only through work")
    window.expect({"all", "main", "work", "load"}, 5)
    menu = window.page.transform_bar.make_menu(1)
    states = {each.text(): (each.isChecked(), each.isEnabled()) for each in menu.actions()}
    assert states["Only through work"] == (True, True)
    assert states["Apply &later"] == (False, False)
    menu.deleteLater()
    choose_of_chip(window, 0, "&Remove")
    window.expect({"all", "main", "work", "parse", "load"}, 35)
    for _ in range(3):  # each change is one step back
        window.page.transform_bar.undo_requested.emit()
    window.wait_until(lambda: window.chips == ["Merged: work", "Without parse"])


def test_a_chip_of_no_function_has_no_alternatives(window: TransformWindow) -> None:
    window.choose("recursion", "work")
    window.wait_until(lambda: window.chips == ["Recursion collapsed"])
    menu = window.page.transform_bar.make_menu(0)
    texts = [each.text() for each in menu.actions() if each.text()]
    assert texts == ["Apply &earlier", "Apply &later", "&Remove"]
    menu.deleteLater()


def test_undo_and_redo(window: TransformWindow) -> None:
    window.choose("focus", "save")
    window.expect({"all", "main", "save"}, 20)
    QTest.keyClick(window.page, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    window.page.transform_bar.undo_requested.emit()
    window.expect(ALL, 55)
    assert window.chips == []
    window.page.transform_bar.redo_requested.emit()
    window.expect({"all", "main", "save"}, 20)
    window.page.transform_bar.all_dropped.emit()
    window.expect(ALL, 55)
    window.page.transform_bar.undo_requested.emit()  # of the clearing
    window.expect({"all", "main", "save"}, 20)


def test_a_subtree_and_recursion(window: TransformWindow) -> None:
    window.choose("subtree", "work")
    window.expect({"all", "work", "parse", "load"}, 35)
    window.choose("recursion", "work")
    window.wait_until(lambda: window.document.scene is not None
                      and window.document.scene.tree.n_nodes == 4)  # fmt: skip
    assert window.chips == ["From work on", "Recursion collapsed"]


def test_back_leads_through_filters_zoom_views_and_functions(window: TransformWindow) -> None:
    page, graph = window.page, window.page.flame.graph
    back, forward = page._bar._tools._back, page._bar._tools._forward
    assert not back.isEnabled()
    scene = window.document.scene
    assert scene is not None
    node = next(node for node in range(scene.tree.n_nodes) if name_of(scene, node) == "work")
    graph.camera.zoom_to(node)
    zoom = graph.camera.navigation.view
    assert graph.camera.is_zoomed
    window.choose("focus", "save")
    window.expect({"all", "main", "save"}, 20)
    page.show_view("top")
    window.document.selection.choose_function(0)
    back.click()
    assert (page.view, window.document.selection.function) == ("top", -1)
    back.click()
    assert page.view == "flame"
    assert window.chips == ["Only through save"]
    back.click()
    window.expect(ALL, 55)
    assert graph.camera.navigation.view == zoom  # in the graph as it was
    back.click()
    assert not graph.camera.is_zoomed
    assert not back.isEnabled()
    for _ in range(3):
        forward.click()
    window.expect({"all", "main", "save"}, 20)
    assert page.view == "top"
    assert forward.isEnabled()


def test_esc_takes_the_last_step_back(window: TransformWindow) -> None:
    window.choose("focus", "save")
    window.expect({"all", "main", "save"}, 20)
    QTest.keyClick(window.page.flame.graph, Qt.Key.Key_Escape)
    window.expect(ALL, 55)


def press_escape(window: TransformWindow, view: QWidget) -> tuple[int, bool, tuple[str, ...]]:
    """What is left: the selected function, whether the table is filtered, filters of frames."""
    QTest.keyClick(view, Qt.Key.Key_Escape)
    document = window.document
    names = tuple(each.name for each in document.transforms.chosen)
    return document.selection.function, bool(window.page.top._filter.text()), names


def test_esc_is_not_spent_on_a_row_that_the_filter_hides(window: TransformWindow) -> None:
    page, top = window.page, window.document.top
    page.show_view("top")
    save = next(n for n in range(5) if top.name_of(n) == "save")
    window.document.selection.choose_function(save)
    page.top.set_filter("work")
    window.wait_until(lambda: top.rowCount() == 1)
    assert press_escape(window, page.top) == (save, False, ())
    window.wait_until(lambda: top.rowCount() == 5)
    assert press_escape(window, page.top) == (-1, False, ())
    window.document.selection.choose_function(save)
    page.top.set_filter("save")  # it is shown: the selection goes first
    window.wait_until(lambda: top.rowCount() == 1)
    assert press_escape(window, page.top) == (-1, True, ())


def test_esc_counts_a_selection_that_the_view_beside_shows(window: TransformWindow) -> None:
    page, top = window.page, window.document.top
    page.show_view("both")
    save = next(n for n in range(5) if top.name_of(n) == "save")
    window.document.selection.choose_function(save)
    page.top.set_filter("work")
    window.wait_until(lambda: top.rowCount() == 1)
    assert press_escape(window, page.top) == (-1, True, ())  # the graph showed it


def count_boxes(page: ProfilePage) -> int:
    """How many functions the call graph shows."""
    panel = page.graphs.call_graph
    return len(panel.view.scene.boxes) if panel is not None and panel.view.scene is not None else 0


@pytest.mark.parametrize("view", ["flame", "top", "graph"])
def test_esc_is_not_spent_on_a_box_that_is_left_out(window: TransformWindow, view: str) -> None:
    page, document = window.page, window.document
    page.show_view("flame")
    scene = document.scene
    assert scene is not None
    save = next(n for n in range(5) if document.top.name_of(n) == "save")
    document.selection.choose_function(save)
    window.choose("drop", "save")
    window.expect(ALL - {"save"}, 35)
    page.show_view(view)
    target = page.graphs.focus_target
    if view == "graph":
        window.wait_until(lambda: count_boxes(page) > 0)
    assert press_escape(window, target) == (save, False, ())
    window.expect(ALL, 55)
    if view == "graph":
        window.wait_until(lambda: count_boxes(page) == 5)
    assert press_escape(window, target) == (-1, False, ())


def test_nothing_left_is_said(window: TransformWindow) -> None:
    window.choose("focus", "save")
    window.expect({"all", "main", "save"}, 20)
    window.choose("drop", "main")
    window.wait_until(lambda: window.document.info is not None
                      and window.document.info.is_filtered_out)  # fmt: skip
    assert window.page.graphs._placeholder[0] == "Nothing left"


def test_all_views_and_exports_have_what_is_left(window: TransformWindow) -> None:
    window.choose("drop", "work")
    window.expect({"all", "main", "save"}, 20)
    top = window.document.top
    cells = [[top.index(row, column).data() for column in range(5)] for row in range(1)]
    assert cells[0][0] == 20
    read = window.document.prepare_profile()
    assert read is not None
    assert read().n_samples == 1
