"""Painter of a call graph: which text a box has at which size."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.presenter.document.box_name import BoxName
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene, GraphBox
from stackglass_viewer.view.graph.painter import GraphPainter, Pointed
from stackglass_viewer.view.widgets.theme import load_theme

_TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")


def make_box(name: BoxName) -> GraphBox:
    return GraphBox(
        frame=0,
        title="Shop.take_orders",
        module="shop",
        figures=("155 ms · 5.4%",),
        name=name,
        left=0.0,
        top=0.0,
        width=160.0,
        height=70.0,
        scale=1.0,
        colour=0xFFF2ABD2,
        own=155,
        total=293,
    )


def list_texts(box: GraphBox, scale: float) -> list[str]:
    """Return the texts of a box that is painted at ``scale``."""
    nothing = np.zeros(0, np.int64)
    top = TopTable((), (), nothing, nothing, None, 0, "nanoseconds")
    painter = GraphPainter(load_theme("light"))
    painter.set_scene(CallGraphScene((box,), (), 160.0, 70.0, 1, 0, top))
    buffer, made = QBuffer(), QSvgGenerator()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    made.setOutputDevice(buffer)
    painting = QPainter(made)
    painter.paint(painting, scale, QRectF(0, 0, 160, 70), Pointed(), -1)
    painting.end()
    return [text.strip() for text in _TEXT.findall(bytes(buffer.data().data()).decode())]


@pytest.mark.parametrize(
    ("scale", "texts"),
    [
        (1.0, ["shop", "Shop.take_orders", "155 ms · 5.4%"]),
        (0.4, ["Shop.take_", "orders"]),
        (0.2, []),
    ],
)
def test_small_boxes_have_their_name_alone(
    qt: QApplication, scale: float, texts: list[str]
) -> None:
    assert list_texts(make_box(BoxName(("Shop.take_", "orders"), 1.5)), scale) == texts
