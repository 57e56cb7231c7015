"""Numeric labels have pprof's units and texts."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.profile.numeric_labels import (
    find_numeric,
    find_unit,
    format_number,
    group_by_key,
)
from stackglass_viewer.model.profile.profile import Labels

STRINGS = ("", "bytes", "request", "wait", "bytes", "ms", "text")


def make_labels(*rows: tuple[int, int, int, int]) -> Labels:
    """``rows``: key, text, number, unit."""
    key, text, number, unit = np.array(rows, dtype=np.int32).T
    return Labels(np.arange(len(rows), dtype=np.int32), key, text, number.astype(np.int64), unit)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1024, "bytes", "1kB"),
        (1536, "bytes", "1.50kB"),
        (-2048, "bytes", "-2kB"),
        (0, "ms", "0"),
        (1500, "ms", "1.50s"),
        (3, "widgets", "3"),
    ],
)
def test_numbers_are_written_in_the_unit_that_fits(value: int, unit: str, text: str) -> None:
    assert format_number(value, unit) == text


def test_a_zero_without_a_unit_and_a_text_are_no_numbers() -> None:
    labels = make_labels((1, -1, 0, 0), (3, -1, 0, 5), (1, -1, 7, 0), (1, 6, 0, 0))
    assert find_numeric(labels).tolist() == [False, True, True, False]


def test_units_come_from_a_row_or_from_the_key() -> None:
    labels = make_labels((3, -1, 4, 0), (3, -1, 5, 5), (2, -1, 8, 0), (1, -1, 9, 0))
    assert find_unit(labels, STRINGS, np.array([0, 1]), "wait") == "ms"
    assert find_unit(labels, STRINGS, np.array([0]), "wait") == "wait"
    assert find_unit(labels, STRINGS, np.array([2]), "request") == "bytes"


def test_a_key_that_a_file_holds_twice_is_one() -> None:
    labels = make_labels((4, -1, 4, 0), (2, -1, 5, 0), (1, -1, 8, 0))
    grouped = group_by_key(labels, STRINGS, np.array([0, 1, 2]))
    assert {key: rows.tolist() for key, rows in grouped.items()} == {
        "bytes": [0, 2],
        "request": [1],
    }
    assert group_by_key(labels, STRINGS, np.array([], dtype=np.int64)) == {}
