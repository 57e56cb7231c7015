"""Annotated source in the window: lines, costs, the editor, files that are elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QToolButton

from harness.profiles import encode_stacks
from stackglass_viewer import editing
from stackglass_viewer.app import App
from stackglass_viewer.editing import Editing
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.settings.view_layout import make_preset
from stackglass_viewer.presenter.tables.source_model import SourceField, SourceText
from stackglass_viewer.view.source.view import SourceView
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
STACKS = "its_main;its_work 30\nits_main;its_save 5"
"""Each in a file of its name, line 1. Files are also looked for in the folders above, where
other programs may have a ``work.py``."""
FIELDS = list(SourceField)
NOW_S = 4_000_000_000  # 2096: after any file of the test


class SourceWindow:
    """The tab of a file whose functions are in files of a folder."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil) -> None:
        path = folder / "p.pb.gz"
        path.write_bytes(encode_stacks(STACKS))
        app.open_files([str(path)])
        wait_until(lambda: app.window.page is not None)
        self.page: ProfilePage = next(iter(app.documents))
        self.document: Document = app.documents[self.page]
        wait_until(lambda: self.document.top.rowCount() > 0)
        self.model = self.document.source.model
        self.wait_until = wait_until
        app.window.activateWindow()

    def view_of_source(self) -> SourceView:
        """Shown, with the text of the costliest function."""
        self.page.show_view("source")
        self.wait_until(lambda: self.model.text is not None)
        return self.view

    @property
    def view(self) -> SourceView:
        made = self.page.tables.source
        assert made is not None
        return made

    def function(self, name: str) -> int:
        """Its number."""
        model = self.document.top
        functions = [model.function_at(row) for row in range(model.rowCount())]
        found = {each: self.document.source.find(each) for each in functions}
        return next(number for number, subject in found.items() if subject and subject.name == name)

    def expect(self, **cells: list[object]) -> None:
        """Columns of the rows that are there."""

        def list_cells(name: str) -> list[object]:
            column = FIELDS.index(SourceField[name])
            return [self.model.index(row, column).data() for row in range(self.model.rowCount())]

        self.wait_until(lambda: all(list_cells(name) == cells[name] for name in cells))


