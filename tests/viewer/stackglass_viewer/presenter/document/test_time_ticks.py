"""Ticks of a time axis: round moments, written as finely as they stand apart."""

from __future__ import annotations

from itertools import pairwise

import pytest

from stackglass_viewer.presenter.document.time_ticks import list_ticks, write_moment

MS, S = 1_000_000, 1_000_000_000
MINUTE = 60 * S


@pytest.mark.parametrize(
    ("span", "width_px", "texts"),
    [
        ((0, 300 * MS), 400, ["0 ms", "100 ms", "200 ms", "300 ms"]),
        ((0, 2 * S), 400, ["0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s"]),
        ((0, 20 * S), 400, ["0 s", "5 s", "10 s", "15 s", "20 s"]),
        ((1_234_000_000, 1_236_000_000), 200, ["1.234 s", "1.235 s", "1.236 s"]),
        ((0, 700), 200, ["0 ns", "500 ns"]),
        ((0, 10 * MINUTE), 200, ["0:00", "5:00", "10:00"]),
        ((0, 3 * 60 * MINUTE), 300, ["0:00", "1:00:00", "2:00:00", "3:00:00"]),
        ((2 * MINUTE, 2 * MINUTE + S), 200, ["2:00.0", "2:00.5", "2:01.0"]),
    ],
)
def test_moments_are_round(span: tuple[int, int], width_px: int, texts: list[str]) -> None:
    assert [tick.text for tick in list_ticks(*span, width_px)] == texts


@pytest.mark.parametrize("width_px", [90, 333, 1000, 2400])
@pytest.mark.parametrize("length_ns", [1, 17, 999, 123_456, 7 * MS, 3 * S, 89 * S, 5 * 3600 * S])
def test_ticks_stand_apart_and_each_differs(width_px: int, length_ns: int) -> None:
    begin = 12_345_678
    ticks = list_ticks(begin, begin + length_ns, width_px)
    places = [(tick.at_ns - begin) / length_ns * width_px for tick in ticks]
    assert all(after - before >= 89 for before, after in pairwise(places))
    assert all(0 <= place <= width_px for place in places)
    assert len({tick.text for tick in ticks}) == len(ticks)


def test_nothing_has_no_ticks() -> None:
    assert list_ticks(0, 0, 100) == []
    assert list_ticks(0, S, 0) == []


def test_minutes_have_as_many_digits_as_a_step_needs() -> None:
    assert write_moment(2 * MINUTE + 5_300_000_000, 100 * MS, 3 * MINUTE) == "2:05.3"
    assert write_moment(65 * MINUTE, S, 65 * MINUTE) == "1:05:00"
