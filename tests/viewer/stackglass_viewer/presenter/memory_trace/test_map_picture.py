"""Pictures of heap maps: pixels, legend, what the pointer is over."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.shop_trace import ARENA, MS, open_shop
from harness.traced_memory import read_trace
from stackglass_viewer.model.memory_trace.heap_map import HeapMap, MapKey
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.curve import draw_curve
from stackglass_viewer.presenter.memory_trace.map_groups import (
    OLDER,
    UNKNOWN_TYPE,
    Colouring,
    choose_colour,
    list_hues,
    suggest_colouring,
)
from stackglass_viewer.presenter.memory_trace.map_hover import (
    describe_place,
    find_cell,
    locate_cell,
    read_curve,
)
from stackglass_viewer.presenter.memory_trace.map_picture import MapPainter, describe_cells
from stackglass_viewer.presenter.settings.palettes import choose_palette

DARK, LIGHT = choose_palette("module", True), choose_palette("module", False)
SHAPE = (40, 80)


@pytest.fixture
def trace(tmp_path: Path) -> MemoryTrace:
    return open_shop(tmp_path)


def draw(trace: MemoryTrace, colouring: Colouring) -> HeapMap:
    return trace.draw_map(trace.whole, SHAPE, colouring.map_key)


def test_a_cell_without_objects_is_transparent_and_no_other_is(trace: MemoryTrace) -> None:
    heap_map = draw(trace, Colouring.TYPE)
    picture = MapPainter(trace).paint(heap_map, Colouring.TYPE, DARK)
    assert picture.pixels.shape == SHAPE
    assert ((picture.pixels >> 24 == 0) == (heap_map.live_bytes <= 0)).all()


def test_the_legend_lists_groups_by_their_bytes(trace: MemoryTrace) -> None:
    picture = MapPainter(trace).paint(draw(trace, Colouring.TYPE), Colouring.TYPE, LIGHT)
    texts = [entry.group.text for entry in picture.legend.entries]
    assert texts[0] == "builtins.bytes"
    assert {"app.Node", "builtins.module"} <= set(texts)
    assert sum(entry.share for entry in picture.legend.entries) == pytest.approx(1.0)


def test_a_group_counts_where_another_has_most_of_each_cell(tmp_path: Path) -> None:
    """Of each KiB 900 bytes are of one size and 100 of another: no cell shows the second."""
    lines = [
        f"{n} alloc 0x{0x10000 + 1024 * (n // 2) + 900 * (n % 2):x} {100 if n % 2 else 896}"
        for n in range(32)
    ]
    trace = MemoryTrace(read_trace("\n".join(lines)), "x", folder=tmp_path)
    whole = trace.whole._replace(begin_ns=40, end_ns=50)
    heap_map = trace.draw_map(whole, (4, 2), MapKey.SIZE_CLASS, is_exact=True)
    legend = MapPainter(trace).paint(heap_map, Colouring.SIZE, DARK).legend
    small, large = legend.entries
    assert (small.group.text, large.group.text) == ("to 128 B", "to 4 KiB")
    assert (small.is_visible, large.is_visible) == (False, True)
    assert small.share == pytest.approx(100 / 996)
    assert not legend.is_coarse


def test_a_group_that_stands_out_leaves_the_others_faint(trace: MemoryTrace) -> None:
    heap_map, painter = draw(trace, Colouring.TYPE), MapPainter(trace)
    plain = painter.paint(heap_map, Colouring.TYPE, DARK).pixels
    chosen = painter.paint(heap_map, Colouring.TYPE, DARK, "app.Node").pixels
    is_other = (plain >> 24) > (chosen >> 24)
    is_same = (plain == chosen) & (plain >> 24 > 0)
    assert is_other.any()
    assert is_same.any()


@pytest.mark.parametrize("colouring", list(Colouring))
@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_every_colouring_names_and_colours_all_groups(
    trace: MemoryTrace, colouring: Colouring, palette: object
) -> None:
    chosen = DARK if palette is DARK else LIGHT
    picture = MapPainter(trace).paint(draw(trace, colouring), colouring, chosen)
    assert picture.legend.entries
    assert all(entry.group.text and entry.colour >> 24 == 0xFF for entry in picture.legend.entries)


def test_what_is_not_known_is_grey() -> None:
    for text in (UNKNOWN_TYPE, OLDER):
        assert choose_colour(text, Colouring.TYPE, (), DARK) == DARK.pseudo
    assert len(set(list_hues(LIGHT))) == len(LIGHT.hues)


def test_types_are_the_first_colours_where_they_are_known(trace: MemoryTrace) -> None:
    rates = trace.index.rates
    assert suggest_colouring(rates, has_stacks=True) is Colouring.TYPE
    unknown = type(rates)(rates.edges_ns, np.zeros_like(rates.type), rates.n, rates.size)
    assert suggest_colouring(unknown, has_stacks=True) is Colouring.SITE
    assert suggest_colouring(unknown, has_stacks=False) is Colouring.SIZE


def test_the_pointer_is_over_a_cell(trace: MemoryTrace) -> None:
    heap_map = draw(trace, Colouring.TYPE)
    picture = MapPainter(trace).paint(heap_map, Colouring.TYPE, DARK)
    position = heap_map.axis.to_position(ARENA + 0x5000)
    place = find_cell(heap_map, 2 * MS, position)
    assert place is not None
    lines = describe_place(trace, picture, place).splitlines()
    assert lines[0].startswith("2.0")
    assert lines[-1] == "builtins.bytes"
    late = find_cell(heap_map, 7 * MS, position)
    assert late is not None
    assert "Free" in describe_place(trace, picture, late)
    cell = locate_cell(heap_map, place)
    assert cell.low <= ARENA + 0x5000 < cell.high
    assert find_cell(heap_map, 100 * MS, position) is None
    assert find_cell(heap_map, 2 * MS, heap_map.window.high) is None


def test_what_a_cell_is_stands_below_the_legend(trace: MemoryTrace) -> None:
    short, long = describe_cells(draw(trace, Colouring.TYPE))
    assert short.startswith("1 cell = ")
    assert "at one moment" in long


def test_the_curve_has_the_peak_also_between_two_columns(trace: MemoryTrace) -> None:
    curve = draw_curve(trace, draw(trace, Colouring.TYPE))
    assert curve.peak == (trace.index.peak.time_ns, trace.index.peak_bytes)
    assert curve.top_bytes == trace.index.peak_bytes
    assert read_curve(curve, 7 * MS) == 4000
    assert read_curve(curve, 100 * MS) is None


def test_the_curve_counts_all_addresses_also_of_a_part(trace: MemoryTrace) -> None:
    whole = trace.whole
    part = trace.draw_map(whole._replace(high=whole.low + 256), SHAPE, Colouring.TYPE.map_key)
    assert read_curve(draw_curve(trace, part), 7 * MS) == 4000
