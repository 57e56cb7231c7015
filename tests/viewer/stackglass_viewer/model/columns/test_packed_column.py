"""Packed columns: the same integers, in the room that their differences need."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackglass_viewer.model.columns.packed_column import pack_column

LEAST, GREATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64])
@given(data=st.data())
def test_any_integers_come_back(kind: type[np.int32], data: st.DataObject) -> None:
    bounds = np.iinfo(kind)
    around = data.draw(st.integers(int(bounds.min), int(bounds.max)))
    near = st.integers(max(around - 70_000, bounds.min), min(around + 70_000, bounds.max))
    numbers = data.draw(st.lists(near | st.integers(int(bounds.min), int(bounds.max)), max_size=9))
    packed = pack_column(np.array(numbers, dtype=kind))
    assert packed.unpack().tolist() == numbers
    assert packed.unpack().dtype == kind
    assert packed.n_rows == len(numbers)
    if numbers:
        assert (packed.least, packed.greatest) == (min(numbers), max(numbers))


@pytest.mark.parametrize(
    ("numbers", "n_bytes"),
    [
        ([7, 7, 7, 7], 0),
        ([1_000_000, 1_000_255, 1_000_000, 1_000_001], 4),
        ([0, 256, 0, 0], 8),
        ([-1, 65_535, 0, 0], 16),
        ([0, 2**32 - 1, 0, 0], 16),
        ([0, 2**32, 0, 0], 32),
        ([LEAST, GREATEST, 0, 0], 32),
    ],
)
def test_it_takes_the_room_that_the_differences_need(numbers: list[int], n_bytes: int) -> None:
    packed = pack_column(np.array(numbers, dtype=np.int64))
    assert (0 if packed.above is None else packed.above.nbytes) == n_bytes
    assert packed.unpack().tolist() == numbers


def test_what_comes_out_cannot_be_changed() -> None:
    for numbers in ([5, 5], [5, 6], [0, 2**40]):
        with pytest.raises(ValueError, match="read-only"):
            pack_column(np.array(numbers, dtype=np.int64)).unpack()[0] = 1
