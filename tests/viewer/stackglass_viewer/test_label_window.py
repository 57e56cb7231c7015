"""Labels in the window, of a file and of a process: the table, filters, chips."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from harness.synthetic_engine import DEMO_STACKS, SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.label_table import LabelPattern
from stackglass_viewer.model.proto.profile_pb2 import Profile as Message
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.settings.command_search import Command
from stackglass_viewer.view.dialogs.command_palette import list_actions
from stackglass_viewer.view.labels.view import LabelView
from stackglass_viewer.view.tables.painted_table import ROW_PX
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
MS_10 = 10_000_000
SAMPLES = [("work", 40, "/a", "eve"), ("work", 20, "/b", "eve"), ("load", 10, "/b", "bob")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three samples with the labels route and user, and one without."""
    strings = ["", "cpu", "nanoseconds", "samples", "count", "route", "user"]
    message = Message()
    message.sample_type.add(type=3, unit=4)
    message.sample_type.add(type=1, unit=2)
    numbers = {"work": 1, "load": 2, "idle": 3}
    for name, number in numbers.items():
        strings.append(name)
        message.function.add(id=number, name=len(strings) - 1)
        message.location.add(id=number).line.add(function_id=number)
    for name, value, *labels in SAMPLES:
        sample = message.sample.add(location_id=[numbers[name]], value=[3, value])
        for key, text in zip((5, 6), labels, strict=True):
            strings.append(text)
            sample.label.add(key=key, str=len(strings) - 1)
    message.sample.add(location_id=[numbers["idle"]], value=[3, 5])
    message.string_table.extend(strings)
    path = tmp_path / "labels.pb"
    path.write_bytes(message.SerializeToString())
    return path


def list_chips(page: ProfilePage) -> list[str]:
    buttons = page.label_bar.findChildren(QToolButton)
    words = (each.text().removeprefix("\u200e") for each in buttons if each.isVisible())
    return [each for each in words if each != "Clear"]


class LabelWindow:
    """The tab of the file, on the view of labels."""

    def __init__(self, app: App, path: Path, wait_until: WaitUntil) -> None:
        app.open_files([str(path)])
        wait_until(lambda: app.window.page is not None)
        self.page: ProfilePage = next(iter(app.documents))
        self.document: Document = app.documents[self.page]
        wait_until(lambda: self.document.info is not None)
        self.wait_until = wait_until
        app.window.activateWindow()
        self.page.show_view("labels")
        self.expect({"/a": 40, "/b": 30})

    @property
    def view(self) -> LabelView:
        made = self.page.tables.labels
        assert made is not None
        return made

    @property
    def rows(self) -> dict[str, int]:
        model = self.document.labelled
        rows = range(model.rowCount())
        return {model.index(row, 3).data(): model.index(row, 0).data() for row in rows}

    @property
    def chips(self) -> list[str]:
        return list_chips(self.page)

    def expect(self, rows: dict[str, int]) -> None:
        self.wait_until(lambda: self.rows == rows)

    def expect_total(self, total: int) -> None:
        def is_total() -> bool:
            scene = self.document.scene
            return scene is not None and scene.total == total

        self.wait_until(is_total)

    def click(self, row: int, is_more: bool = False) -> None:
        modifier = Qt.KeyboardModifier
        held = modifier.ControlModifier if is_more else modifier.NoModifier
        place = QPoint(20, row * ROW_PX + ROW_PX // 2)
        viewport = self.view._table.viewport()
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, held, place)


@pytest.fixture
def window(app: App, path: Path, wait_until: WaitUntil) -> LabelWindow:
    return LabelWindow(app, path, wait_until)


def test_a_click_filters_every_view_and_esc_shows_all_again(window: LabelWindow) -> None:
    window.expect_total(75)
    window.click(1)
    window.expect_total(30)
    assert window.chips == ["route = /b"]
    window.view.key_chosen.emit("user")
    window.expect({"eve": 20, "bob": 10})  # only of what has /b
    window.click(0)
    window.expect_total(20)
    assert window.chips == ["route = /b", "user = eve"]
    window.click(1, is_more=True)
    window.expect_total(30)
    window.page.label_bar.label_dropped.emit(("route", "/b"))
    window.expect({"eve": 60, "bob": 10})
    for _ in range(2):  # the selection, then the filter
        assert window.chips
        QTest.keyClick(window.view._table, Qt.Key.Key_Escape)
    window.expect_total(75)
    assert window.page.label_bar.isHidden()


