"""Lists of tables: splits them by masks, and appends rows so that the list stays short."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from stackglass_viewer.model.columns.index import Bools

_MOST_JOINED = 1 << 16
"""Most rows of a joined table. Joining more would make a waiting thread wait noticeably."""


class Choosable(Protocol):
    """A table of rows from which some can be chosen."""

    def __len__(self) -> int: ...

    def choose(self: _Table, which: Bools) -> _Table:
        """Return the rows of a mask."""


_Table = TypeVar("_Table", bound=Choosable)


def split_tables(
    tables: Sequence[_Table], masks: Sequence[Bools]
) -> tuple[list[_Table], list[_Table]]:
    """Return the rows in each table's mask, and the other rows, in their order. A table with all
    rows on one side is returned itself, not copied."""
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


def append_table(
    tables: list[_Table], rows: _Table, join: Callable[[Sequence[_Table]], _Table]
) -> None:
    """Append rows as the last table, and join it with the tables before it that are at most twice
    as large, as in a log-structured merge. So there are O(log n) tables until they reach
    ``_MOST_JOINED``, and each row is copied O(log n) times."""
    tables.append(rows)
    while len(tables) > 1:
        n_before, n_last = len(tables[-2]), len(tables[-1])
        if n_before > 2 * n_last or n_before + n_last > _MOST_JOINED:
            break
        last = tables.pop()
        tables[-1] = join((tables[-1], last))
