"""Box tree: a profile's stacks merged by function, with the value of each box."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Callable

from stackglass.named_tuple import NamedTuple
from stackglass.wire.pprof import ProfileTables

IsStart = Callable[[str, str], bool]
"""Whether a function (name, file) is a start: the stacks shown begin with its callees."""
IsLeftOut = Callable[[str], bool]
"""Whether a function (name) hides stacks: those that have it but no start, and those whose
innermost start calls it directly."""


class Function(NamedTuple):
    """A function: equal functions of merged stacks share a box."""

    name: str
    file: str
    line: int  # where the function begins; 0 = unknown


class Box:
    """A function on one path."""

    __slots__ = ("callees", "function", "total")

    def __init__(self, function: Function) -> None:
        self.function = function
        self.total = 0
        self.callees: dict[Function, Box] = {}

    def list_callees(self) -> list[Box]:
        """Return the callees, the largest first."""
        return sorted(self.callees.values(), key=lambda box: (-box.total, box.function))


class BoxTree(NamedTuple):
    """The tree of one sample type."""

    root: Box  # its total is that of all stacks
    sample_type: str
    unit: str


def build_tree(
    tables: ProfileTables,
    sample_type: str = "",
    is_start: IsStart = lambda name, file: False,
    is_left_out: IsLeftOut = lambda name: False,
) -> BoxTree:
    """Merge the stacks of ``sample_type`` ("" = the profile's default). Negative values, which a
    difference may have, are left out.

    Raises ValueError for a sample type that the profile does not have.
    """
    names = [each.name for each in tables.sample_types]
    column = names.index(sample_type or tables.default_type or names[-1])
    functions = _list_functions(tables)
    of_location = list(tables.location_function)
    parents = memoryview(tables.node_parent.tobytes()).cast("I")
    locations = memoryview(tables.node_location.tobytes()).cast("I")
    starts = [is_start(each.name, each.file) for each in functions]
    is_cut = [False, *(starts[of_location[location]] for location in locations[1:])]
    left_out = [is_left_out(each.name) for each in functions]
    places = _place_nodes(parents, is_cut, [left_out[of_location[at]] for at in locations[1:]])
    totals = _sum_by_node(tables, column, parents, is_cut, places)
    root = Box(Function("all", "", 0))
    root.total = totals[0]
    boxes = [root]
    for node in range(1, len(parents)):  # a caller comes before its callees
        if is_cut[node] or not totals[node]:
            boxes.append(root)
            continue
        function = functions[of_location[locations[node]]]
        box = boxes[parents[node]].callees.setdefault(function, Box(function))
        box.total += totals[node]
        boxes.append(box)
    return BoxTree(root, names[column], tables.sample_types[column].unit)


def _list_functions(tables: ProfileTables) -> list[Function]:
    return [
        Function(tables.strings[name], tables.strings[file], line)
        for name, file, line in zip(
            tables.function_name, tables.function_filename, tables.function_start_line
        )
    ]


class _Place(enum.Enum):
    """How a node's stack relates to the starts in it."""

    NO_START = enum.auto()  # the stack has no start
    LEFT_OUT = enum.auto()  # the stack is left out
    STARTED = enum.auto()  # the stack has a start, and is not left out


def _place_nodes(
    parents: Sequence[int], is_cut: Sequence[bool], left_out: Sequence[bool]
) -> list[_Place]:
    """Return the place of each node. ``left_out`` is by node, from node 1 on."""
    places = [_Place.NO_START]
    for node in range(1, len(parents)):
        place = places[parents[node]]
        if is_cut[node]:
            place = _Place.STARTED
        elif left_out[node - 1] and (place is _Place.NO_START or is_cut[parents[node]]):
            place = _Place.LEFT_OUT
        places.append(place)
    return places


def _sum_by_node(
    tables: ProfileTables,
    column: int,
    parents: Sequence[int],
    is_cut: Sequence[bool],
    places: Sequence[_Place],
) -> list[int]:
    """Return the value of each node with all its callees; that of node 0 is the sum of all stacks.
    The value of a start counts for node 0, but for no other caller of the start."""
    totals = [0] * max(len(parents), 1)
    nodes = memoryview(tables.sample_node.tobytes()).cast("I")
    values = memoryview(tables.sample_values[column].tobytes()).cast("q")
    for node, value in zip(nodes, values):
        if places[node] is not _Place.LEFT_OUT:
            totals[node] += max(value, 0)
    for node in range(len(parents) - 1, 0, -1):
        totals[0 if is_cut[node] else parents[node]] += totals[node]
    return totals
