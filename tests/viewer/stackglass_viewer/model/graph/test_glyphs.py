"""Names from a sheet of glyphs: each glyph at its quarter of a pixel, cut off at the image's edges,
and no part of a name that has a letter more than the sheet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.pixels import find_difference
from stackglass_viewer.model.columns.index import UInt32s
from stackglass_viewer.model.graph.glyphs import N_PHASES, GlyphSheet, Names, draw_names

CELL_PX, ROWS_PX, PEN_PX = 4, 3, 1
INK = 0xFF102030
FULL, HALF_RED, NONE = 0xFFFFFF, 0x800000, 0


def make_sheet(advance_px: float = 2.5) -> GlyphSheet:
    """``a`` and ``b``: each phase of each has a coverage of its own."""
    random = np.random.default_rng(3)
    cells = random.choice(
        np.array([NONE, FULL, HALF_RED], dtype=np.uint32), (2, N_PHASES, ROWS_PX, CELL_PX)
    )
    glyph_of = np.full(128, -1, dtype=np.int32)
    glyph_of[[ord("a"), ord("b")]] = 0, 1
    return GlyphSheet(cells, glyph_of, PEN_PX, advance_px)


def place(*rows: tuple[str, float, int]) -> Names:
    return Names(
        [text for text, _, _ in rows],
        np.array([left for _, left, _ in rows], dtype=np.float64),
        np.array([top for _, _, top in rows], dtype=np.int32),
        np.full(len(rows), INK, dtype=np.uint32),
    )


def draw_slowly(sheet: GlyphSheet, names: Names, image: UInt32s) -> None:
    """What the loop in C has to draw, pixel by pixel."""
    height_px, width_px = image.shape
    for text, left_px, top_px in zip(names.texts, names.left_px, names.top_px, strict=True):
        for position, letter in enumerate(text):
            pen = float(left_px) + position * sheet.advance_px
            quarter = (int(np.floor(pen * 64)) + 1) // 16
            cell = sheet.coverage[sheet.glyph_of[ord(letter)], quarter % N_PHASES]
            for (y, x), covered in np.ndenumerate(cell):
                at = int(top_px) + y, quarter // N_PHASES + x - sheet.pen_px
                if 0 <= at[0] < height_px and 0 <= at[1] < width_px:
                    image[at] = mix(int(image[at]), int(covered))


def mix(below: int, coverage: int) -> int:
    mixed = 0xFF000000
    for shift in (0, 8, 16):
        share = (coverage >> shift & 0xFF) / 255
        part = (INK >> shift & 0xFF) * share + (below >> shift & 0xFF) * (1 - share)
        mixed |= round(part) << shift
    return mixed if coverage else below


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.text("ab", max_size=6), st.floats(-20, 30), st.integers(-6, 14)), max_size=4
    ),
    st.sampled_from([2.5, 7.1875, 3.0]),
)
def test_each_pixel_is_as_if_drawn_slowly(rows: list[tuple[str, float, int]], wide: float) -> None:
    sheet, names = make_sheet(wide), place(*rows)
    image = np.random.default_rng(1).integers(0, 1 << 24, (10, 23), dtype=np.uint32) | np.uint32(
        0xFF000000
    )
    wanted = image.copy()
    assert draw_names(sheet, names, image) == []
    draw_slowly(sheet, names, wanted)
    assert find_difference(image, wanted) <= 1


@pytest.mark.parametrize(("left_px", "phase"), [(5, 0), (5.23, 0), (5.24, 1), (5.5, 2), (5.98, 3)])
def test_a_pen_is_rounded_down_to_a_quarter(left_px: float, phase: int) -> None:
    """A 64th is added first, as Qt does: a quarter may come out a little smaller."""
    sheet, image = make_sheet(), np.zeros((ROWS_PX, 20), dtype=np.uint32)
    draw_names(sheet, place(("a", left_px, 0)), image)
    is_drawn = image[:, 5 - PEN_PX : 5 - PEN_PX + CELL_PX] != 0
    assert np.array_equal(is_drawn, sheet.coverage[0, phase] != 0)


def test_names_with_other_letters_are_left_whole_to_the_caller() -> None:
    sheet, image = make_sheet(), np.zeros((40, 40), dtype=np.uint32)
    rows = [("ab", 1.0, 0), ("aéb", 1.0, 10), ("", 1.0, 10), ("ba\U0001f40d", 1.0, 20)]
    assert draw_names(sheet, place(*rows), image) == [1, 3]
    assert image[:ROWS_PX].any()
    assert not image[10:].any(), "not even their known letters are drawn"


def test_no_names() -> None:
    image = np.zeros((4, 4), dtype=np.uint32)
    assert draw_names(make_sheet(), place(), image) == []
    assert not image.any()


@pytest.mark.parametrize("far_px", [1e300, -1e300, float("nan"), float("inf")])
def test_a_pen_far_away_draws_nothing(far_px: float) -> None:
    image = np.zeros((4, 4), dtype=np.uint32)
    draw_names(make_sheet(), place(("ab", far_px, 0)), image)
    assert not image.any()


def test_columns_that_do_not_fit_are_refused() -> None:
    names, image = place(("ab", 1.0, 0)), np.zeros((4, 4), dtype=np.uint32)
    wrong_glyph = replace(make_sheet(), glyph_of=np.full(128, 2, dtype=np.int32))
    with pytest.raises(ValueError, match="fit together"):
        draw_names(wrong_glyph, names, image)
    with pytest.raises(ValueError, match="fit together"):
        draw_names(make_sheet(), replace(names, colour=np.zeros(2, dtype=np.uint32)), image)
    assert not image.any()
