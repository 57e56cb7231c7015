"""Rows that grow downwards and upwards."""

from __future__ import annotations

import pytest

from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry

HEIGHT_PX = 7 * ROW_PX


def test_the_first_row_is_at_the_edge_that_rows_grow_from() -> None:
    assert RowGeometry().top_of(0, 0.0, HEIGHT_PX) == 0
    assert RowGeometry(is_upward=True).top_of(0, 0.0, HEIGHT_PX) == HEIGHT_PX - ROW_PX
    assert RowGeometry(n_hidden=1).top_of(1, 0.0, HEIGHT_PX) == 0
    assert (
        RowGeometry(is_upward=True, n_hidden=1).top_of(2, 0.0, HEIGHT_PX) == HEIGHT_PX - 2 * ROW_PX
    )


@pytest.mark.parametrize("is_upward", [False, True])
@pytest.mark.parametrize("n_hidden", [0, 1])
@pytest.mark.parametrize("top_px", [0.0, 7.0, 50.0])
def test_a_row_is_found_where_it_is_painted(is_upward: bool, n_hidden: int, top_px: float) -> None:
    geometry = RowGeometry(is_upward, n_hidden)
    for row in range(n_hidden + 3, n_hidden + 6):
        top = geometry.top_of(row, top_px, HEIGHT_PX)
        for y_px in (top, top + ROW_PX - 1):
            assert geometry.row_at(y_px, top_px, HEIGHT_PX) == row


def test_hidden_rows_have_no_room() -> None:
    assert RowGeometry(n_hidden=1).content_px(3) == 2 * ROW_PX
    assert RowGeometry(n_hidden=1).content_px(0) == 0
    assert RowGeometry(n_hidden=1).row_at(-1, 0.0, HEIGHT_PX) == -1
