"""Repeated fields of a message as columns: checked for equal length, range and references."""

from __future__ import annotations

from collections.abc import Sequence, Sized

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.index import Int64s, freeze

_NO_ROWS = np.empty(0, dtype=np.int64)
freeze(_NO_ROWS)


def check_equal(*columns: Sized) -> None:
    """Raise WireError unless the columns have equal length."""
    if len({len(column) for column in columns}) > 1:
        raise WireError("columns of one table differ in length")


def read_columns(*columns: Sequence[int]) -> list[Int64s]:
    """Return the columns of one table as arrays, each (n,).

    Raises WireError if they differ in length, or a number is longer than 63 bits.
    """
    check_equal(*columns)
    if not len(columns[0]):  # most tables of most messages
        return [_NO_ROWS] * len(columns)
    try:
        return [np.fromiter(column, dtype=np.int64, count=len(column)) for column in columns]
    except OverflowError:
        raise WireError("a number in a message is longer than 63 bits") from None


def find_string(strings: Sequence[str], at: int) -> str:
    """Return the string that a message refers to. Raises WireError if it is undefined."""
    if at >= len(strings):
        raise WireError(f"a message refers to string {at}, but only {len(strings)} are defined")
    return strings[at]
