"""Heap history: the sums at a moment, and what thinning keeps."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.heap import history as heap_history
from stackglass_viewer.model.heap.buckets import N_SUMS
from stackglass_viewer.model.heap.history import HeapHistory


class Recorder:
    """Adds steps to a history, and keeps a whole copy of the sums at each moment."""

    def __init__(self) -> None:
        self.history = HeapHistory()
        self.sums = np.zeros((N_SUMS, 0), dtype=np.int64)
        self.copies: dict[int, list[list[int]]] = {}

    def add(self, time_ns: int, changes: dict[int, int]) -> None:
        """Set all sums of each bucket in ``changes`` to a value; new buckets begin with 0."""
        n_buckets = max(self.sums.shape[1], 1 + max(changes, default=-1))
        sums = np.zeros((N_SUMS, n_buckets), dtype=np.int64)
        sums[:, : self.sums.shape[1]] = self.sums
        for bucket, value in changes.items():
            sums[:, bucket] = value + np.arange(N_SUMS)
        self.sums = sums
        self.history.add(time_ns, np.array(sorted(changes), dtype=np.int32), sums)
        self.copies[time_ns] = sums.tolist()

    def read(self, time_ns: int, n_buckets: int) -> list[list[int]]:
        columns: list[list[int]] = self.history.at(time_ns, n_buckets).columns.tolist()
        return columns


def test_an_empty_history_has_no_moment_and_no_sums() -> None:
    recorder = Recorder()
    assert recorder.history.first_ns is None
    assert recorder.history.times_ns == []
    assert recorder.read(5, 2) == [[0, 0]] * N_SUMS


def test_each_moment_has_the_sums_of_the_last_step_before_it() -> None:
    recorder = Recorder()
    recorder.add(10, {0: 100, 1: 200})
    recorder.add(20, {1: 300})
    recorder.add(30, {0: 0, 2: 50})
    assert recorder.history.first_ns == 10
    assert recorder.history.times_ns == [10, 20, 30]
    for time_ns in (10, 20, 30):
        n_buckets = len(recorder.copies[time_ns][0])
        assert recorder.read(time_ns, n_buckets) == recorder.copies[time_ns]
    assert recorder.read(9, 2) == [[0, 0]] * N_SUMS
    assert recorder.read(29, 2) == recorder.copies[20]
    assert recorder.read(10, 4)[0] == [100, 200, 0, 0]


def test_a_clock_that_goes_back_is_taken_to_stand_still() -> None:
    recorder = Recorder()
    recorder.add(10, {0: 1})
    recorder.add(7, {0: 2})
    assert recorder.history.times_ns == [10, 10]
    assert recorder.read(10, 1)[0] == [2]
    assert recorder.read(9, 1)[0] == [0]


@pytest.mark.parametrize("n_rows_between", [1, 5, 1000])
def test_thinning_keeps_every_moment_from_exact_from_on(
    n_rows_between: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heap_history, "_MAX_ROWS", 60)
    monkeypatch.setattr(heap_history, "_MIN_ROWS_BETWEEN", n_rows_between)
    recorder = Recorder()
    for time_ns in range(1, 101):
        recorder.add(time_ns, {time_ns % 3: time_ns, 3 + time_ns % 4: 1000 + time_ns})
    history = recorder.history
    assert 1 < history.exact_from_ns < 100
    assert history.first_ns == 1
    kept = history.times_ns
    assert len(kept) < 100
    for time_ns in range(history.exact_from_ns, 101):
        n_buckets = len(recorder.copies[time_ns][0])
        assert recorder.read(time_ns, n_buckets) == recorder.copies[time_ns]
    for time_ns in kept:
        n_buckets = len(recorder.copies[time_ns][0])
        assert recorder.read(time_ns, n_buckets) == recorder.copies[time_ns]


@pytest.mark.parametrize("most", [2**31 - 4, 2**31 - 3, 2**40])
@pytest.mark.parametrize("bucket", [2, 65_535, 65_536])
def test_large_sums_and_many_buckets_are_kept_as_they_are(most: int, bucket: int) -> None:
    """Steps are as wide as their own numbers need; the largest of a bucket is 3 above ``most``."""
    recorder = Recorder()
    recorder.add(10, {0: 5, bucket: 1})
    recorder.add(20, {bucket: most})
    recorder.add(30, {0: 6})
    for time_ns in (10, 20, 30):
        sums = recorder.read(time_ns, bucket + 1)
        assert sums == recorder.copies[time_ns]


def test_small_sums_take_half_the_room() -> None:
    recorder = Recorder()
    recorder.add(10, {each: 1 for each in range(100)})
    recorder.add(20, {1: 7, 2: 2**40})
    recorder.add(30, {3: 7})
    steps = recorder.history._steps
    assert [step.columns.itemsize for step in steps] == [4, 8, 4]
    assert [None if step.buckets is None else step.buckets.itemsize for step in steps] == [
        None,
        2,
        2,
    ]
