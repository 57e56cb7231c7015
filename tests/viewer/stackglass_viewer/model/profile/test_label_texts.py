"""Labels of samples in words, and which samples have the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.counted_work import count_read_items
from harness.labelled_profile import Label, write_labelled
from stackglass_viewer.model.profile.label_texts import describe_labels, number_label_sets
from stackglass_viewer.model.profile.numeric_labels import find_units
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile


def read(folder: Path, labels: Sequence[Sequence[Label]]) -> Profile:
    profile = open_profile(write_labelled(folder / "labels.pb", labels))
    assert isinstance(profile, Profile)
    return profile


def test_texts_stand_before_numbers_and_each_in_order_of_keys(tmp_path: Path) -> None:
    rows: list[list[Label]] = [
        [("bytes", 2048, "bytes"), ("user", "eve", ""), ("route", "/a", ""), ("route", "/b", "")],
        [],
    ]
    profile = read(tmp_path, rows)
    described = describe_labels(profile, find_units(profile))
    assert list(described) == [0]
    assert list(described[0].items()) == [
        ("route", ["/a", "/b"]),
        ("user", ["eve"]),
        ("bytes", ["2kB"]),
    ]


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        ([("a", "1", "")], [("a", "1", "")], True),
        ([("a", "1", "")], [("a", "2", "")], False),
        ([("a", "1", "")], [("b", "1", "")], False),
        ([("a", 1, "")], [("a", 2, "")], False),
        ([("a", 1, "ms")], [("a", 1, "s")], False),
        ([("a", "1", "")], [("a", "1", ""), ("a", "1", "")], False),
        ([("a", "1", "")], [], False),
        ([("a", "1", ""), ("b", "2", "")], [("a", "1", ""), ("b", "2", "")], True),
        ([("a", "1", ""), ("b", "2", "")], [("a", "1", ""), ("b", "3", "")], False),
        ([("a", "1", ""), ("b", "2", "")], [("a", "2", ""), ("b", "2", "")], False),
    ],
    ids=str,
)
def test_samples_with_the_same_labels_have_the_same_number(
    tmp_path: Path, first: list[Label], second: list[Label], is_same: bool
) -> None:
    others: list[Label] = [("a", "2", ""), ("b", "3", "")]
    numbers = number_label_sets(read(tmp_path, [first, others, second, []])).tolist()
    assert (numbers[0] == numbers[2]) == is_same
    assert numbers[3] == 0
    assert numbers[1] not in (0, numbers[0], numbers[2])


def test_numbers_are_dense(tmp_path: Path) -> None:
    rows: list[list[Label]] = [[("a", "1", "")], [("a", "2", "")], [("a", "1", ""), ("b", "1", "")]]
    assert sorted(number_label_sets(read(tmp_path, rows)).tolist()) == [1, 2, 3]
    assert number_label_sets(read(tmp_path, [[], []])).tolist() == [0, 0]


def test_a_sample_with_many_labels_among_many_samples(tmp_path: Path) -> None:
    """A label of one sample does not read the numbers of all samples."""
    n = 1000
    many: list[Label] = [("id", number, "") for number in range(n)]
    profile = read(tmp_path, [many])
    starts = np.concatenate([profile.samples.stack_start, np.full(10 * n, 1)])
    values = np.ones((1, 10 * n + 1), np.int64)
    samples = replace(profile.samples, stack_start=starts, values=values)
    profile = replace(profile, samples=samples)
    assert number_label_sets(profile)[:2].tolist() == [1, 0]
    assert count_read_items(lambda: number_label_sets(profile)) < 100 * n
