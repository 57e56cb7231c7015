"""Values as options want them; whole reports are compared with pprof's in tests/contract."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.reports.top_values import (
    divide_by_counts,
    format_in_unit,
    multiply,
)


def make_table(flat: list[int], cum: list[int], total: int = 100) -> TopTable:
    names = [str(number) for number in range(len(flat))]
    return TopTable(names, names, np.array(flat), np.array(cum), None, total, "ns")


def test_means_go_toward_zero() -> None:
    mean = divide_by_counts(
        make_table([7, -7, 5], [9, -9, 5], 99), make_table([2, 2, 0], [4, 4, 0], 10)
    )
    assert mean.flat.tolist() == [3, -3, 5]
    assert mean.cum.tolist() == [2, -2, 5]
    assert mean.total == 9


def test_products_go_toward_zero_and_are_exact_without_a_factor() -> None:
    assert [multiply(value, 1 / 2) for value in (7, -7, 0)] == [3, -3, 0]
    assert multiply(2**60 + 1, 1.0) == 2**60 + 1


@pytest.mark.parametrize("divisor", [1e-300, 5e-324, 2**-60])
def test_a_product_of_more_than_64_bits_is_an_error(divisor: float) -> None:
    with pytest.raises(ContentError, match="more than 64 bits"):
        multiply(9, 1 / divisor)


@pytest.mark.parametrize(
    ("value", "unit", "wanted", "text"),
    [
        (1500, "ns", "", "1.50 µs"),
        (1500, "ns", "us", "1.50us"),
        (4096, "bytes", "kb", "4kB"),
        (0, "ns", "ms", "0"),
        (-4, "bytes", "kb", "0"),
        (-6, "bytes", "kb", "-0.01kB"),
    ],
)
def test_units(value: int, unit: str, wanted: str, text: str) -> None:
    assert format_in_unit(value, unit, wanted) == text
