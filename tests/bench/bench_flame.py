"""A flame graph of a million nodes: how long its layout takes, and each painted frame.

"frame" is all work of the window's widget for a new view, 1600 × 900, over seeded zooms and pans:
boxes, names, copying. "image" is the boxes alone. The peer paints the same boxes by numpy, with one
slice assignment for each box of the visible rows. Offscreen.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator

import numpy as np
from big_profile import find_profile
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from harness.report import Table
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.flame_layout import FlameLayout, Order, lay_out
from stackglass_viewer.model.graph.raster import Paint, Viewport, fill_rows, label_boxes
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.painter import FlamePainter
from stackglass_viewer.view.flame.row_geometry import RowGeometry
from stackglass_viewer.view.widgets.theme import load_theme

WIDTH_PX, HEIGHT_PX, ROW_PX = 1600, 900, 20
N_SAMPLES = 360_000  # about a million nodes
_SEED = 7


def list_viewports(layout: FlameLayout, n: int) -> Iterator[Viewport]:
    """Yield viewports at random places, zoomed by up to 2²⁰."""
    random = np.random.default_rng(_SEED)
    for _ in range(n):
        span = layout.extent / 2 ** random.uniform(0, 20)
        left = random.uniform(0, layout.extent - span)
        top_px = random.uniform(0, max(1, layout.n_rows * ROW_PX - HEIGHT_PX))
        yield Viewport(left, left + span, top_px, ROW_PX, WIDTH_PX, HEIGHT_PX)


def paint_by_numpy(
    layout: FlameLayout, viewport: Viewport, paint: Paint, image: np.ndarray
) -> None:
    """Paint boxes, as the peer: vectors find the pixels, a loop fills them."""
    scale = viewport.width_px / (viewport.right - viewport.left)
    first = max(0, int(viewport.top_px // ROW_PX))
    for row in range(first, min(layout.n_rows, first + HEIGHT_PX // ROW_PX + 1)):
        begin, end = layout.row_start[row], layout.row_start[row + 1]
        left = np.searchsorted(layout.right[begin:end], viewport.left) + begin
        right = np.searchsorted(layout.left[begin:end], viewport.right) + begin
        edges = np.clip((layout.left[left:right] - viewport.left) * scale, 0, WIDTH_PX - 1)
        starts, which = np.unique(edges.astype(np.int64), return_index=True)
        top = max(0, int(row * ROW_PX - viewport.top_px))
        nodes = layout.node[left:right][which]
        for start, stop, node in zip(
            starts, [*starts[1:], WIDTH_PX][: len(starts)], nodes, strict=True
        ):
            colour = paint.colours[paint.frame[node]] if node else paint.root
            image[top : top + ROW_PX - 1, start:stop] = colour


def time_frames(scene: FlameScene, viewports: list[Viewport]) -> tuple[list[float], list[float]]:
    """Return wall clock and CPU times of the widget's painting, in ms."""
    painter = FlamePainter(load_theme("dark"), RowGeometry())
    painter.set_scene(scene)
    image = QImage(WIDTH_PX, HEIGHT_PX, QImage.Format.Format_RGB32)
    wall_ms, cpu_ms = [], []
    extent = scene.layout.extent
    for viewport in viewports:
        view = View(viewport.left / extent, viewport.right / extent, viewport.top_px)
        start, cpu_start = time.perf_counter(), time.thread_time()
        on_image = QPainter(image)
        painter.paint(on_image, QRect(0, 0, WIDTH_PX, HEIGHT_PX), view, -1, -1)
        on_image.end()
        wall_ms.append((time.perf_counter() - start) * 1e3)
        cpu_ms.append((time.thread_time() - cpu_start) * 1e3)
    return wall_ms, cpu_ms


def main() -> int:
    is_quick = "--quick" in sys.argv[1:]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    qt = QApplication(sys.argv[:1])
    profile = open_profile(find_profile(N_SAMPLES // 10 if is_quick else N_SAMPLES))
    assert isinstance(profile, Profile)
    tree = build_call_tree(profile)
    values = sum_type(tree, profile, profile.default_type)
    table = Table(f"A flame graph of {tree.n_nodes:,} nodes, ms", corner="what")
    for order in Order:
        took_ms, used_ms = [], []
        for _ in range(3):
            start, cpu_start = time.perf_counter(), time.thread_time()
            layout = lay_out(tree, values, order)
            took_ms.append((time.perf_counter() - start) * 1e3)
            used_ms.append((time.thread_time() - cpu_start) * 1e3)
        put_times(table, f"layout, {order.name.lower()}, wall clock", took_ms, "400")
        put_times(table, f"layout, {order.name.lower()}, CPU time", used_ms, "400")
    n_frames = len(tree.frame_name)
    random = np.random.default_rng(_SEED)
    colours = random.integers(0, 1 << 24, n_frames, dtype=np.uint32) | np.uint32(0xFF000000)
    paint = Paint(tree.frame, colours, 0xFF808080, 0xFF202020)
    viewports = list(list_viewports(layout, 30 if is_quick else 200))
    scene = FlameScene(tree, values, layout, colours, paint.root)
    wall_ms, cpu_ms = time_frames(scene, viewports)
    put_times(table, "frame, wall clock", wall_ms, "8")
    put_times(table, "frame, CPU time", cpu_ms, "8")
    image = np.zeros((HEIGHT_PX, WIDTH_PX), dtype=np.uint32)
    wall_ms, cpu_ms, peer_ms = [], [], []
    for viewport in viewports:
        start, cpu_start = time.perf_counter(), time.thread_time()
        fill_rows(layout, viewport, paint, image)
        label_boxes(layout, viewport, 30)
        wall_ms.append((time.perf_counter() - start) * 1e3)
        cpu_ms.append((time.thread_time() - cpu_start) * 1e3)
        cpu_start = time.thread_time()
        image.fill(0xFF202020)
        paint_by_numpy(layout, viewport, paint, image)
        peer_ms.append((time.thread_time() - cpu_start) * 1e3)
    put_times(table, "image, wall clock", wall_ms, "8")
    put_times(table, "image, CPU time", cpu_ms, "8")
    put_times(table, "image by numpy, CPU time", peer_ms, "–")
    print(table.title)
    print("\n".join(table.format_lines()))
    qt.quit()
    return 0


def put_times(table: Table, row: str, took_ms: list[float], budget: str) -> None:
    ordered = sorted(took_ms)
    table.put(row, "p50", f"{statistics.median(ordered):.2f}")
    table.put(row, "p95", f"{ordered[int(0.95 * (len(ordered) - 1))]:.2f}")
    table.put(row, "max", f"{ordered[-1]:.2f}")
    table.put(row, "budget p95", budget)


if __name__ == "__main__":
    sys.exit(main())
