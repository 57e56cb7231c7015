"""Changes between two profiles, function by function."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from stackglass_viewer.model.graph.top import TopTable


class Change(NamedTuple):
    """A function's values before and after; 0 in a profile that does not have it."""

    name: str
    file: str
    line: int  # 0 = unknown
    flat_before: int
    flat_after: int
    cum_before: int
    cum_after: int

    @property
    def flat(self) -> int:
        return self.flat_after - self.flat_before

    @property
    def cum(self) -> int:
        return self.cum_after - self.cum_before


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """All functions that changed, the largest change first. 100 % is ``total_before``."""

    rows: tuple[Change, ...]
    total_before: int
    total_after: int
    unit: str


def compare(before: TopTable, after: TopTable, *, has_places: bool, is_by_cum: bool) -> ChangeTable:
    """Return the changes of each function.

    ``has_places``: functions of the same name are distinguished by their file and their order in
    it, since lines move from one version of a program to the next. ``is_by_cum``: sort by cum.
    """
    rows_of: dict[Hashable, list[int | None]] = {}
    for side, table in enumerate((before, after)):
        for row, key in _list_keys(table, has_places=has_places):
            rows_of.setdefault(key, [None, None])[side] = row
    changes = [_describe(before, after, *rows) for rows in rows_of.values()]
    chosen = [each for each in changes if each.flat or each.cum]
    if is_by_cum:
        chosen.sort(key=lambda each: (-abs(each.cum), -abs(each.flat), each.name))
    else:
        chosen.sort(key=lambda each: (-abs(each.flat), -abs(each.cum), each.name))
    return ChangeTable(tuple(chosen), before.total, after.total, after.unit)


def _list_keys(table: TopTable, *, has_places: bool) -> Iterator[tuple[int, Hashable]]:
    """Yield each row with its key. A function has the same key in both tables."""
    if not has_places:
        yield from enumerate(table.name)
        return
    n_of: dict[tuple[str, str], int] = {}
    for row in sorted(range(table.n_functions), key=lambda row: _find_line(table, row)):
        key = table.name[row], table.file[row]
        n_of[key] = n_of.get(key, 0) + 1
        yield row, (*key, n_of[key])


def _describe(before: TopTable, after: TopTable, earlier: int | None, later: int | None) -> Change:
    table, row = (before, earlier) if later is None else (after, later)
    assert row is not None
    flat_before, cum_before = _read(before, earlier)
    flat_after, cum_after = _read(after, later)
    return Change(
        table.name[row],
        table.file[row],
        _find_line(table, row),
        flat_before,
        flat_after,
        cum_before,
        cum_after,
    )


def _read(table: TopTable, row: int | None) -> tuple[int, int]:
    return (0, 0) if row is None else (int(table.flat[row]), int(table.cum[row]))


def _find_line(table: TopTable, row: int) -> int:
    return 0 if table.line is None else int(table.line[row])


def find_growth(table: ChangeTable, limit_percent: float) -> list[Change]:
    """Return the functions whose cum grew by more than a percentage of the total before."""
    return [each for each in table.rows if _exceeds(each.cum, table.total_before, limit_percent)]


def has_total_grown(table: ChangeTable, limit_percent: float) -> bool:
    """Whether the total grew by more than a percentage of the total before."""
    change = table.total_after - table.total_before
    return _exceeds(change, table.total_before, limit_percent)


def _exceeds(growth: int, whole: int, limit_percent: float) -> bool:
    """Whether ``growth`` is above a percentage of ``whole``; if ``whole`` is 0, above 0."""
    return growth * 100 > abs(whole) * limit_percent