def test_enter_shows_the_stacks_of_a_value(window: LabelWindow) -> None:
    window.view._table.selectRow(0)
    QTest.keyClick(window.view._table, Qt.Key.Key_Return)
    window.expect_total(40)
    assert window.page.view == "flame"
    assert window.chips == ["route = /a"]


def test_the_search_leaves_values_and_esc_leaves_the_search(window: LabelWindow) -> None:
    window.page.focus_search()
    QTest.keyClicks(window.view._search, "B")
    assert window.rows == {"/b": 30}
    QTest.keyClick(window.view._search, Qt.Key.Key_Escape)  # back into the table
    assert window.rows == {"/b": 30}
    QTest.keyClick(window.view._table, Qt.Key.Key_Escape)
    assert window.rows == {"/a": 40, "/b": 30}
    assert window.document.labelled.index(0, 2).data() == 3  # samples, as the file counts them


def test_the_graph_is_split_by_a_label_and_merged_again(window: LabelWindow) -> None:
    def list_top() -> dict[str, int]:
        scene = window.document.scene
        assert scene is not None
        nodes = [node for node in scene.layout.node.tolist() if scene.tree.parent[node] == 0]
        return {name_of(scene, node): int(scene.values.total[node]) for node in nodes}

    window.view._split.click()
    roots = {"route = /a": 40, "route = /b": 30, "(no route)": 5}
    window.wait_until(lambda: list_top() == roots)
    assert window.chips == ["Split by route"]
    window.click(1)
    window.wait_until(lambda: list_top() == {"route = /b": 30})
    assert sorted(window.chips) == ["Split by route", "route = /b"]
    window.page.label_bar.all_dropped.emit()
    window.page.label_bar.split_dropped.emit()
    window.wait_until(lambda: list_top() == {"work": 60, "load": 10, "idle": 5})
    assert not window.view._split.isChecked()
    assert window.page.label_bar.isHidden()


def test_a_value_that_the_graph_begins_with_is_no_function(window: LabelWindow) -> None:
    """A filter of functions for its box left nothing."""
    document, page = window.document, window.page

    def find_box(name: str) -> int:
        scene = document.scene
        assert scene is not None
        nodes = scene.layout.node.tolist()
        return next((node for node in nodes if name_of(scene, node) == name), -1)

    document.labels.split("route")
    window.wait_until(lambda: find_box("route = /a") > 0)
    page.transform_requested.emit("focus", find_box("route = /a"))
    window.wait_until(lambda: find_box("route = /b") < 0)
    assert document.labels.chosen == {("route", "/a")}
    assert document.scene is not None
    assert document.scene.total == 40
    document.labels.drop_all()
    window.wait_until(lambda: find_box("route = /b") > 0)
    page.transform_requested.emit("drop", find_box("route = /a"))
    window.wait_until(lambda: find_box("route = /a") < 0)
    page.transform_requested.emit("focus", find_box("(no route)"))
    assert page.message.notice is not None
    assert page.message.notice.text == "(no route) is not a function. Filter by it in Labels (7)."
    page.transform_requested.emit("focus", find_box("work"))
    assert [step.name for step in document.transforms.chosen] == ["work"], "a function is one"
    document.transforms.choose(())
    document.labels.drop_all()
    document.choose_style(replace(document._style, is_inverted=True))
    window.wait_until(lambda: document.scene is not None and document.scene.is_inverted)
    window.wait_until(lambda: find_box("route = /a") > 0)
    page.transform_requested.emit("focus", find_box("route = /a"))
    assert document.labels.chosen == {("route", "/a")}
    page.transform_requested.emit("focus", find_box("work"))
    assert [step.name for step in document.transforms.chosen] == ["work"]


def test_the_graph_is_coloured_by_a_label_and_its_legend_filters(window: LabelWindow) -> None:
    legend = window.page.legend

    def list_legend() -> list[str]:
        shown = (chip for chip in legend.findChildren(QToolButton) if chip.isVisible())
        return [chip.text() for chip in shown]

    window.view._colour.click()
    window.page.show_view("flame")
    window.wait_until(lambda: list_legend() == ["/a 53.3%", "/b 40.0%"])
    scene = window.document.scene
    assert scene is not None
    assert scene.box_colours is not None
    assert len({int(colour) for colour in scene.box_colours[1:]}) == 3  # /a, /b and neither
    legend._chips[1].click()
    window.wait_until(lambda: list_legend() == ["/b 100%"])
    assert window.chips == ["route = /b"]
    legend._chips[0].click()
    window.expect_total(75)
    window.page.show_view("labels")
    assert legend.isHidden()
    window.view._colour.click()
    window.page.show_view("flame")
    window.wait_until(legend.isHidden)


