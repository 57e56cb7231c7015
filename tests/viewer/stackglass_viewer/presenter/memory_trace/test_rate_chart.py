"""Charts of allocation rates: their numbers are those of ``stackglass memory --rate``."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from harness.shop_trace import MS, open_shop
from harness.traced_memory import ListedSource, make_events, make_random_rows, read_trace
from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.model.memory_trace.rate_table import (
    RateRow,
    RateTable,
    list_line_rates,
    list_rates,
)
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.map_groups import NO_STACK, UNKNOWN_TYPE, Colouring
from stackglass_viewer.presenter.memory_trace.rate_chart import (
    MOST_GROUPS,
    RateChart,
    RateMeasure,
    RateWish,
    describe_bar,
    describe_group,
    draw_rates,
    find_bar,
    find_group,
    find_largest_group,
    name_bar,
)
from stackglass_viewer.presenter.memory_trace.rate_groups import choose_colours, suggest_grouping
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.reports.memory_rates import describe_rates

PALETTE = choose_palette("module", True)
BY_TYPE = RateWish(Colouring.TYPE, RateMeasure.BYTES)


def list_table(trace: MemoryTrace, grouping: Colouring) -> RateTable:
    index, end_ns = trace.index, trace.index.end.time_ns
    if grouping is Colouring.SITE:
        return list_line_rates(trace.names, index.line_rates, end_ns)
    return list_rates(trace.names, index.rates, end_ns)


def draw_all(trace: MemoryTrace, wish: RateWish = BY_TYPE, width_px: int = 900) -> RateChart:
    return draw_rates(list_table(trace, wish.grouping), wish, trace.whole, width_px, PALETTE)


def open_random(folder: Path, seed: int = 5) -> MemoryTrace:
    names = read_trace("0 alloc 0x8 0 at=main;load;parse type=T\n0 alloc 0x8 0 at=k type=U").names
    rows = make_random_rows(seed, 4000)
    return MemoryTrace(ListedSource([make_events(rows)], names), "x", folder=folder)


@pytest.mark.parametrize("width_px", [40, 333, 900, 5000])
@pytest.mark.parametrize(
    ("grouping", "key"), [(Colouring.TYPE, "types"), (Colouring.SITE, "sites")]
)
def test_bars_are_sums_of_what_the_command_prints(
    grouping: Colouring, key: str, width_px: int, tmp_path: Path
) -> None:
    trace = open_random(tmp_path)
    chart = draw_all(trace, RateWish(grouping, RateMeasure.OBJECTS), width_px)
    printed = describe_rates(trace)
    span_ns = printed["span_ns"]
    for column, values in (("n_objects", chart.n), ("bytes", chart.size)):
        total = np.sum([row[column] for row in printed[key]], axis=0)
        edges = ((chart.edges_ns - chart.begin_ns) // span_ns).tolist()
        expected = [int(total[a:b].sum()) for a, b in itertools.pairwise(edges)]
        assert values.sum(axis=0).tolist() == expected
        rows = sorted(sum(row[column]) for row in printed[key] if any(row["n_objects"]))
        assert sorted(values.sum(axis=1).tolist()) == rows
    assert 3 * chart.n_bars <= max(width_px, 8)


def test_a_window_has_the_bars_that_reach_into_it(tmp_path: Path) -> None:
    trace = open_random(tmp_path)
    table = list_table(trace, Colouring.TYPE)
    span = table.span_ns
    window = MapWindow(10 * span + 1, 20 * span + 1, 0, 1)
    chart = draw_rates(table, BY_TYPE, window, 900, PALETTE)
    assert chart.edges_ns.tolist() == [table.begin_ns + at * span for at in range(10, 22)]
    whole = draw_all(trace)
    joined = (whole.edges_ns[1] - whole.edges_ns[0]) // span
    assert joined & (joined - 1) == 0
    behind = draw_rates(table, BY_TYPE, MapWindow(1 << 50, 1 << 51, 0, 1), 900, PALETTE)
    assert behind.n_bars == 1


def make_table(sizes: list[int]) -> RateTable:
    """A type for each of them, in one span of a second."""
    rows = [
        RateRow(f"t{at}", np.array([1], np.int64), np.array([size], np.int64))
        for at, size in enumerate(sizes)
    ]
    return RateTable(0, 10**9 - 1, 10**9, 1, rows)


def test_the_largest_eight_have_a_place_and_the_others_are_one() -> None:
    table = make_table(list(range(20, 0, -1)))
    chart = draw_rates(table, BY_TYPE, MapWindow(0, 10**9, 0, 1), 100, PALETTE)
    texts = [entry.group.text for entry in chart.legend.entries]
    assert texts == [*(f"t{at}" for at in range(MOST_GROUPS)), "others"]
    assert chart.legend.entries[-1].group.about == "12 others, each with less"
    assert chart.size[-1].tolist() == [sum(range(1, 13))]
    assert sum(entry.share for entry in chart.legend.entries) == pytest.approx(1)


def test_exactly_eight_leave_no_others() -> None:
    chart = draw_rates(make_table([1] * 8), BY_TYPE, MapWindow(0, 10**9, 0, 1), 100, PALETTE)
    assert len(chart.legend.entries) == 8


@pytest.mark.parametrize("is_dark", [True, False])
@pytest.mark.parametrize("name", ["module", "safe"])
def test_no_two_groups_have_one_colour(name: str, is_dark: bool) -> None:
    palette = choose_palette(name, is_dark)
    names = ["<unknown>", *(f"t{at}" for at in range(60))]
    for places in ([0, 1, 2, 3, 4, 5, 6, 7], [1, 9, 13, 17, 25, 33, 41, 49], [0, 13, 25, 37]):
        colours = choose_colours(places, names, palette)
        assert len(set(colours)) == len(places)
        assert (palette.pseudo in colours) == (0 in places)


def test_a_group_keeps_its_colour_where_it_is_not_the_largest() -> None:
    names = [f"t{at}" for at in range(20)]
    (first,) = choose_colours([3], names, PALETTE)
    assert choose_colours([5, 3, 0], names, PALETTE)[1] == first


def test_a_bar_and_its_groups_in_words(tmp_path: Path) -> None:
    chart = draw_all(open_shop(tmp_path))
    bar = find_bar(chart, 1 * MS)
    assert name_bar(chart, bar).startswith("969 µs to 1.000 ms")
    largest = find_largest_group(chart, bar)
    assert describe_group(chart, bar, largest) == "builtins.bytes, 100%"
    assert describe_bar(chart, bar).endswith(": 195 KiB in 1 object")
    assert describe_bar(chart, bar) == describe_bar(chart, bar, largest)
    assert find_group(chart, bar, 1.0) == largest
    assert find_group(chart, bar, 1e12) == -1
    assert find_bar(chart, -1) == find_bar(chart, 1 << 50) == -1
    empty = find_bar(chart, 3 * MS)
    assert find_largest_group(chart, empty) == -1
    assert describe_bar(chart, empty) == "0 B/s, 0 objects/s: 0 B in 0 objects"


def test_lines_stand_where_most_types_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "known").mkdir()
    known = open_shop(tmp_path / "known")
    assert suggest_grouping(known.index.rates, True) is Colouring.TYPE
    text = "1 alloc 0x10 8 at=f\n2 alloc 0x20 8 at=f\n3 alloc 0x30 900 at=f type=T"
    unknown = MemoryTrace(read_trace(text), "x", folder=tmp_path)
    assert suggest_grouping(unknown.index.rates, True) is Colouring.SITE, "most objects"
    assert suggest_grouping(unknown.index.rates, False) is Colouring.TYPE


def test_groups_without_a_name_say_what_is_missing(tmp_path: Path) -> None:
    text = "1 alloc 0x10 8 at=f\n2 alloc 0x20 8"
    trace = MemoryTrace(read_trace(text), "x", folder=tmp_path)
    for grouping, words in ((Colouring.TYPE, UNKNOWN_TYPE), (Colouring.SITE, NO_STACK)):
        chart = draw_all(trace, RateWish(grouping, RateMeasure.BYTES))
        assert words in [entry.group.text for entry in chart.legend.entries]


def test_a_trace_with_no_allocation_has_bars_of_nothing(tmp_path: Path) -> None:
    trace = MemoryTrace(read_trace("0 gc 0 2\n1 gc-end 0 2"), "x", folder=tmp_path)
    for grouping in (Colouring.TYPE, Colouring.SITE):
        chart = draw_all(trace, RateWish(grouping, RateMeasure.BYTES))
        assert chart.top == 0
        assert chart.legend.entries == ()
