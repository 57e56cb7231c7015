"""Tables of stacks that did not come over the wire: each name, function and stack once."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from stackglass.wire.pprof import ProfileTables, SampleType

_NONE = SampleType("", "")


class Frame(NamedTuple):
    """A place in a function."""

    name: str  # module.qualname
    system_name: str
    file: str = ""  # "" = unknown
    start_line: int = 0
    line: int = 0  # 0 = unknown


class StackTables:
    """The tables while they grow. For one thread."""

    __slots__ = ("_functions", "_locations", "_nodes", "_strings")

    def __init__(self) -> None:
        self._strings: dict[str, int] = {"": 0}
        self._functions: dict[tuple[int, int, int, int], int] = {}
        self._locations: dict[tuple[int, int], int] = {}
        self._nodes: dict[tuple[int, int], int] = {(0, 0): 0}  # parent, location + 1

    def add(self, stack: Iterable[Frame]) -> int:
        """The number of a stack, which is given root first."""
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
        """The tables, without a sample."""
        functions = [array("I", column) for column in zip(*self._functions)] or [array("I")] * 4
        locations = [array("I", column) for column in zip(*self._locations)] or [array("I")] * 2
        parents, places = zip(*self._nodes)
        return ProfileTables(
            strings=tuple(self._strings),
            function_name=functions[0],
            function_system_name=functions[1],
            function_filename=functions[2],
            function_start_line=functions[3],
            location_function=locations[0],
            location_line=locations[1],
            node_parent=array("I", parents),
            node_location=array("I", (max(place - 1, 0) for place in places)),
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
