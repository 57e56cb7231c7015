"""The two hash tables, beside Python's own."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from native import _core_testing

MOST_ITEMS = 20_000


def _draw(n_values: int) -> list[int]:
    numbers = random.Random(n_values)
    values = [numbers.getrandbits(32) or 1 for _ in range(n_values)]
    return numbers.choices(values, k=MOST_ITEMS)


@pytest.mark.parametrize("n_values", [1, 100, 10_000])
def test_a_table_has_each_key_once(n_values: int) -> None:
    keys = _draw(n_values)
    rows = _core_testing.hash_table_count(keys)
    assert dict(rows) == Counter(keys)
    assert len(rows) == len(dict(rows))


def test_keys_that_differ_in_high_bits_alone_are_distinguished() -> None:
    keys = [number << 48 for number in range(1, 2000)]
    assert sorted(_core_testing.hash_table_count(keys)) == [(key, 1) for key in keys]


def test_an_empty_table_has_no_rows_and_zero_is_no_key() -> None:
    assert _core_testing.hash_table_count([]) == []
    assert _core_testing.hash_table_count([0, 7, 0]) == [(7, 1)]


@pytest.mark.parametrize("mask", [0, 0xFF, 0xFFFFFFFF], ids=["equal", "crowded", "distinct"])
def test_an_index_compares_items_whose_hashes_are_equal(mask: int) -> None:
    items = _draw(100 if mask == 0 else 10_000)
    first: dict[int, int] = {}
    expected = [first.setdefault(item, position) for position, item in enumerate(items)]
    assert _core_testing.hash_index_first(items, mask) == expected


def test_an_index_has_mapped_memory_at_every_moment() -> None:
    """A child that is forked at that moment unmaps it; another thread may have mapped its own."""
    n, n_bad = _core_testing.hash_index_interrupt(200)
    assert n >= 200
    assert n_bad == 0
