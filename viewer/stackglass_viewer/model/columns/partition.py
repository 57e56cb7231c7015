"""Tables of rows in two: those that a mask names, and the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from stackglass_viewer.model.columns.index import Bools


class Choosable(Protocol):
    """Rows that can be cut to some of them, as a table of the same kind."""

    def choose(self: _Table, which: Bools) -> _Table:
        """The rows of a mask."""


_Table = TypeVar("_Table", bound=Choosable)


def split_tables(
    tables: Sequence[_Table], masks: Sequence[Bools]
) -> tuple[list[_Table], list[_Table]]:
    """The rows of each table's mask, and the others, in their order; a table that need not be cut
    is handed on as it is."""
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
