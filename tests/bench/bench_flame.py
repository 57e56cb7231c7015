"""A flame graph of a million nodes: how long its layout takes, and each painted image.

The image is what the window shows less its labels' text, 1600 × 900, over seeded zooms and pans.
Beside it, the same boxes by numpy: one slice assignment for each box of the visible rows.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator

import numpy as np
from big_profile import find_profile

from harness.report import Table
from stackglass_viewer.model.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.flame_layout import FlameLayout, Order, lay_out
from stackglass_viewer.model.opening import open_profile
from stackglass_viewer.model.profile import Profile
from stackglass_viewer.model.raster import Viewport, fill_rows, label_boxes

WIDTH_PX, HEIGHT_PX, ROW_PX = 1600, 900, 20
N_SAMPLES = 360_000  # about a million nodes
_SEED = 7


def list_viewports(layout: FlameLayout, n: int) -> Iterator[Viewport]:
    """Zooms by up to 2²⁰ and pans, anywhere."""
    random = np.random.default_rng(_SEED)
    for _ in range(n):
        span = layout.extent / 2 ** random.uniform(0, 20)
        left = random.uniform(0, layout.extent - span)
        top_px = random.uniform(0, max(1, layout.n_rows * ROW_PX - HEIGHT_PX))
        yield Viewport(left, left + span, top_px, ROW_PX, WIDTH_PX, HEIGHT_PX)


def paint_by_numpy(
    layout: FlameLayout, viewport: Viewport, colours: np.ndarray, image: np.ndarray
) -> None:
    """The peer: vectors find the pixels, a loop fills them."""
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
            image[top : top + ROW_PX - 1, start:stop] = colours[node]


def main() -> int:
    is_quick = "--quick" in sys.argv[1:]
    profile = open_profile(find_profile(N_SAMPLES // 10 if is_quick else N_SAMPLES))
    assert isinstance(profile, Profile)
    tree = build_call_tree(profile)
    values = sum_type(tree, profile, profile.default_type)
    table = Table(f"A flame graph of {tree.n_nodes:,} nodes, ms", corner="what")
    for order in Order:
        took_ms = []
        for _ in range(3):
            start = time.perf_counter()
            layout = lay_out(tree, values, order)
            took_ms.append((time.perf_counter() - start) * 1e3)
        put_times(table, f"layout, {order.name.lower()}", took_ms, "400")
    random = np.random.default_rng(_SEED)
    colours = random.integers(0, 1 << 24, tree.n_nodes, dtype=np.uint32) | np.uint32(0xFF000000)
    image = np.zeros((HEIGHT_PX, WIDTH_PX), dtype=np.uint32)
    wall_ms, cpu_ms, peer_ms = [], [], []
    n_frames = 30 if is_quick else 200
    for viewport in list_viewports(layout, n_frames):
        start, cpu_start = time.perf_counter(), time.thread_time()
        image.fill(0xFF202020)
        fill_rows(layout, viewport, colours, image)
        label_boxes(layout, viewport, 30)
        wall_ms.append((time.perf_counter() - start) * 1e3)
        cpu_ms.append((time.thread_time() - cpu_start) * 1e3)
        cpu_start = time.thread_time()
        image.fill(0xFF202020)
        paint_by_numpy(layout, viewport, colours, image)
        peer_ms.append((time.thread_time() - cpu_start) * 1e3)
    put_times(table, "image, wall clock", wall_ms, "8")
    put_times(table, "image, CPU time", cpu_ms, "8")
    put_times(table, "image by numpy, CPU time", peer_ms, "–")
    print(table.title)
    print("\n".join(table.format_lines()))
    return 0


def put_times(table: Table, row: str, took_ms: list[float], budget: str) -> None:
    ordered = sorted(took_ms)
    table.put(row, "p50", f"{statistics.median(ordered):.2f}")
    table.put(row, "p95", f"{ordered[int(0.95 * (len(ordered) - 1))]:.2f}")
    table.put(row, "max", f"{ordered[-1]:.2f}")
    table.put(row, "budget p95", budget)


if __name__ == "__main__":
    sys.exit(main())
