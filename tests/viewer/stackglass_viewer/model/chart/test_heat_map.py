"""The heat map: what was busy in each fiftieth of each second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart.heat_map import (
    CELL_NS,
    CELLS_A_COLUMN,
    MOST_COLUMNS,
    HeatMap,
    build_heat_map,
)
from stackglass_viewer.model.chart.stretches import Precision


def heat(text: str) -> HeatMap:
    stretches = make_stretches(text, kinds={"idle": 1})
    return build_heat_map(stretches, range(stretches.n_lanes), [True, False])


def list_hot(made: HeatMap) -> dict[tuple[int, int], float]:
    """By second and place in it."""
    return {
        (int(column), int(cell)): round(float(made.heat[column, cell]), 3)
        for column, cell in np.argwhere(made.heat > 0)
    }


def test_a_column_is_a_second() -> None:
    made = heat("a f 0 10\na f 1010 1050\nb f 1020 1040")
    assert list_hot(made) == {(0, 0): 0.5, (1, 0): 0.5, (1, 1): 2.0, (1, 2): 0.5}
    assert (made.n_columns, made.most) == (2, 2.0)


def test_long_stretches_fill_the_cells_between() -> None:
    made = heat("a f 990 2010")
    assert made.heat[0, 49] == 0.5
    assert (made.heat[1] == 1).all()
    assert made.heat[2, 0] == 0.5


def test_what_does_not_count_is_left_out() -> None:
    assert list_hot(heat("a f 0 20\na idle 20 900")) == {(0, 0): 1.0}


def test_some_threads_alone() -> None:
    stretches = make_stretches("a f 0 20\nb f 20 30")
    assert list_hot(build_heat_map(stretches, [1])) == {(0, 1): 0.5}
    assert list_hot(build_heat_map(stretches, [])) == {}


def test_of_many_hours_the_last_one_is_shown() -> None:
    hours_ms = 5 * 3600 * 1000
    made = heat(f"a f 0 20\na f {hours_ms} {hours_ms + 20}")
    assert made.n_columns == MOST_COLUMNS
    assert list_hot(made) == {(MOST_COLUMNS - 1, 0): 1.0}


def test_of_old_seconds_only_the_average_is_known() -> None:
    text = "a f 500 600\na f 1200 1300\na f 1700 1800\nb f 1200 1300\na f 2200 2300"
    stretches = make_stretches(text)
    precision = Precision(timed_from_ns=1000 * MS, exact_from_ns=2000 * MS)
    made = build_heat_map(replace(stretches, precision=precision), range(2))
    assert (made.n_untimed, made.n_averaged) == (1, 2)
    assert np.allclose(made.heat[1], 0.3)
    assert np.allclose(made.heat[0], 0.1)
    assert made.heat[2].tolist() == build_heat_map(stretches, range(2)).heat[2].tolist()
    later = replace(stretches, precision=Precision(0, 60_000 * MS))
    assert build_heat_map(later, range(2)).n_averaged == 3


@given(
    rows=st.lists(st.tuples(st.integers(0, 3000), st.integers(1, 2500)), min_size=1, max_size=12)
)
@settings(max_examples=150, deadline=None)
def test_cells_add_up_to_what_was_there(rows: list[tuple[int, int]]) -> None:
    now, lines, busy = 0, [], 0
    for pause, length in rows:
        now += pause
        lines.append(f"a f {now} {now + length}")
        now, busy = now + length, busy + length
    made = heat("\n".join(lines))
    assert made.heat.sum() * CELL_NS == pytest.approx(busy * MS)
    assert made.heat.max() <= 1 + 1e-9
    assert made.heat.shape[1] == CELLS_A_COLUMN