def test_many_chips_do_not_make_the_window_grow(window: LabelWindow) -> None:
    page = window.page
    least = page.minimumSizeHint().width()
    page.label_bar.show_chosen(tuple(("route", f"/{'long' * 30}/{n}") for n in range(50)))
    assert page.minimumSizeHint().width() == least
    assert len(window.chips) == 4
    page.label_bar.show_chosen(())


def test_labels_of_a_process_filter_its_cpu_and_its_memory(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: session.total == 4 * MS_10)
    page, document = session.page, session.document
    document.choose_span("All")
    page.show_view("labels")
    assert page.view == "flame"  # there are no labels yet; the view comes with them
    engine.send_samples(DEMO_STACKS[:2], route="/a")
    engine.send_samples(DEMO_STACKS[3:], route="/b")
    wait_until(lambda: page.view == "labels")
    labels = page.tables.labels
    assert labels is not None
    wait_until(lambda: document.labelled.rowCount() == 2)
    labels.split_chosen.emit("route")
    wait_until(lambda: {"route = /a", "route = /b", "(no route)"} <= set(session.names))
    assert session.total == 7 * MS_10
    labels.split_chosen.emit("")
    wait_until(lambda: "route = /a" not in session.names)
    labels.label_chosen.emit(("route", "/b"))
    wait_until(lambda: session.total == MS_10)
    assert "re.match" in session.names
    assert page.label_bar.isVisible()
    assert "only route = /b" in document.saveable.describe()[0]
    engine.send_samples(DEMO_STACKS[3:], route="/b")
    wait_until(lambda: session.total == 2 * MS_10)
    document.labels.add(LabelPattern("state", "lock|GIL"))  # which only wall samples have
    assert list_chips(page) == ["route = /b"]
    document.choose_entry(page.types.findText("wall"))
    wait_until(lambda: list_chips(page) == ["route = /b", "state ~ lock|GIL"])
    document.choose_entry(page.types.findText("heap"))
    wait_until(lambda: document.info is not None and document.info.choice.heap is not None)
    assert list_chips(page) == ["route = /b"]
    assert page.label_bar.isVisible()
    assert page.label_bar.has_filters
    document.choose_entry(0)
    wait_until(lambda: page.label_bar.isVisible() and session.total == 2 * MS_10)


def test_a_view_that_a_file_lacks_cannot_be_chosen(
    app: App, window: LabelWindow, tmp_path: Path, wait_until: WaitUntil
) -> None:
    actions = app.window._view.views

    def list_disabled() -> list[str]:
        return [name for name, action in actions.items() if not action.isEnabled()]

    assert list_disabled() == ["details", "time"]
    plain = tmp_path / "plain.txt"
    plain.write_text("main;work 3\n")
    app.open_files([str(plain)])
    wait_until(lambda: app.window.page not in (None, window.page))
    wait_until(lambda: list_disabled() == ["details", "labels", "time"])
    app.window.show_page(window.page)
    assert list_disabled() == ["details", "time"]


def test_a_split_that_was_chosen_before_the_table_is_shown_is_ticked(
    app: App, path: Path, wait_until: WaitUntil
) -> None:
    app.open_files([str(path)])
    wait_until(lambda: app.window.page is not None)
    ((page, document),) = app.documents.items()
    wait_until(lambda: document.info is not None)
    document.labels.split("route")
    page.show_view("labels")
    wait_until(lambda: document.labelled.rowCount() == 2)
    assert page.tables.labels is not None
    assert page.tables.labels._split.isChecked()


@pytest.mark.parametrize("words", [("graph", "split", "label"), ("colours", "label")])
def test_the_menus_lead_to_the_choices_by_label(
    app: App, window: LabelWindow, words: tuple[str, ...]
) -> None:
    window.page.show_view("flame")

    def is_meant(command: Command) -> bool:
        return all(word in " ".join(command.path).lower() for word in words)

    (action,) = (each for command, each in list_actions(app.window.menuBar()) if is_meant(command))
    action.trigger()
    assert window.page.view == "labels"


def test_without_labels_the_menus_do_not_offer_a_choice_by_label(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("main;work 3\n")
    app.open_files([str(plain)])
    wait_until(lambda: app.window.page is not None and "labels" in app.window.page.missing)
    offered = [" ".join(command.path) for command, _ in list_actions(app.window.menuBar())]
    assert not [text for text in offered if "a label" in text]
