"""What the painter of the flame graph draws, by its pixels."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from harness.profiles import grow_tree
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight, name_of
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.painter import FlamePainter, _blend
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry
from stackglass_viewer.view.widgets.theme import Theme, load_theme

STACKS = """
main;load 60
main;save 20
idle 20
"""
RED, GREEN, BLUE, WHITE = 0xFFFF0000, 0xFF00FF00, 0xFF0000FF, 0xFFFFFFFF
WIDTH_PX, HEIGHT_PX = 400, 5 * ROW_PX
EDGE_PX = 2  # below the upper edge of a row there is no label


@pytest.fixture
def theme(qt: QApplication) -> Theme:
    return load_theme("light")


@pytest.fixture
def scene(tmp_path: Path) -> FlameScene:
    """main is red, load green, save blue, idle white."""
    tree, values = grow_tree(STACKS, tmp_path)
    colour = {"main": RED, "load": GREEN, "save": BLUE, "idle": WHITE}
    colours = np.array([colour.get(name, 0) for name in tree.frame_name], dtype=np.uint32)
    return FlameScene(tree, values, lay_out(tree, values), colours, 0xFF808080)


def paint(
    painter: FlamePainter, view: View | None = None, hovered: int = -1, selected: int = -1
) -> QImage:
    image = QImage(WIDTH_PX, HEIGHT_PX, QImage.Format.Format_RGB32)
    image.fill(0xFF123456)
    device = QPainter(image)
    painter.paint(device, QRect(0, 0, WIDTH_PX, HEIGHT_PX), view or View(), hovered, selected)
    device.end()
    return image


def colour_at(image: QImage, row: int, share: float) -> int:
    return image.pixel(round(share * WIDTH_PX), row * ROW_PX + EDGE_PX)


def node_named(scene: FlameScene, name: str) -> int:
    return next(node for node in range(scene.tree.n_nodes) if name_of(scene, node) == name)


def make(scene: FlameScene, theme: Theme, geometry: RowGeometry | None = None) -> FlamePainter:
    made = FlamePainter(theme, geometry or RowGeometry())
    made.set_scene(scene)
    return made


def test_boxes_have_their_width_row_and_colour(scene: FlameScene, theme: Theme) -> None:
    image = paint(make(scene, theme))
    assert colour_at(image, 0, 0.5) == 0xFF808080
    assert (colour_at(image, 1, 0.4), colour_at(image, 1, 0.9)) == (RED, WHITE)
    assert (colour_at(image, 2, 0.3), colour_at(image, 2, 0.7)) == (GREEN, BLUE)
    ground = QColor(theme.flame_background).rgb()
    assert colour_at(image, 2, 0.9) == ground
    assert colour_at(image, 4, 0.5) == ground


def test_a_view_shows_its_part(scene: FlameScene, theme: Theme) -> None:
    image = paint(make(scene, theme), View(0.6, 0.8, ROW_PX))
    assert colour_at(image, 0, 0.5) == RED  # scrolled by a row
    assert {colour_at(image, 1, share) for share in (0.1, 0.5, 0.9)} == {BLUE}


def test_upward_rows_begin_at_the_foot(scene: FlameScene, theme: Theme) -> None:
    image = paint(make(scene, theme, RowGeometry(is_upward=True, n_hidden=1)))
    foot = HEIGHT_PX - ROW_PX // 2 - 8
    assert image.pixel(round(0.9 * WIDTH_PX), foot) == WHITE
    assert image.pixel(round(0.3 * WIDTH_PX), foot - ROW_PX) == GREEN


def find_text(image: QImage, row: int, left: float, right: float) -> int:
    """Return how many pixels of a row, between two shares of the width, are not its box's."""
    ground = colour_at(image, row, left)
    lines = range(row * ROW_PX + EDGE_PX, (row + 1) * ROW_PX - EDGE_PX)
    xs = range(round(left * WIDTH_PX), round(right * WIDTH_PX))
    return sum(image.pixel(x, y) != ground for y in lines for x in xs)


