"""Rows of samples by time, and the threads that they are of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.profiles import encode_labels, encode_stacks, read_stacks
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.profile.profile import Profile, SampleTimes
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.writers.timed_rows import list_timed_rows, split_threads

STACKS = "main;load 12\nmain;save 9\nmain 0"


def test_without_times_each_sample_that_has_a_value_is_a_row(tmp_path: Path) -> None:
    rows = list_timed_rows(read_stacks(STACKS, tmp_path), TypeId(1))
    assert (rows.sample.tolist(), rows.value.tolist()) == ([0, 1], [12, 9])
    assert (len(rows.begin_ns), len(rows.end_ns), rows.length_ns) == (0, 0, 0)


def test_what_times_do_not_say_stands_behind(tmp_path: Path) -> None:
    begin = np.array([3, 5, 8], dtype=np.int64)
    times = SampleTimes(
        np.array([1, 0, 0], dtype=np.int32),
        begin,
        begin,
        (np.ones(3, np.int64), np.array([9, 0, 7], dtype=np.int32)),
        10,
    )
    rows = list_timed_rows(replace(read_stacks(STACKS, tmp_path), times=times), TypeId(1))
    assert rows.sample.tolist() == [1, 0, 0]
    assert rows.value.tolist() == [9, 7, 5]
    assert (rows.begin_ns.tolist(), rows.end_ns.tolist()) == ([3, 8], [3, 8])
    assert rows.length_ns == 10


def test_threads_come_in_the_order_of_their_first_samples() -> None:
    labels = [{"thread": "b"}, {"other": "x"}, {"thread": "a"}]
    profile = open_content(encode_labels(encode_stacks(STACKS), labels), "out")
    assert isinstance(profile, Profile)
    rows = np.array([2, 0, 1, 0])
    found = [(name, here.tolist()) for name, here in split_threads(profile, rows)]
    assert found == [("b", [1, 3]), ("all", [2]), ("a", [0])]


def test_several_labels_make_a_thread_of_each_combination() -> None:
    labels = [{"thread": "main", "process": "1"}, {"thread": "main", "process": "2"}, {}]
    profile = open_content(encode_labels(encode_stacks(STACKS), labels), "out")
    assert isinstance(profile, Profile)
    rows = np.array([1, 2, 0, 1])
    found = split_threads(profile, rows)
    assert [(name, here.tolist()) for name, here in found] == [
        ("1, main", [2]),
        ("2, main", [0, 3]),
        ("all", [1]),
    ]
