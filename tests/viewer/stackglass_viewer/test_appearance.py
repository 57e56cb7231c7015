"""Themes, palettes and the order of frames: chosen in the menu, applied to open tabs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit

from harness.profiles import encode_stacks
from stackglass_viewer.app import App
from stackglass_viewer.presenter.document.flame_scene import details_of, name_of, stack_text
from stackglass_viewer.view.dialogs.attach_dialog import AttachDialog
from stackglass_viewer.view.flame import painter
from stackglass_viewer.view.flame.view import FlameView
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.pane_border import PaneBorder
from stackglass_viewer.view.window.profile_page import ProfilePage


def test_choices_change_an_open_tab_and_are_kept(app: App, tmp_path: Path, wait_until: Any) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 40"))
    app.open_files((str(path),))
    wait_until(
        lambda: app.window.page is not None and app.window.page.flame.graph.scene is not None
    )
    graph = app.window.page.flame.graph  # type: ignore[union-attr] # waited for
    seen = [graph.scene]
    for group, value in (("palette", "safe"), ("theme", "dark"), ("hue", "file")):
        app.window.setting_chosen.emit(group, value)
        wait_until(lambda: graph.scene is not seen[-1])
        seen.append(graph.scene)
        before, after = seen[-2:]
        assert before is not None
        assert after is not None
        assert (before.colours != after.colours).any()
    document = next(iter(app.documents.values()))
    assert [app.preferences.choice(key) for key in ("palette", "theme", "hue")] == [
        "safe",
        "dark",
        "file",
    ]
    app.window.setting_chosen.emit("order", "name")
    assert app.preferences.choice("order") == "name"
    wait_until(lambda: graph.scene is not seen[-1])
    assert document.info is not None


def test_nothing_moves_when_the_theme_changes(app: App, tmp_path: Path, wait_until: Any) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 40"))
    app.window.resize(1280, 800)
    app.open_files((str(path),))
    wait_until(
        lambda: app.window.page is not None and app.window.page.flame.graph.scene is not None
    )
    QApplication.processEvents()
    before = list_places(app.window)
    for theme in ("dark", "light"):
        app.window.setting_chosen.emit("theme", theme)
        QApplication.processEvents()
        after = list_places(app.window)
        assert list(after) == list(before)
        for name, place in after.items():
            # A list of choices may be a pixel narrower: Qt rounds its width anew.
            assert place == pytest.approx(before[name], abs=1), (theme, name)


def list_places(window: MainWindow) -> dict[str, tuple[int, int, int, int]]:
    """Buttons and fields that are shown: left, top, width and height, in pixels."""
    shown = [
        each
        for kind in (QAbstractButton, QLineEdit, QComboBox)
        for each in window.findChildren(kind)
        if each.isVisible() and each.accessibleName()
    ]
    corners = [(each, each.mapTo(window, QPoint())) for each in shown]
    return {
        each.accessibleName(): (corner.x(), corner.y(), each.width(), each.height())
        for each, corner in corners
    }


def test_an_open_dialog_of_processes_follows_the_theme(app: App) -> None:
    """Its table paints itself: of it, no style sheet changes a colour."""
    app.process_choice.show_dialog()
    dialog = app.window.findChild(AttachDialog)
    assert isinstance(dialog, AttachDialog)
    header = dialog._table.horizontalHeader().viewport()
    light = header.grab().toImage().pixelColor(3, 3)
    app.window.setting_chosen.emit("theme", "dark")
    dark = header.grab().toImage().pixelColor(3, 3)
    assert light.lightness() > 200
    assert dark.lightness() < 60
    assert dialog._table.itemDelegate().theme == app.windows._find_theme()  # type: ignore[attr-defined] # of its own class
    app.process_choice.end()


def test_the_graph_is_inverted_by_its_key_and_stays_so(
    app: App, tmp_path: Path, wait_until: Any
) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load;parse 10\nmain;save;parse 30\nmain;save 40"))
    app.open_files((str(path),))
    wait_until(lambda: bool(app.documents) and next(iter(app.documents.values())).scene is not None)
    ((page, document),) = app.documents.items()
    graph = page.flame.graph
    document.search.set_pattern("load")
    wait_until(lambda: document.search.matches is not None)
    app.window._choices["tree"].choose_next()
    wait_until(lambda: graph.scene is not None and graph.scene.is_inverted)
    scene = graph.scene
    assert scene is not None
    first = [name_of(scene, node) for node in scene.layout.node[1:3].tolist()]
    assert first == ["parse", "save"]
    load = next(node for node in range(scene.tree.n_nodes) if name_of(scene, node) == "load")
    assert stack_text(scene, load).splitlines()[0].startswith("parse")
    assert details_of(scene, load).relation == "Of callee"
    assert details_of(scene, load).parent_share == 0.25
    document.show_sandwich(True)  # which is cut from the graph that has its callers first
    document.selection.choose_function(int(scene.tree.frame[load]))
    wait_until(
        lambda: document.sandwich.shown is not None and document.sandwich.shown.name == "load"
    )
    shown = document.sandwich.shown
    assert shown is not None
    assert [name_of(shown.callees, node) for node in shown.callees.layout.node[1:].tolist()] == [
        "parse"
    ]
    assert app.preferences.choice("tree") == "callees"
    app.window._choices["tree"].choose_next()
    wait_until(lambda: graph.scene is not None and not graph.scene.is_inverted)


def test_the_root_is_at_the_bottom_of_a_flame(app: App, tmp_path: Path, wait_until: Any) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 40"))
    app.open_files((str(path),))
    wait_until(lambda: bool(app.documents) and next(iter(app.documents.values())).scene is not None)
    (page,) = app.documents
    graph = page.flame.graph
    middle = graph.width() / 2
    assert graph._node_at(QPointF(middle, 5)) == 0
    app.window.setting_chosen.emit("shape", "flame")
    assert graph._node_at(QPointF(middle, 5)) == -1
    assert graph._node_at(QPointF(middle, graph.height() - 5)) == 0
    picture, scene = graph.grab().toImage(), graph.scene
    assert scene is not None
    root = QColor.fromRgb(scene.root_colour & 0xFFFFFF)
    assert picture.pixelColor(round(middle), picture.height() - 10) == root
    assert picture.pixelColor(round(middle), 10) != root
    app.open_files((str(path),))  # as are those of tabs to come
    wait_until(lambda: len(app.documents) == 2)
    other = list(app.documents)[1]
    wait_until(lambda: other.flame.graph.camera.geometry.is_upward)


def test_the_border_beside_a_graph_is_where_it_was_left(
    app: App, tmp_path: Path, wait_until: Any
) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 40"))
    app.open_files((str(path),))
    wait_until(lambda: bool(app.documents) and next(iter(app.documents.values())).scene is not None)
    page = next(iter(app.documents))
    page.show_view("both")
    area = page.area
    wait_until(lambda: page.top.isVisible() and area.width() == page.width() - area.x())
    border = next(each for each in area.findChildren(PaneBorder) if each.isVisible())
    middle, away = border.rect().center(), QPoint(-round(area.width() * 0.2), 0)
    QTest.mousePress(border, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(border, middle + away)
    QTest.mouseRelease(border, Qt.MouseButton.LeftButton, pos=middle)
    share = page.top.width() / area.width()
    assert share > 0.5
    app.open_files((str(path),))
    wait_until(lambda: len(app.documents) == 2)
    other = list(app.documents)[1]
    wait_until(lambda: app.window.page is not page)
    list(app.documents)[1].show_view("both")
    QApplication.processEvents()
    assert abs(other.top.width() / other.area.width() - share) < 0.02
    list(app.documents)[1].show_view("sandwich")
    QApplication.processEvents()
    assert abs(other.top.width() / other.area.width() - share) < 0.02
    assert app.preferences.table_share == round(share, 2)


def test_names_are_shortened_in_every_graph(
    app: App, tmp_path: Path, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("shop.main;shop.Cart.price 10"))
    app.open_files((str(path),))
    wait_until(lambda: bool(app.documents) and next(iter(app.documents.values())).scene is not None)
    ((page, document),) = app.documents.items()
    said: list[str] = []

    def note(name: str, _n_chars: int) -> str:
        said.append(name)
        return name

    monkeypatch.setattr(painter, "fit_name", note)

    def read(graph: FlameView) -> set[str]:
        said.clear()
        graph._painter.release()  # the names are part of the kept image
        graph.grab()
        return set(said)

    page.show_view("flame")
    assert read(page.flame.graph) == {"all", "shop.main", "shop.Cart.price"}
    app.window.setting_chosen.emit("names", "short")
    assert read(page.flame.graph) == {"all", "main", "Cart.price"}
    page.show_view("sandwich")
    document.selection.choose_function(document.top.function_at(0))
    view = page.graphs.sandwich
    assert view is not None
    wait_until(lambda: view.callers.graph.scene is not None)
    assert read(view.callers.graph) == {"main"}
    assert app.preferences.choice("names") == "short"


def test_small_boxes_are_left_out_either_way_round(
    app: App, tmp_path: Path, wait_until: Any
) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 2000\nmain;rare 3"))
    app.open_files((str(path),))
    wait_until(lambda: bool(app.documents) and next(iter(app.documents.values())).scene is not None)
    ((_, document),) = app.documents.items()

    def list_boxes() -> set[str]:
        scene = document.scene
        return set() if scene is None else {name_of(scene, node) for node in scene.layout.node}

    assert list_boxes() == {"all", "main", "load", "rare"}
    app.window.setting_chosen.emit("least", "1")
    wait_until(lambda: list_boxes() == {"all", "main", "load"})
    assert document.scene is not None
    assert document.scene.total == 2003
    app.window.setting_chosen.emit("tree", "callees")
    wait_until(lambda: list_boxes() == {"all, callees first", "main", "load"})
    app.window.setting_chosen.emit("least", "0.1")
    wait_until(lambda: "rare" in list_boxes())


def test_a_theme_that_is_chosen_while_a_tab_is_made_is_the_tabs(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 40"))
    adopt = app.windows.adopt

    def adopt_then_choose(page: ProfilePage, window: MainWindow) -> ProfilePage:
        adopt(page, window)
        app.window.setting_chosen.emit("theme", "dark")
        return page

    monkeypatch.setattr(app.windows, "adopt", adopt_then_choose)
    app.open_files((str(path),))
    wait_until(lambda: app.window.page is not None)
    ((page, document),) = app.documents.items()
    wait_until(lambda: document.scene is not None)
    assert page._theme == app._appearance.theme
    assert page._theme.is_dark
    assert document._style == app._appearance.style


def test_nothing_is_kept_of_a_page_that_is_closed_before_it_is_a_tab(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    closed: list[ProfilePage] = []

    def close(_document: object, page: ProfilePage) -> None:
        app.pages.drop_page(page)
        closed.append(page)

    monkeypatch.setattr(app.pages, "_connect_page", close)
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 40"))
    app.open_files((str(path),))
    wait_until(lambda: bool(closed) and not app.tabs.is_opening)
    assert not app.documents
    assert not app.windows._themes
