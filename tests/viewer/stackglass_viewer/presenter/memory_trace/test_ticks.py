"""Ticks of a trace's axes."""

from __future__ import annotations

import random

import pytest

from stackglass_viewer.presenter.memory_trace.ticks import place_byte_ticks, place_time_ticks

S = 1_000_000_000


@pytest.mark.parametrize(
    ("begin", "end", "most", "texts"),
    [
        (0, 6 * S, 8, ["0 s", "1 s", "2 s", "3 s", "4 s", "5 s", "6 s"]),
        (0, 20_000_000, 5, ["0 ms", "5 ms", "10 ms", "15 ms", "20 ms"]),
        (2_340_000_000, 2_360_000_000, 2, ["2.34 s", "2.35 s", "2.36 s"]),
        (0, 600 * S, 4, ["0:00", "5:00", "10:00"]),
        (0, 0, 4, []),
    ],
)
def test_times_are_round_and_have_the_digits_of_their_step(
    begin: int, end: int, most: int, texts: list[str]
) -> None:
    zero = 77 * S
    ticks = place_time_ticks(begin + zero, end + zero, zero, most)
    assert [tick.text for tick in ticks] == texts


def test_any_span_has_few_ticks_that_differ() -> None:
    rng = random.Random(5)
    for _ in range(500):
        begin = rng.randrange(10 ** rng.randrange(1, 14))
        span = rng.randrange(1, 10 ** rng.randrange(1, 14))
        ticks = place_time_ticks(begin, begin + span, 0, 8)
        assert len(ticks) <= 9
        assert all(begin <= tick.value <= begin + span for tick in ticks)
        assert len({tick.text for tick in ticks}) == len(ticks)


def test_bytes_are_powers_of_two() -> None:
    texts = [tick.text for tick in place_byte_ticks(100 << 20, 4)]
    assert texts == ["32 MiB", "64 MiB", "96 MiB"]
    assert place_byte_ticks(0, 4) == ()
