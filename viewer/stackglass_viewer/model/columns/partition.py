"""Partition of tables of rows by masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from stackglass_viewer.model.columns.index import Bools


class Choosable(Protocol):
    """A table of rows from which some can be chosen."""

    def choose(self: _Table, which: Bools) -> _Table:
        """The rows of a mask."""


_Table = TypeVar("_Table", bound=Choosable)


def split_tables(
    tables: Sequence[_Table], masks: Sequence[Bools]
) -> tuple[list[_Table], list[_Table]]:
    """The rows in each table's mask, and the other rows, in their order. A table with all its rows
    on one side is returned as it is."""
    chosen, others = [], []
    for table, mask in zip(tables, masks, strict=True):
        if mask.all():
            chosen.append(table)
        elif not mask.any():
            others.append(table)
        else:
            chosen.append(table.choose(mask))
            others.append(table.choose(~mask))
    return chosen, others
