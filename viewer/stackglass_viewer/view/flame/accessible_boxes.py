"""Boxes of a flame graph for screen readers: the visible ones that are at least 3 pixels wide."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.units import format_change, format_share, format_value, make_printable
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    FrameDetails,
    details_of,
    node_at,
)
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.camera import Camera
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry
from stackglass_viewer.view.widgets.accessible_parts import AccessiblePart, Parts

_LEAST_PX = 3.0
_MOST = 2000  # greatest number of boxes


def describe_details(details: FrameDetails) -> str:
    """Return a frame's values in words: ``12.3 s, 45.6% of all, 1.20 s of its own``."""
    write = format_change if details.is_change else format_value
    total, own = (write(each, details.unit) for each in (details.total, details.own))
    return f"{total}, {format_share(details.share)} of all, {own} of its own"


class AccessibleBoxes:
    """Offers the visible boxes of ``widget`` as accessible parts.

    The list of boxes is kept until the graph, the view or the widget's size changes.
    """

    def __init__(
        self,
        widget: QWidget,
        camera: Camera,
        find_scene: Callable[[], FlameScene | None],
        find_selected: Callable[[], int],
    ) -> None:
        self._widget = widget
        self._camera = camera
        self._find_scene = find_scene
        self._find_selected = find_selected
        self._key: tuple[FlameScene, View, RowGeometry, int, int] | None = None
        self._boxes: tuple[list[int], list[QRect]] = ([], [])  # nodes, rectangles in px
        self.parts = Parts(self._count, self._describe, self._find, self._find_current)

    def _list(self) -> tuple[list[int], list[QRect]]:
        scene, size = self._find_scene(), self._widget.size()
        if scene is None or scene.layout.extent <= 0:
            return [], []
        camera = self._camera
        key = (scene, camera.navigation.view, camera.geometry, size.width(), size.height())
        if self._key != key:
            self._key, self._boxes = key, self._measure(scene)
        return self._boxes

    def _measure(self, scene: FlameScene) -> tuple[list[int], list[QRect]]:
        """Return the visible nodes and their rectangles, row by row from the root's side."""
        layout, view = scene.layout, self._camera.navigation.view
        geometry, width_px = self._camera.geometry, self._widget.width()
        nodes: list[int] = []
        rects: list[QRect] = []
        scale = width_px / (view.span * layout.extent)
        begin = view.left * layout.extent
        for row in range(geometry.n_hidden, layout.n_rows):
            y = geometry.top_of(row, view.top_px, self._widget.height())
            if not -ROW_PX < y < self._widget.height():
                continue
            first, last = int(layout.row_start[row]), int(layout.row_start[row + 1])
            left = np.clip((layout.left[first:last] - begin) * scale, 0, width_px)
            right = np.clip((layout.right[first:last] - begin) * scale, 0, width_px)
            for box in np.flatnonzero(right - left >= _LEAST_PX).tolist():
                box_px = round(float(right[box] - left[box]))
                nodes.append(int(layout.node[first + box]))
                rects.append(QRect(round(float(left[box])), round(y), box_px, ROW_PX))
                if len(nodes) == _MOST:
                    return nodes, rects
        return nodes, rects

    def _count(self) -> int:
        return len(self._list()[0])

    def _describe(self, index: int) -> AccessiblePart | None:
        scene, (nodes, rects) = self._find_scene(), self._list()
        if scene is None or index >= len(nodes):
            return None
        details = details_of(scene, nodes[index])
        return AccessiblePart(make_printable(details.name), describe_details(details), rects[index])

    def _find(self, point: QPoint) -> int:
        scene, camera = self._find_scene(), self._camera
        if scene is None:
            return -1
        top_px = camera.navigation.view.top_px
        row = camera.geometry.row_at(point.y(), top_px, self._widget.height())
        return self._index_of(node_at(scene, row, camera.fraction_at(point.x())))

    def _find_current(self) -> int:
        return self._index_of(self._find_selected())

    def _index_of(self, node: int) -> int:
        nodes = self._list()[0]
        return nodes.index(node) if node in nodes else -1
