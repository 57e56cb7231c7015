"""One tab: its views, the focus, and what Esc undoes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.live.source import LIVE_TYPES
from stackglass_viewer.presenter.settings.sample_choice import arrange
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, Notice
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.label_model import LabelModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel, order_rows
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage

KEY = Qt.Key
STACKS = """
main;load;parse 30
main;save 40
idle 10
"""


@pytest.fixture
def page(qt: QApplication, tmp_path: Path) -> Iterator[ProfilePage]:
    worker = Worker("page")
    tree, values = grow_tree(STACKS, tmp_path)
    top = TopModel(worker)
    table = build_top(tree, values)
    top.set_data(table, order_rows(table, top.wish))
    made = ProfilePage(top, HeapModel(), load_theme("light"))
    colours = np.zeros(len(tree.frame_name), dtype=np.uint32)
    made.graphs.show_scene(FlameScene(tree, values, lay_out(tree, values), colours, 0))
    made.resize(1200, 700)
    made.show_view("flame")
    made.show()
    QTest.qWaitForWindowActive(made)
    made.focus_view()
    yield made
    made.close()
    made.deleteLater()
    worker.stop()


def focused() -> QWidget:
    """The widget that keys go to."""
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def press(key: Qt.Key) -> None:
    """Where the focus is, as a keyboard does."""
    QTest.keyClick(focused(), key)


def filter_of(page: ProfilePage) -> QLineEdit:
    (field,) = page.top.findChildren(QLineEdit)
    return field


def list_shown(page: ProfilePage) -> set[str]:
    parts: dict[str, QWidget | None] = {
        "flame": page.flame,
        "table": page.top,
        "sandwich": page.graphs.sandwich,
        "heap": page.tables.heap,
    }
    return {name for name, part in parts.items() if part is not None and part.isVisible()}


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        ("flame", {"flame"}),
        ("both", {"flame", "table"}),
        ("top", {"table"}),
        ("sandwich", {"table", "sandwich"}),
        ("heap", {"heap"}),
    ],
)
def test_a_view_shows_its_parts_and_takes_the_focus(
    page: ProfilePage, view: str, shown: set[str]
) -> None:
    chosen: list[str] = []
    page.view_chosen.connect(chosen.append)
    page.add_live_controls(ThreadModel())  # its boxes come first in the order of Tab
    page.show_view(view)
    assert list_shown(page) == shown
    assert chosen == [view]
    assert not isinstance(focused(), QLineEdit)
    holder = {"heap": page.tables.heap, "sandwich": page.graphs.sandwich, "top": page.top}
    place = holder.get(view) or page.flame
    assert place.isAncestorOf(focused())


def test_escape_leaves_the_filter_then_clears_the_row_then_the_filter(page: ProfilePage) -> None:
    page.show_view("top")
    patterns: list[str] = []
    page.top.filter_changed.connect(patterns.append)
    page.focus_search()
    field = filter_of(page)
    assert focused() is field
    QTest.keyClicks(field, "sa3")
    assert field.text() == "sa3", "a digit in a field is text"
    press(KEY.Key_Escape)
    assert field.text() == "sa3"
    assert page.top.isAncestorOf(focused())
    assert focused() is not field
    press(KEY.Key_Down)
    assert page.top._selected >= 0
    press(KEY.Key_Escape)
    assert page.top._selected == -1
    assert field.text() == "sa3"
    press(KEY.Key_Escape)
    assert field.text() == ""


@pytest.mark.parametrize("key", [KEY.Key_Escape, KEY.Key_Down])
def test_the_filter_beside_a_graph_is_left_for_its_table(page: ProfilePage, key: Qt.Key) -> None:
    page.show_view("both")
    filter_of(page).setFocus()
    press(key)
    assert page.top.isAncestorOf(focused())
    assert focused() is not filter_of(page)


def test_escape_leaves_the_search_then_undoes_one_thing_at_a_time(page: ProfilePage) -> None:
    graph = page.flame.graph
    page.message.show_notice(Notice("info", "saved"))
    graph.camera.zoom_to(1)
    page.focus_search()
    QTest.keyClicks(focused(), "save")
    press(KEY.Key_Escape)
    assert focused() is graph
    assert page.search.pattern == "save"
    graph.select(1)
    states = []
    for _ in range(4):
        press(KEY.Key_Escape)
        states.append(
            (
                graph.selected >= 0,
                bool(page.search.pattern),
                graph.camera.is_zoomed,
                page.message.notice is not None,
            )
        )
    assert states == [
        (False, True, True, True),
        (False, False, True, True),
        (False, False, False, True),
        (False, False, False, False),
    ]


def test_escape_on_a_button_leads_into_the_view(page: ProfilePage) -> None:
    live = page.add_live_controls(ThreadModel())
    page.flame.graph.select(1)
    live.bar._rate.setFocus()
    press(KEY.Key_Escape)
    assert focused() is page.flame.graph
    assert page.flame.graph.selected == 1, "two steps at once"


def test_a_notice_that_cannot_be_closed_stays(page: ProfilePage) -> None:
    page.message.show_notice(Notice("warning", "waiting", can_close=False))
    press(KEY.Key_Escape)
    assert page.message.notice is not None


def read_details(page: ProfilePage) -> list[str]:
    """Name, flat and cum in the bar below the graph."""
    bar = page._details
    return [bar._name.text(), *(each.text() for each in bar._values[:2])]


def test_the_details_follow_a_selection_made_elsewhere(page: ProfilePage) -> None:
    """Not only once the pointer is over the graph."""
    graph, scene = page.flame.graph, page.flame.graph.scene
    assert scene is not None
    assert read_details(page) == ["all", "0 ns", "80 ns"]
    save = scene.tree.frame_name.index("save")
    node = scene.tree.frame.tolist().index(save)
    graph.go_to(node)  # as from a search, the summary or a stack of the list
    assert read_details(page) == ["save", "40 ns", "40 ns"]
    page.show_view("both")
    page.top.function_selected.connect(lambda _: graph.select(-1))  # as the document does
    page.top._table.selectRow(page.top._model.row_of(scene.tree.frame_name.index("main")))
    assert read_details(page) == ["main", "0 ns", "70 ns"]
    page.top.clear_selection()
    assert read_details(page) == ["all", "0 ns", "80 ns"]


def test_a_view_that_is_chosen_before_its_data_come_is_shown_with_them(page: ProfilePage) -> None:
    page.tables.add_labels(LabelModel(page))
    page.show_view("labels")  # attach --view labels
    info = DocumentInfo("t", "3 s", arrange(LIVE_TYPES, 0), has_stacks=True, is_live=True)
    page.show_info(info)
    assert page.view == "flame"
    page.show_info(replace(info, has_labels=True))
    assert page.view == "labels"


def test_a_view_that_is_chosen_meanwhile_stays(page: ProfilePage) -> None:
    page.tables.add_labels(LabelModel(page))
    page.show_view("labels")
    info = DocumentInfo("t", "3 s", arrange(LIVE_TYPES, 0), has_stacks=True, is_live=True)
    page.show_info(info)
    page.show_view("top")
    page.show_info(replace(info, has_labels=True))
    assert page.view == "top"
