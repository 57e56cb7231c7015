"""The cursor of a memory trace: moved by hand and played."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.memory_trace.cursor import (
    SPEEDS,
    Cursor,
    name_speed,
    suggest_speed,
)

HOUR_NS = 3_600_000_000_000
pytestmark = pytest.mark.usefixtures("qt")


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_times_of_more_than_32_bits_arrive_whole(qt: QApplication) -> None:
    cursor = Cursor((0, HOUR_NS))
    moved: list[int] = []
    cursor.moved.connect(moved.append)
    cursor.move(6_000_000_000)
    assert moved == [6_000_000_000]


def test_it_stays_in_the_trace() -> None:
    cursor = Cursor((100, 200))
    cursor.move(5000)
    assert cursor.time_ns == 200
    cursor.move(-1)
    assert cursor.time_ns == 100


def test_playing_moves_it_by_the_time_that_has_passed() -> None:
    clock = Clock()
    cursor = Cursor((0, 10_000_000_000), clock=clock)
    cursor.set_speed(0.1)
    cursor.play(True)
    clock.now_s = 2.0
    cursor.tick()
    assert cursor.time_ns == 200_000_000
    assert cursor.is_playing
    clock.now_s = 1000.0
    cursor.tick()
    assert (cursor.time_ns, cursor.is_playing) == (10_000_000_000, False)


def test_played_from_the_end_it_begins_anew() -> None:
    cursor = Cursor((100, 200), clock=Clock())
    playing: list[bool] = []
    cursor.playing_changed.connect(playing.append)
    cursor.move(200)
    cursor.play(True)
    assert cursor.time_ns == 100
    cursor.play(False)
    assert playing == [True, False]


@pytest.mark.parametrize(
    ("span_ns", "speed", "text"),
    [
        (10_000_000_000, 1.0, "1×"),
        (HOUR_NS // 4, 100.0, "100×"),
        (20_000_000, 0.001, "1/1\u202f000×"),
    ],
)
def test_the_first_speed_plays_all_in_some_ten_seconds(
    span_ns: int, speed: float, text: str
) -> None:
    assert suggest_speed(span_ns) == pytest.approx(speed)
    assert suggest_speed(span_ns) in SPEEDS
    assert name_speed(suggest_speed(span_ns)) == text