@pytest.mark.parametrize("is_upward", [False, True])
def test_names_are_in_their_boxes(scene: FlameScene, theme: Theme, is_upward: bool) -> None:
    image = paint(make(scene, theme, RowGeometry(is_upward=is_upward)))
    load, below = (2, 3) if not is_upward else (HEIGHT_PX // ROW_PX - 3, 1)
    assert find_text(image, load, 0.01, 0.2) > 20
    assert find_text(image, load, 0.3, 0.55) == 0, "a name begins at the left edge"
    assert find_text(image, below, 0.01, 0.5) == 0


def test_short_names_are_painted_at_once(theme: Theme, tmp_path: Path) -> None:
    tree, values = grow_tree("shop.cart.load 10", tmp_path)
    tree = replace(tree, frame_file=["shop/cart.py"] * len(tree.frame_file))
    colours = np.full(len(tree.frame_name), GREEN, dtype=np.uint32)
    painter = make(FlameScene(tree, values, lay_out(tree, values), colours, 0xFF808080), theme)
    whole = find_text(paint(painter), 1, 0.005, 0.9)
    painter.shorten_names(True)
    assert 0 < find_text(paint(painter), 1, 0.005, 0.9) < whole


def test_the_root_and_what_is_faded_have_faint_names(scene: FlameScene, theme: Theme) -> None:
    painter = make(scene, theme)

    def find_darkest(row: int, left: float, right: float) -> int:
        """Return the least sum of a pixel's channels."""
        image = paint(painter)
        xs = range(round(left * WIDTH_PX), round(right * WIDTH_PX))
        ys = range(row * ROW_PX + EDGE_PX, (row + 1) * ROW_PX - EDGE_PX)
        colours = [QColor.fromRgb(image.pixel(x, y)) for x in xs for y in ys]
        return min(colour.red() + colour.green() + colour.blue() for colour in colours)

    is_dark_below = 200  # the label's colour has 68, the faint one 448
    load, idle, root = (2, 0.0, 0.5), (1, 0.81, 0.99), (0, 0.0, 0.5)
    assert [find_darkest(*box) < is_dark_below for box in (load, idle, root)] == [True] * 3
    is_match = np.array([name == "idle" for name in scene.tree.frame_name])
    is_match[-1] = True  # the root's frame, -1, is not this one
    painter.set_highlight(Highlight(is_match))
    seen = [find_darkest(*box) < is_dark_below for box in (load, idle, root)]
    assert seen == [False, True, False]


def test_what_a_search_does_not_find_fades(scene: FlameScene, theme: Theme) -> None:
    painter = make(scene, theme)
    is_match = np.array([name == "save" for name in scene.tree.frame_name])
    painter.set_highlight(Highlight(is_match))
    image = paint(painter)
    assert colour_at(image, 2, 0.7) == BLUE
    assert colour_at(image, 2, 0.3) != GREEN
    painter.set_highlight(Highlight())
    assert colour_at(paint(painter), 2, 0.3) == GREEN


def test_the_selected_function_has_a_colour_of_its_own(scene: FlameScene, theme: Theme) -> None:
    painter = make(scene, theme)
    painter.set_highlight(Highlight(frame=scene.tree.frame_name.index("load")))
    assert colour_at(paint(painter), 2, 0.3) == QColor(theme.chosen).rgb()


def test_the_selected_function_of_a_difference_looks_neither_grown_nor_shrunk(
    scene: FlameScene, theme: Theme
) -> None:
    """The light theme's chosen colour is blue, and so are boxes with less."""
    own = np.full(len(scene.tree.frame), RED, dtype=np.uint32)
    painter = make(replace(scene, change_colours=own), theme)
    painter.set_highlight(Highlight(frame=scene.tree.frame_name.index("load")))
    seen = QColor.fromRgb(colour_at(paint(painter), 2, 0.3))
    assert seen == QColor(theme.chosen_change)
    hues = [QColor(each).hsvHue() for each in (theme.grown, theme.shrunk)]
    assert min(abs(seen.hsvHue() - hue) for hue in hues) >= 30


def test_the_selected_box_is_outlined_and_the_hovered_tinted(
    scene: FlameScene, theme: Theme
) -> None:
    painter, save = make(scene, theme), node_named(scene, "save")
    plain, selected = paint(painter), paint(painter, selected=save)
    hovered = paint(painter, hovered=save)
    edge = (round(0.61 * WIDTH_PX), 2 * ROW_PX)
    assert selected.pixel(*edge) == QColor(theme.selection).rgb() != plain.pixel(*edge)
    assert colour_at(selected, 2, 0.7) == BLUE
    assert colour_at(hovered, 2, 0.7) not in (BLUE, QColor(theme.selection).rgb())
    assert colour_at(paint(painter, hovered=save, selected=save), 2, 0.7) == BLUE


def test_another_theme_is_painted_anew(scene: FlameScene, theme: Theme) -> None:
    painter = make(scene, theme)
    paint(painter)
    dark = load_theme("dark")
    painter.set_theme(dark)
    assert colour_at(paint(painter), 4, 0.5) == QColor(dark.flame_background).rgb()


def test_a_placeholder_stands_where_there_is_no_graph(theme: Theme) -> None:
    painter = FlamePainter(theme, RowGeometry())
    image = QImage(WIDTH_PX, 160, QImage.Format.Format_RGB32)
    for title in ("", "Nothing here"):
        device = QPainter(image)
        painter.paint_placeholder(device, image.rect(), title, "")
        device.end()
        ground = QColor(theme.flame_background).rgb()
        is_empty = all(
            image.pixel(x, y) == ground for x in range(WIDTH_PX) for y in range(0, 160, 2)
        )
        assert is_empty == (not title)


def test_colours_fade_part_by_part_in_little_room() -> None:
    """A graph that is coloured by a label has a colour for each of a million boxes."""
    chance = np.random.default_rng(1)
    colours = chance.integers(0, 1 << 32, 100_000, dtype=np.uint32)
    background, share = np.uint32(0xFF204080), 0.24
    tracemalloc.start()
    faded = _blend(colours, background, share)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 16 * len(colours), "no part is counted in 64 bits"
    for shift, behind in ((0, 0x80), (8, 0x40), (16, 0x20)):
        part = (colours >> np.uint32(shift)) & np.uint32(0xFF)
        wanted = (part * share + behind * (1 - share)).astype(np.uint32)
        assert np.array_equal((faded >> np.uint32(shift)) & np.uint32(0xFF), wanted)
    assert ((faded >> np.uint32(24)) == 0xFF).all()


@pytest.mark.parametrize("height_px", [2, 3, 5, 6, 7, 8])
def test_the_whole_graph_fills_its_height(scene: FlameScene, theme: Theme, height_px: int) -> None:
    """The minimap's mark is placed by shares of the height: rows must be where it says."""
    image = make(scene, theme).draw_whole(100, height_px)
    seen = [image.pixel(30, line) for line in range(height_px)]  # root, main, load
    rows = (0xFF808080, RED, GREEN)
    assert seen == [rows[line * 3 // height_px] for line in range(height_px)]
