"""Columns of messages: what an engine may not say."""

from __future__ import annotations

import pytest

from stackglass.errors import WireError
from stackglass_viewer.model.columns.wire_columns import check_equal, find_string, read_columns


def test_columns_of_one_table() -> None:
    first, second = read_columns([1, 2**63 - 1], [0, 3])
    assert first.tolist() == [1, 2**63 - 1]
    assert second.tolist() == [0, 3]


def test_columns_that_differ_in_length() -> None:
    with pytest.raises(WireError, match="differ in length"):
        check_equal([1], [2], [])
    with pytest.raises(WireError, match="differ in length"):
        read_columns([1], [])


def test_a_number_that_is_too_long() -> None:
    with pytest.raises(WireError, match="63 bits"):
        read_columns([2**63])


def test_a_string_that_is_not_there() -> None:
    assert find_string(["", "f"], 1) == "f"
    with pytest.raises(WireError, match="string 2, but only 2 are defined"):
        find_string(["", "f"], 2)
