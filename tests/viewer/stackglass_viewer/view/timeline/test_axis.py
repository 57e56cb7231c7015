"""Ticks of the timeline: few, at round values."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.memory.timeline import UNITS_PER_S
from stackglass_viewer.view.timeline.axis import TimelineAxis

MIB = 1 << 20


@pytest.mark.parametrize(
    ("unit", "high", "size_px", "step"),
    [
        ("clock", 60 * UNITS_PER_S, 1100, 10 * UNITS_PER_S),
        ("clock", 5 * UNITS_PER_S, 1100, 0.5 * UNITS_PER_S),
        ("clock", 30 * 3600 * UNITS_PER_S, 1100, 3 * 3600 * UNITS_PER_S),
        ("bytes", 100 * MIB, 120, 20 * MIB),
        ("bytes", 3, 240, 1),
        ("threads", 8, 60, 5),
        ("threads", 1, 60, 0.5),
        ("arenas", 1, 60, 1),
        ("nanoseconds", 4_000_000, 60, 2_000_000),
    ],
)
def test_ticks_stand_at_round_values(
    qt: QApplication, unit: str, high: float, size_px: float, step: float
) -> None:
    axis = TimelineAxis(unit, "left")
    ((found, ticks),) = axis.tickValues(0, high, size_px)
    assert found == step
    assert ticks == [step * n for n in range(int(high / step) + 1)]


@pytest.mark.parametrize("unit", ["bytes", "rate"])
def test_a_row_without_values_has_no_ticks(qt: QApplication, unit: str) -> None:
    """It has a height of a byte, and no scale."""
    assert TimelineAxis(unit, "left").tickValues(0, 1.12, 240) == []


def test_ticks_are_written_in_units_that_a_reader_knows(qt: QApplication) -> None:
    assert TimelineAxis("clock", "bottom").tickStrings([0, 6500], 1, 1) == ["0:00", "1:05"]
    assert TimelineAxis("bytes", "left").tickStrings([0, MIB], 1, 1) == ["", "1.00 MiB"]
    assert TimelineAxis("rate", "left").tickStrings([0, MIB], 1, 1) == ["", "1.00 MiB/s"]


def test_another_unit_writes_other_ticks(qt: QApplication) -> None:
    axis = TimelineAxis("threads", "left")
    assert axis.tickStrings([0, 0.5, 5], 1, 1) == ["", "0.5", "5"]
    axis.set_unit("nanoseconds")
    assert axis.tickStrings([0, 2_000_000], 1, 1) == ["", "2.00 ms"]
