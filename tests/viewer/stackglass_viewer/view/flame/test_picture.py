"""PNG of a flame graph: its size, and what it does not fit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from harness.profiles import grow_tree
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.presenter.document.flame_scene import FlameScene, Highlight
from stackglass_viewer.view.flame.picture import paint_png
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry
from stackglass_viewer.view.widgets.theme import load_theme


def paint(n_rows: int, folder: Path) -> QImage:
    """Paint a graph with so many rows, the root's among them."""
    stack = ";".join(f"f{number}" for number in range(n_rows - 1))
    tree, values = grow_tree(f"{stack} 10", folder)
    colours = np.full(len(tree.frame_name), 0xFF4060A0, np.uint32)
    scene = FlameScene(tree, values, lay_out(tree, values), colours, 0xFF808080)
    png = paint_png(scene, Highlight(), load_theme("light"), RowGeometry())
    return QImage.fromData(png)


@pytest.mark.parametrize(("n_rows", "ratio"), [(3, 2), (400, 2), (801, 1), (1600, 1)])
def test_every_row_is_in_the_picture(
    qt: QApplication, tmp_path: Path, n_rows: int, ratio: int
) -> None:
    picture = paint(n_rows, tmp_path)
    assert (picture.width(), picture.height()) == (1600 * ratio, n_rows * ROW_PX * ratio)
    last = picture.pixelColor(picture.width() // 2, picture.height() - ROW_PX * ratio // 2)
    assert last.rgb() == 0xFF4060A0


def test_a_deeper_graph_is_not_cut_in_silence(qt: QApplication, tmp_path: Path) -> None:
    with pytest.raises(ContentError, match=r"has 1,601 rows, and a \.png has room for 1,600"):
        paint(1601, tmp_path)
