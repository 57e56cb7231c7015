"""The raster: pixels where boxes are, one for slivers, none outside; the same boxes have labels."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stackglass_viewer.model.columns.index import UInt32s
from stackglass_viewer.model.graph.flame_layout import FlameLayout, thin_out
from stackglass_viewer.model.graph.raster import Paint, Viewport, fill_rows, label_boxes

BACK = 0xFF000000


def make_layout(rows: list[list[tuple[float, float]]]) -> FlameLayout:
    boxes = [box for row in rows for box in row]
    edges = np.array(boxes, dtype=np.float64).reshape(-1, 2)
    node = np.arange(len(boxes), dtype=np.int32)
    start = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    return FlameLayout(start, edges[:, 0].copy(), edges[:, 1].copy(), node, node)


def paint(layout: FlameLayout, viewport: Viewport) -> UInt32s:
    image = np.empty((viewport.height_px, viewport.width_px), dtype=np.uint32)
    colours = np.arange(1, len(layout.node) + 1, dtype=np.uint32)
    fill_rows(
        layout, viewport, Paint(layout.node, colours, 0, BACK), image
    )  # frames are nodes here
    return image & np.uint32(0xFFFFFF)  # 0 = background, else node + 1


def test_boxes_are_where_they_are_with_gaps_of_a_pixel() -> None:
    layout = make_layout([[(0, 10)], [(0, 4), (4, 6), (7, 10)]])
    image = paint(layout, Viewport(0, 10, 0, 4, 20, 10))
    assert image[0].tolist() == [1] * 19 + [0]
    assert image[2].tolist() == image[0].tolist()
    assert image[3].tolist() == [0] * 20  # the gap between rows
    assert image[4].tolist() == [2] * 7 + [0] + [3] * 3 + [0] * 3 + [4] * 5 + [0]
    assert not image[8:].any()


def test_zoom_and_scroll() -> None:
    layout = make_layout([[(0, 10)], [(0, 4), (4, 10)]])
    image = paint(layout, Viewport(3, 5, 4, 4, 20, 6))
    assert image[0].tolist() == [2] * 9 + [0] + [3] * 10
    half = paint(layout, Viewport(0, 10, 2, 4, 20, 6))
    assert half[:, 0].tolist() == [1, 0, 2, 2, 2, 0]


def test_slivers_share_a_pixel_and_none_vanishes() -> None:
    edges = np.linspace(0, 1, 10_001)
    layout = make_layout([list(itertools.pairwise(edges.tolist()))])
    image = paint(layout, Viewport(0, 1, 0, 2, 50, 1))
    assert (image[0] > 0).all()
    assert (np.diff(image[0].astype(np.int64)) > 0).all()


def test_the_widest_of_a_pixel_gives_the_colour() -> None:
    layout = make_layout([[(0, 0.1), (0.1, 0.8), (0.8, 0.9), (1, 2)]])
    assert paint(layout, Viewport(0, 10, 0, 2, 10, 1))[0, :3].tolist() == [2, 4, 0]


@pytest.mark.parametrize("left", [-50.0, 11.0])
def test_beside_the_graph_there_is_nothing(left: float) -> None:
    image = paint(make_layout([[(0, 10)]]), Viewport(left, left + 5, 0, 4, 20, 10))
    assert not image.any()


def test_labels_are_for_boxes_with_room() -> None:
    layout = make_layout([[(0, 100)], [(0, 3), (3, 50), (50, 52), (60, 100)]])
    labels = label_boxes(layout, Viewport(0, 100, 5, 10, 100, 30), 20)
    rows = zip(
        *(getattr(labels, name).tolist() for name in ("node", "left_px", "top_px", "width_px")),
        strict=True,
    )
    assert list(rows) == [(0, 0, -5, 100), (2, 3, 5, 47), (4, 60, 5, 40)]


def test_what_does_not_fit_is_refused() -> None:
    layout = make_layout([[(0, 10)]])
    frame, colours = np.zeros(1, dtype=np.int32), np.ones(1, dtype=np.uint32)
    paint = Paint(frame, colours, 0, BACK)
    image = np.zeros((4, 4), dtype=np.uint32)
    with pytest.raises(ValueError, match="another size"):
        fill_rows(layout, Viewport(0, 1, 0, 4, 5, 4), paint, image)
    with pytest.raises(ValueError, match="without area"):
        fill_rows(layout, Viewport(1, 1, 0, 4, 4, 4), paint, image)
    with pytest.raises(ValueError, match="colour"):
        fill_rows(layout, Viewport(0, 1, 0, 4, 4, 4), Paint(frame, colours[:0], 0, BACK), image)
    with pytest.raises(ValueError, match="colour"):
        fill_rows(layout, Viewport(0, 1, 0, 4, 4, 4), Paint(frame[:0], colours, 0, BACK), image)


def test_boxes_have_the_colours_of_their_nodes_frames() -> None:
    layout = make_layout([[(0, 4)], [(0, 1), (1, 2), (2, 4)]])
    paint = Paint(np.array([-1, 1, 0, 1], np.int32), np.array([5, 6], np.uint32), 9, BACK)
    image = np.zeros((2, 4), dtype=np.uint32)
    fill_rows(layout, Viewport(0, 4, 0, 1, 4, 2), paint, image)
    assert image[:, :3].tolist() == [[9, 9, 9], [6, 5, 6]]


@pytest.mark.parametrize("top_px", [-9, -4, 0, 3, 4, 9])
def test_every_pixel_is_written(top_px: float) -> None:
    """Above the first row, between rows, beside their boxes, and below the last row."""
    layout = make_layout([[(0, 10)], [(2, 5)]])
    viewport = Viewport(-1, 11, top_px, 4, 12, 9)
    image = np.full((9, 12), 0xFFABCDEF, dtype=np.uint32)
    fill_rows(layout, viewport, Paint(layout.node, np.array([5, 6], np.uint32), 0, BACK), image)
    wanted = np.full((9, 12), BACK, dtype=np.uint32)
    for row, left_px, right_px in ((0, 1, 10), (1, 3, 5)):  # less the gaps
        begin = round(row * 4 - top_px)
        wanted[max(0, begin) : max(0, begin + 3), left_px:right_px] = 5 + row
    assert image.tolist() == wanted.tolist()


@settings(max_examples=200, deadline=None)
@given(
    widths=st.lists(st.tuples(st.floats(0, 3), st.floats(0.001, 9)), max_size=60),
    left=st.floats(-5, 60),
    span=st.floats(0.01, 200),
    width_px=st.integers(1, 60),
)
def test_a_pixel_is_painted_where_a_box_is_and_only_there(
    widths: list[tuple[float, float]], left: float, span: float, width_px: int
) -> None:
    edges, at = [], 0.0
    for gap, width in widths:
        edges.append((at + gap, at + gap + width))
        at += gap + width
    layout = make_layout([edges])
    viewport = Viewport(left, left + span, 0, 2, width_px, 1)
    image = paint(layout, viewport)[0]
    scale = width_px / (viewport.right - viewport.left)
    for px in range(width_px):
        begin, end = left + px / scale, left + (px + 1) / scale
        slack = 1e-6 * max(1.0, abs(begin))
        if image[px]:
            # A sliver may be moved on by one pixel, when the one it lies in is taken.
            box = int(image[px]) - 1
            assert layout.left[box] < end + slack
            assert layout.right[box] > begin - 1 / scale - slack
        wide = [
            right for low, right in edges if low < begin - 2 / scale and right > end + 2 / scale
        ]
        if wide:
            assert image[px]
    labels = label_boxes(layout, viewport, 5)
    for node, at_px, width in zip(labels.node, labels.left_px, labels.width_px, strict=True):
        assert width >= 5
        assert (image[at_px : at_px + width - 1] == node + 1).sum() >= width - 2


def test_thinned_boxes_are_the_wide_ones_and_one_for_each_cell_of_others() -> None:
    layout = make_layout([[(0, 8)], [(0, 2), (2, 2.25), (2.25, 2.75), (2.75, 3.5), (4, 4.5)]])
    thin = thin_out(layout, 1.0)
    boxes = zip(thin.left.tolist(), thin.right.tolist(), thin.node.tolist(), strict=True)
    assert thin.row_start.tolist() == [0, 1, 5]
    assert list(boxes) == [(0, 8, 0), (0, 2, 1), (2, 2.75, 3), (2.75, 3.5, 4), (4, 4.5, 5)]
    with pytest.raises(ValueError, match="without width"):
        thin_out(layout, 0)


def test_from_afar_thinned_boxes_make_the_same_picture() -> None:
    random = np.random.default_rng(3)
    widths = random.exponential(1.0, 20_000) ** 3
    edges = np.concatenate(([0.0], np.cumsum(widths))) / widths.sum()
    layout = make_layout([list(itertools.pairwise(edges.tolist()))])
    n_px = 400
    thinned = replace(layout, thin=thin_out(layout, 1 / (4 * n_px)))
    viewport = Viewport(0, 1, 0, 2, n_px, 1)
    whole, rough = paint(layout, viewport)[0], paint(thinned, viewport)[0]
    assert thinned.thin is not None
    assert len(thinned.thin.node) < len(layout.node) / 5
    assert ((whole > 0) == (rough > 0)).all()
    wide = np.flatnonzero(widths / widths.sum() > 2 / n_px) + 1
    assert len(wide)
    assert np.isin(wide, rough).all()
    # Closer by, the boxes themselves are painted.
    near = Viewport(0, 0.1, 0, 2, n_px, 1)
    assert (paint(layout, near) == paint(thinned, near)).all()