@pytest.fixture
def window(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> SourceWindow:
    monkeypatch.chdir(tmp_path)
    return SourceWindow(app, tmp_path, wait_until)


def test_the_file_of_the_costliest_function_opens_first(
    window: SourceWindow, tmp_path: Path
) -> None:
    (tmp_path / "its_work.py").write_text("def its_work():\n\treturn 1\n")
    QAbstractItemModelTester(window.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    QTest.keyClick(window.page.flame.graph, Qt.Key.Key_6)
    window.page.show_view("source")
    window.expect(
        TEXT=["def its_work():", "    return 1"], FLAT=[30, ""], CUM=[30, ""], NUMBER=["1", "2"]
    )
    assert (window.model.heat_at(0), window.model.heat_at(1)) == (1.0, 0.0)
    assert window.model.is_chosen(0)
    window.document.source.choose(window.function("its_main"))  # there is no its_main.py here
    window.expect(TEXT=[""], FLAT=[0], CUM=[35])


def test_it_follows_the_selection_in_the_graph_with_callers_first(
    window: SourceWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function without a file has its caller shown, which the graph knows."""
    followed: list[int] = []
    monkeypatch.setattr(window.document.source, "follow", followed.append)
    window.view_of_source()
    window.document.selection.select_function(window.function("its_save"))
    assert followed == [-1, window.function("its_save")]
    assert window.document.source._scene is window.document.scene is not None


def test_it_opens_at_the_selected_function(window: SourceWindow, tmp_path: Path) -> None:
    (tmp_path / "its_save.py").write_text("its_save\n")
    window.document.selection.select_function(window.function("its_save"))
    window.page.show_view("source")
    window.expect(TEXT=["its_save"], FLAT=[5])


def test_keys_over_a_frame_and_a_row_lead_to_its_source(
    window: SourceWindow, tmp_path: Path
) -> None:
    (tmp_path / "its_save.py").write_text("its_save\n")
    window.page.show_view("flame")
    scene = window.document.scene
    assert scene is not None
    window.wait_until(lambda: window.page.flame.graph.scene is not None)
    node = scene.tree.frame.tolist().index(window.function("its_save"))
    window.page.flame.graph.select(node)
    QTest.keyClick(window.page.flame.graph, Qt.Key.Key_L)
    assert window.page.view == "source"
    window.expect(TEXT=["its_save"])
    window.page.show_view("top")
    window.page.top.action_requested.emit("source", window.function("its_work"))
    assert window.page.view == "source"
    window.expect(CUM=[30])


def test_sources_of_another_folder(window: SourceWindow, tmp_path: Path, app: App) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "its_work.py").write_text("there\n")
    window.page.show_view("source")
    window.expect(TEXT=[""])
    assert "not on this machine" in window.view._hint.text()
    app.preferences.source_path = str(elsewhere)
    window.document.source.set_source_path(app.preferences.source_path)
    window.expect(TEXT=["there"])
    assert "not on this machine" not in window.view._hint.text()


def test_a_file_that_is_found_later_opens_at_the_function(window: SourceWindow) -> None:
    """First it has only the line with costs, then all lines."""
    view, model = window.view_of_source(), window.model
    text = model.text
    assert text is not None
    costs = replace(text.costs, number=text.costs.number + 299)
    lost = replace(text, lines=None, path="", costs=costs, first=300)
    found = replace(lost, lines=["pass"] * 900, path="there.py")
    table = view._table

    def show(shown: SourceText | None) -> int:
        model.show_text(shown)
        view.show_text(shown)
        return model.line_at(table.currentIndex().row())

    show(None)
    assert show(lost) == 300
    assert show(found) == 300
    place_px = table.verticalScrollBar().value()
    assert place_px > 0
    table.selectRow(700)
    table.verticalScrollBar().setValue(0)
    assert show(replace(found, whole=99)) == 701, "a refresh does not scroll"
    assert table.verticalScrollBar().value() == 0
    show(None)
    assert show(found) == 300, "nothing was shown before"
    assert table.verticalScrollBar().value() == place_px


def test_the_editor_opens_the_line(
    window: SourceWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, app: App
) -> None:
    (tmp_path / "its_work.py").write_text("its_work\nmore\n")
    editor, opened = tmp_path / "bin" / "code", tmp_path / "opened"
    editor.parent.mkdir()
    editor.write_text(f'#!/bin/sh\necho "$@" > "{opened}.part" && mv "{opened}.part" "{opened}"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("PATH", f"{editor.parent}{os.pathsep}{os.environ['PATH']}")
    app.preferences.set_choice("editor", "vscode")
    window.page.top.action_requested.emit("editor", window.function("its_work"))
    window.wait_until(opened.exists)
    assert opened.read_text() == f"{tmp_path / 'its_work.py'}\n"  # no line of definition is known
    opened.unlink()
    window.page.show_view("source")
    window.expect(TEXT=["its_work", "more"])
    QTest.keyClick(window.view._table, Qt.Key.Key_Down)
    QTest.keyClick(window.view._table, Qt.Key.Key_E)
    window.wait_until(opened.exists)
    assert opened.read_text() == f"--goto {tmp_path / 'its_work.py'}:2\n"


def test_every_view_of_functions_opens_them_in_the_editor(
    window: SourceWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []
    monkeypatch.setattr(Editing, "_open_function", lambda *arguments: opened.append(arguments[-1]))
    graphs, function = window.page.graphs, window.function("its_work")
    for view in ("tree", "sandwich", "graph", "time"):
        window.page.show_view(view)
    graphs.show_layout(make_preset("time"))  # the file has no times, and so not this view
    parts = (window.page.tables.tree, graphs.sandwich, graphs.call_graph, graphs.times)
    for part in parts:
        assert part is not None
        part.action_requested.emit("editor", function)
        part.action_requested.emit("other", function)
    assert opened == [function] * len(parts)


def test_l_and_e_in_the_sandwich_are_for_the_selected_box(
    window: SourceWindow, tmp_path: Path
) -> None:
    (tmp_path / "its_work.py").write_text("its_work\n")
    window.document.selection.choose_function(window.function("its_main"))
    window.page.show_view("sandwich")
    view = window.page.graphs.sandwich
    assert view is not None
    graph = view.callees.graph
    window.wait_until(lambda: graph.scene is not None)
    asked: list[tuple[str, int]] = []
    view.action_requested.connect(lambda name, function: asked.append((name, function)))
    scene, wanted = graph.scene, window.function("its_work")
    assert scene is not None
    graph.select(scene.tree.frame.tolist().index(wanted))
    QTest.keyClick(graph, Qt.Key.Key_E)
    QTest.keyClick(graph, Qt.Key.Key_L)
    assert asked == [("editor", wanted), ("source", wanted)]
    assert window.page.view == "source"


def test_an_editor_that_is_not_there_is_said(
    window: SourceWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, app: App
) -> None:
    (tmp_path / "its_work.py").write_text("its_work\n")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    app.preferences.set_choice("editor", "vscode")
    window.page.top.action_requested.emit("editor", window.function("its_work"))

    def text() -> str:
        notice = app.window.message.notice
        return "" if notice is None else notice.text

    window.wait_until(lambda: "No editor was found" in text())
    window.page.top.action_requested.emit("editor", window.function("its_main"))
    window.wait_until(lambda: "its_main.py is not on this machine" in text())


def test_a_refresh_keeps_the_line_one_looks_at(window: SourceWindow, tmp_path: Path) -> None:
    (tmp_path / "its_work.py").write_text("its_work\nmore\n")
    window.page.show_view("source")
    window.expect(TEXT=["its_work", "more"])
    table = window.view._table
    assert table.currentIndex().row() == 0
    table.selectRow(1)
    window.document.build()
    window.wait_until(lambda: not window.document.is_building)
    window.expect(TEXT=["its_work", "more"])
    assert table.currentIndex().row() == 1


def test_n_goes_to_the_costliest_lines_and_esc_clears(window: SourceWindow, tmp_path: Path) -> None:
    (tmp_path / "its_work.py").write_text("its_work\nmore\n")
    window.page.show_view("source")
    window.expect(TEXT=["its_work", "more"])
    table = window.view._table
    table.selectRow(1)
    QTest.keyClick(table, Qt.Key.Key_N)
    assert table.currentIndex().row() == 0
    assert window.view.clear_selection()
    assert not window.view.clear_selection()


def test_a_changed_file_is_said(window: SourceWindow, tmp_path: Path) -> None:
    """Only if the profile says when it was taken."""
    source = tmp_path / "its_work.py"
    source.write_text("its_work\n")
    os.utime(source, (NOW_S, NOW_S))
    window.page.show_view("source")
    window.expect(TEXT=["its_work"])
    assert "was changed after" not in window.view._hint.text()


def test_views_beside_it_keep_their_width_whatever_it_shows(window: SourceWindow) -> None:
    """Buttons come and go with a file that is not on this machine."""
    window.page.show_view("source")
    view = window.view
    widths = {view.minimumSizeHint().width()}
    window.wait_until(lambda: window.model.text is not None)
    text = window.model.text
    assert text is not None
    for shown in (None, replace(text, lines=None), replace(text, lines=("pass",))):
        view.show_text(shown)
        QApplication.processEvents()
        widths.add(view.minimumSizeHint().width())
        buttons = [each for each in view.findChildren(QToolButton) if not each.isHidden()]
        assert sum(each.sizeHint().width() for each in buttons) < view.minimumSizeHint().width()
    assert len(widths) == 1


def test_a_folder_of_sources_is_for_all_tabs(
    window: SourceWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, app: App
) -> None:
    other = tmp_path / "other.pb.gz"
    other.write_bytes(encode_stacks(STACKS))
    app.open_files([str(other)])
    window.wait_until(lambda: len(app.documents) == 2)
    second = list(app.documents.values())[1]
    window.wait_until(lambda: app.recent.paths[:1] == (str(other),))  # it is connected
    window.page.show_view("source")
    for folder in (tmp_path / "elsewhere", tmp_path / "a:b"):
        monkeypatch.setattr(editing, "ask_source_folder", lambda *_, it=folder: str(it))
        window.view.folder_requested.emit("its_work.py")
    assert second.source._source_path == str(tmp_path / "elsewhere")
    assert app.preferences.source_path == str(tmp_path / "elsewhere")
    assert app.window.message.notice is not None
    assert "colon" in app.window.message.notice.text
