"""Difference of two profiles: the later one less the earlier one.

Stacks, functions and texts are matched by content, not by number, so the two may come from
different sessions. Rows that are zero in every column are left out; values may be negative.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator
from typing import Generic, TypeVar

from stackglass.wire.pprof import LabelSet, ProfileTables
from stackglass.wire.stack_tables import list_columns

_Row = TypeVar("_Row", bound=Hashable)
_WORD = (1 << 64) - 1  # a negative value is sent as its two's complement


def subtract(later: ProfileTables, earlier: ProfileTables) -> ProfileTables:
    """Return ``later`` less ``earlier``, with the time of ``later``'s end.

    Raises ValueError for profiles of different sample types.
    """
    if (later.sample_types, later.period_type) != (earlier.sample_types, earlier.period_type):
        raise ValueError("the two profiles have different sample types")
    merged = _Merger(later)
    sums: dict[tuple[int, LabelSet], list[int]] = {}
    for sign, rows in ((1, _list_rows(later)), (-1, merged.translate(earlier))):
        for node, labels, values in rows:
            row = sums.setdefault((node, labels), [0] * len(values))
            for i, value in enumerate(values):
                row[i] += sign * value
    kept = [(*key, row) for key, row in sums.items() if any(row)]
    label_sets: dict[LabelSet, int] = {(): 0}
    numbers = [label_sets.setdefault(labels, len(label_sets)) for _, labels, _ in kept]
    return merged.build()._replace(
        sample_node=array("I", (node for node, _, _ in kept)),
        sample_labels=array("I", numbers),
        sample_values=tuple(
            array("Q", (row[i] & _WORD for _, _, row in kept))
            for i in range(len(later.sample_types))
        ),
        label_sets=tuple(label_sets),
        time_unix_ns=_find_end(later),
        duration_ns=max(_find_end(later) - _find_end(earlier), 0),
    )


def _find_end(tables: ProfileTables) -> int:
    """Return when the profile ends; its time is its start if it has a duration."""
    return tables.time_unix_ns + tables.duration_ns


def _list_rows(tables: ProfileTables) -> Iterator[tuple[int, LabelSet, tuple[int, ...]]]:
    nodes = memoryview(tables.sample_node.tobytes()).cast("I")
    sets = memoryview(tables.sample_labels.tobytes()).cast("I")
    columns = [memoryview(column.tobytes()).cast("Q") for column in tables.sample_values]
    for node, labels, *values in zip(nodes, sets, *columns):
        yield node, tables.label_sets[labels], tuple(values)


class _Table(Generic[_Row]):
    """Rows, and the number of each."""

    __slots__ = ("_numbers", "rows")

    def __init__(self, rows: Iterable[_Row], n_nameless: int = 0) -> None:
        """The first ``n_nameless`` rows are never found by their content."""
        self.rows = list(rows)
        self._numbers: dict[_Row, int] = {}
        for number, row in enumerate(self.rows[n_nameless:], n_nameless):
            self._numbers.setdefault(row, number)

    def add(self, row: _Row) -> int:
        number = self._numbers.setdefault(row, len(self.rows))
        if number == len(self.rows):
            self.rows.append(row)
        return number


class _Merger:
    """The tables of one profile while those of another one are added."""

    __slots__ = (
        "_functions",
        "_inlined",
        "_locations",
        "_natives",
        "_nodes",
        "_strings",
        "_tables",
    )

    def __init__(self, tables: ProfileTables) -> None:
        self._tables = tables
        self._strings = _Table(tables.strings or [""])
        self._functions = _Table(_list_functions(tables))
        self._natives = dict(tables.natives)
        self._inlined = dict(tables.location_inlined)
        self._locations = _Table(_list_locations(tables))
        self._nodes = _Table(_list_nodes(tables), 1)

    def translate(self, tables: ProfileTables) -> Iterator[tuple[int, LabelSet, tuple[int, ...]]]:
        """Yield the rows of ``tables``, with the numbers that their stacks have here."""
        strings = [self._strings.add(text) for text in tables.strings or [""]]
        functions = [
            self._functions.add((strings[name], strings[system], strings[file], line))
            for name, system, file, line in _list_functions(tables)
        ]
        locations = [
            self._locations.add((functions[function], line, address))
            for function, line, address in _list_locations(tables)
        ]
        for location, calls in tables.location_inlined.items():
            self._inlined.setdefault(
                locations[location], tuple((functions[function], line) for function, line in calls)
            )
        for function, code in tables.natives.items():
            self._natives.setdefault(functions[function], code)
        nodes = [0]
        for parent, location in _list_nodes(tables)[1:]:
            nodes.append(self._nodes.add((nodes[parent], locations[location])))
        for node, labels, values in _list_rows(tables):
            yield nodes[node], labels, values

    def build(self) -> ProfileTables:
        """Return the merged tables, with the samples of the first profile."""
        columns = list_columns(
            self._strings.rows, self._functions.rows, self._locations.rows, self._nodes.rows
        )
        return self._tables._replace(
            **columns, natives=self._natives, location_inlined=self._inlined
        )


def _list_functions(tables: ProfileTables) -> list[tuple[int, int, int, int]]:
    return list(
        zip(
            tables.function_name,
            tables.function_system_name,
            tables.function_filename,
            tables.function_start_line,
        )
    )


def _list_locations(tables: ProfileTables) -> list[tuple[int, int, int]]:
    functions, lines = list(tables.location_function), list(tables.location_line)
    addresses = list(tables.location_native_address) or [0] * len(functions)
    return list(zip(functions, lines, addresses))


def _list_nodes(tables: ProfileTables) -> list[tuple[int, int]]:
    """Return parent and location of each node; the first node is the empty stack."""
    parents = memoryview(tables.node_parent.tobytes()).cast("I")
    locations = memoryview(tables.node_location.tobytes()).cast("I")
    return list(zip(parents, locations)) or [(0, 0)]
