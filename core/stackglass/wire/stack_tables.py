"""Builder of stack tables for profiles that no engine sent: each name, function and stack once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from stackglass.named_tuple import NamedTuple
from stackglass.wire.pprof import ProfileTables, SampleType

_NONE = SampleType("", "")


class Frame(NamedTuple):
    """A place in a function."""

    name: str  # module.qualname
    system_name: str
    file: str = ""  # "" = unknown
    start_line: int = 0
    line: int = 0  # 0 = unknown


def list_columns(
    strings: Iterable[str],
    functions: Iterable[tuple[int, int, int, int]],
    locations: Iterable[tuple[int, int, int]],
    nodes: Iterable[tuple[int, int]],
) -> dict[str, Any]:
    """Return the fields of ``ProfileTables`` that hold stacks, from rows in the order of these
    fields.

    The first of ``nodes`` is the empty stack.
    """
    name, system_name, filename, start_line = list(zip(*functions)) or [()] * 4
    function, line, native_address = list(zip(*locations)) or [()] * 3
    parent, location = zip(*nodes)
    return {
        "strings": tuple(strings),
        "function_name": name,
        "function_system_name": system_name,
        "function_filename": filename,
        "function_start_line": start_line,
        "location_function": function,
        "location_line": line,
        "location_native_address": native_address,
        "node_parent": array("I", parent),
        "node_location": array("I", location),
    }


class StackTables:
    """Tables of stacks to which stacks are added. For one thread."""

    __slots__ = ("_functions", "_locations", "_nodes", "_strings")

    def __init__(self) -> None:
        self._strings: dict[str, int] = {"": 0}
        self._functions: dict[tuple[int, int, int, int], int] = {}
        self._locations: dict[tuple[int, int], int] = {}
        self._nodes: dict[tuple[int, int], int] = {(0, 0): 0}  # parent, location + 1

    def add(self, stack: Iterable[Frame]) -> int:
        """Add a stack, given root first, and return its node."""
        node = 0
        for frame in stack:
            location = self._add_location(frame)
            node = self._nodes.setdefault((node, location + 1), len(self._nodes))
        return node

    def _add_location(self, frame: Frame) -> int:
        function = (
            self._add_string(frame.name),
            self._add_string(frame.system_name),
            self._add_string(frame.file),
            frame.start_line,
        )
        number = self._functions.setdefault(function, len(self._functions))
        return self._locations.setdefault((number, frame.line), len(self._locations))

    def _add_string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def build(self, executable: str) -> ProfileTables:
        """Return the tables, without samples."""
        nodes = ((parent, max(number - 1, 0)) for parent, number in self._nodes)
        locations = ((*location, 0) for location in self._locations)
        return ProfileTables(
            **list_columns(self._strings, self._functions, locations, nodes),
            sample_node=array("I"),
            sample_labels=array("I"),
            sample_values=(),
            label_sets=((),),
            sample_types=(),
            default_type="",
            period_type=_NONE,
            period=0,
            time_unix_ns=0,
            duration_ns=0,
            executable=executable,
        )
