"""Pauses of the collector: bounded, the longest kept, sums exact."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.memory.gc_pauses import PauseLog, thin_pauses

S = 1_000_000_000


def add(log: PauseLog, *table: tuple[int, int, int, int]) -> None:
    """(start ns, generation, pause ns, objects freed)."""
    start, generation, pause, freed = (np.array(each) for each in zip(*table, strict=True))
    log.add(start, generation, pause, freed, np.zeros(len(table), dtype=np.int64))


def test_pauses_are_as_reported() -> None:
    log = PauseLog()
    add(log, (5, 0, 100, 3), (9, 2, 700, 40))
    pauses = log.view()
    assert pauses.start_ns.tolist() == [5, 9]
    assert pauses.generation.tolist() == [0, 2]
    assert pauses.longest_ns.tolist() == pauses.total_ns.tolist() == [100, 700]
    assert pauses.n_freed.tolist() == [3, 40]


def test_a_pixel_shows_the_longest_of_each_generation() -> None:
    log = PauseLog()
    add(log, (10, 0, 5, 1), (20, 0, 9, 2), (30, 2, 50, 4), (110, 0, 1, 8))
    seen = thin_pauses(log.view(), 0, 200, 2)
    assert seen.start_ns.tolist() == [20, 30, 110]
    assert seen.generation.tolist() == [0, 2, 0]
    assert seen.longest_ns.tolist() == [9, 50, 1]
    assert seen.total_ns.tolist() == [14, 50, 1]
    assert seen.n_pauses.tolist() == [2, 1, 1]
    assert seen.n_freed.tolist() == [3, 4, 8]
    assert len(thin_pauses(log.view(), 40, 100, 2)) == 0


def test_old_pauses_are_merged_and_nothing_is_lost() -> None:
    log = PauseLog(max_pauses=100)
    for number in range(3000):
        add(log, (number * S // 50, number % 3 == 0, 10 + number, 1))
    pauses = log.view()
    assert len(pauses) <= 100
    assert pauses.n_pauses.sum() == pauses.n_freed.sum() == 3000
    assert pauses.total_ns.sum() == sum(range(10, 3010))
    assert pauses.longest_ns.max() == 3009
    assert np.all(np.diff(pauses.start_ns) >= 0)
