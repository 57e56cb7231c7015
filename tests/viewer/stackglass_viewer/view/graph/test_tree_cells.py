"""The bars below the shares of the call tree, by their pixels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from harness.profiles import read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.comparison import ComparedSource, Side
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sources import ProfileSource
from stackglass_viewer.presenter.document.tree_model import TreeColumn
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.presenter.tables.top_model import Arrangement
from stackglass_viewer.view.graph.tree_view import CallTreeView
from stackglass_viewer.view.widgets.theme import Theme, load_theme

BEFORE = "load 30\nsave 40"
AFTER = "load 60\nsave 20"
REQUEST = BuildRequest(TypeId(1), "cost", choose_palette("module", False), Arrangement())
Show = Callable[[FlameScene | None], CallTreeView]


@pytest.fixture
def theme(qt: QApplication) -> Theme:
    return load_theme("light")


@pytest.fixture
def show(theme: Theme) -> Iterator[Show]:
    view = CallTreeView(theme)
    view.resize(800, 200)
    view.show()

    def take(scene: FlameScene | None) -> CallTreeView:
        view.show_scene(scene)
        view.selectionModel().clear()
        return view

    yield take
    view.close()
    view.deleteLater()


def measure_bar(view: CallTreeView, row: int, colour: str) -> int:
    """Return the pixels of a colour in a row's share, one below the other counted once."""
    rect = view.visualRect(view.model().index(row, TreeColumn.SHARE, QModelIndex()))
    image = view.viewport().grab(rect).toImage()
    wanted = QColor(colour)
    painted = [
        sum(image.pixelColor(x, y) == wanted for x in range(image.width()))
        for y in range(image.height())
    ]
    return max(painted)


def test_a_bar_is_as_long_as_the_share(show: Show, theme: Theme, tmp_path: Path) -> None:
    view = show(ProfileSource(read_stacks(BEFORE, tmp_path), "p").build(REQUEST).scene)
    first_px, second_px = (measure_bar(view, row, theme.accent) for row in range(2))
    assert 20 < first_px < view.columnWidth(TreeColumn.SHARE) * 40 / 70
    assert second_px == pytest.approx(first_px * 30 / 40, abs=1)


def test_bars_of_a_difference_have_the_colours_of_growth(
    show: Show, theme: Theme, tmp_path: Path
) -> None:
    """They were missing, while all other tables of a difference had them."""
    sides = (Side("a", read_stacks(BEFORE, tmp_path)), Side("b", read_stacks(AFTER, tmp_path)))
    view = show(ComparedSource(*sides).build(REQUEST).scene)
    names = [view.model().index(row, TreeColumn.NAME, QModelIndex()).data() for row in range(2)]
    assert names == ["load", "save"]
    for theme_now in (theme, load_theme("dark")):
        view.set_theme(theme_now)
        assert measure_bar(view, 0, theme_now.grown) > 10
        assert measure_bar(view, 0, theme_now.shrunk) == 0
        assert measure_bar(view, 1, theme_now.shrunk) > 10
        assert measure_bar(view, 1, theme_now.grown) == 0
