"""Live call tree: the tables of a session, and the tree that grows with them.

The engine sends stacks as a tree of locations (function and line). The viewer shows a tree of
functions, so several nodes of the engine (wire) may be one node of the viewer::

    wire   0 ── main:3 ── work:7          viewer 0 ── main ── work
           └─── main:4 ── work:9
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from stackglass.errors import WireError
from stackglass.symbols.native_code import NativeCode, NativeLine, NativeName
from stackglass_viewer.model.columns.growing_column import GrowingColumn
from stackglass_viewer.model.columns.index import Int32s, Int64s, NodeId
from stackglass_viewer.model.columns.source_lines import LineTables
from stackglass_viewer.model.columns.wire_columns import check_equal
from stackglass_viewer.model.graph.call_tree import NO_SAMPLES, CallTree
from stackglass_viewer.model.live.definitions import has_definitions
from stackglass_viewer.model.live.known_names import FunctionRows, KnownNames, Renamed, list_natives
from stackglass_viewer.model.live.native_lines import NativeLines, expand, mark_inlined
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.profile.native_frames import find_library, name_all
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.native import _loops

_FIRST_SLOTS = 2048
_NOTHING: Mapping[int, str] = MappingProxyType({})

_Number = TypeVar("_Number", np.int32, np.int64)

NameNatives = Callable[[Sequence[NativeCode]], Sequence[NativeName] | None]
"""Names of machine code; None = none are known."""


class LiveTree:
    """The tables and the tree of all batches so far. Not thread-safe; results are immutable."""

    def __init__(self, name_natives: NameNatives | None = None) -> None:
        """``name_natives`` None: functions of machine code keep the engine's names."""
        self._name_natives = name_natives
        self._n_asked = 0  # locations that ``take_unlocated`` has returned or skipped
        self._lines: dict[int, Sequence[NativeLine]] = {}  # by location
        self._inlined: dict[int, list[int]] = {}  # frames by location, outermost first
        self._known_names = KnownNames()
        self._is_settled = True  # whether the nodes have all known lines and names
        self.has_native = False  # whether there are functions of machine code
        self.strings: list[str] = []
        self.function_name = GrowingColumn(np.int32)
        self.function_system_name = GrowingColumn(np.int32)
        self.function_filename = GrowingColumn(np.int32)
        self.function_start_line = GrowingColumn(np.int64)
        self.function_native_start = GrowingColumn(np.int64)
        self.location_function = GrowingColumn(np.int32)
        self.location_line = GrowingColumn(np.int64)
        self.location_native_address = GrowingColumn(np.int64)
        self.wire_parent = GrowingColumn(np.int32)
        self.wire_location = GrowingColumn(np.int32)
        # Where calls were inlined, one of the engine's stacks is several expanded stacks.
        self._node_of_expanded = GrowingColumn(np.int32)
        self._expanded_of_wire = GrowingColumn(np.int32)
        self._node_of_wire = GrowingColumn(np.int32)
        self._frame_of_function = GrowingColumn(np.int32)
        self._frame_of_name: dict[str, int] = {}
        self._frame_name: list[str] = []
        self._frame_file: list[str] = []
        self._frame_line = GrowingColumn(np.int64)  # line of each definition; 0 = unknown
        self._names: tuple[str, ...] = ()  # names of the frames at the last ``view``
        self._files: tuple[str, ...] = ()
        self._parent = GrowingColumn(np.int32)
        self._frame = GrowingColumn(np.int32)
        self._depth = GrowingColumn(np.int32)
        self._is_recursive = GrowingColumn(np.bool_)
        self._slots = np.full(_FIRST_SLOTS, -1, dtype=np.int32)  # hash table of all nodes
        self._seed = secrets.randbits(64)
        for column in (self._parent, self._frame):
            column.extend(np.array([-1]))  # the root
        self._depth.extend(np.zeros(1))
        self._is_recursive.extend(np.zeros(1))

    @property
    def n_nodes(self) -> int:
        return self._parent.n_rows

    def node_of_wire(self) -> Int32s:
        """Return the viewer's node for each of the engine's: (n_wire_nodes,)."""
        self._settle()
        return self._node_of_wire.view()

    def add_frame(self, name: str, file: str = "", line: int = 0) -> int:
        """Return the number of the frame with this name; a new one if there is none yet."""
        frame = self._frame_of_name.setdefault(name, len(self._frame_name))
        if frame == len(self._frame_name):
            self._frame_name.append(name)
            self._frame_file.append(file)
            self._frame_line.extend(np.array([line]))
        return frame

    def add_child(self, parent: int, frame: int) -> NodeId:
        """Return the child of ``parent`` with this frame; a new one if there is none yet."""
        nodes = np.zeros(parent + 2, dtype=np.int32)
        nodes[parent] = parent
        frames = np.array([frame], dtype=np.int32)
        self._grow(np.array([parent], dtype=np.int32), frames, nodes, parent + 1)
        return NodeId(int(nodes[-1]))

    def name_natives(self, batch: wire_pb2.Batch) -> Mapping[int, str]:
        """Look up names for the functions of machine code that a batch defines. Returns them by the
        string that each replaces: the engine has one string per such function. Call it before
        ``define``, in the same thread; it may take seconds. Raises WireError."""
        rows = [row for row, start in enumerate(batch.function_native_start) if start]
        if self._name_natives is None or not rows:
            return {}
        n_known, new = len(self.strings), batch.strings

        def read(number: int) -> str:
            try:
                return self.strings[number] if number < n_known else new[number - n_known]
            except IndexError:
                raise WireError("a function refers to an undefined string") from None

        try:
            codes = [
                NativeCode(
                    read(batch.function_filename[row]),
                    read(batch.function_system_name[row]),
                    batch.function_native_start[row],
                )
                for row in rows
            ]
            names = [batch.function_name[row] for row in rows]
        except IndexError:
            raise WireError("the columns of a table differ in length") from None
        found = self._name_natives(codes) or ()
        return {name: each.text for name, each in zip(names, found, strict=False)}

    def define(self, batch: wire_pb2.Batch, replaced: Mapping[int, str] = _NOTHING) -> None:
        """Append a batch's definitions. ``replaced``: the result of ``name_natives``. Raises
        WireError if they refer to something undefined."""
        if not replaced and not has_definitions(batch):
            return
        self.strings.extend(batch.strings)
        for number, text in replaced.items():
            if number >= len(self.strings):
                raise WireError("a name replaces an undefined string")
            self.strings[number] = text
        self._rename(self._known_names.replace(replaced, self._list_functions()))
        if self.strings and self.strings[0]:
            raise WireError("string 0 of a session is not empty")
        self._define_functions(batch)
        self._name_known(batch)
        functions = _column(batch.location_function, self.function_name.n_rows, "function")
        lines = _column(batch.location_line)
        addresses = _optional(batch.location_native_address, len(functions))
        check_equal(functions, lines, addresses)
        self.location_function.extend(functions)
        self.location_line.extend(lines)
        self.location_native_address.extend(addresses)
        self._define_nodes(batch)

    def take_unlocated(self, most: int) -> dict[int, NativeCode]:
        """Return the next locations of machine code whose lines were not requested yet, at most
        ``most``, each with its address as ``start``."""
        found: dict[int, NativeCode] = {}
        starts, functions = self.function_native_start.view(), self.location_function.view()
        addresses, strings = self.location_native_address.view(), self.strings
        while self._n_asked < len(functions) and len(found) < most:
            location, self._n_asked = self._n_asked, self._n_asked + 1
            function = int(functions[location])
            path = strings[int(self.function_filename.view()[function])]
            if starts[function] and addresses[location] and path:
                identity = strings[int(self.function_system_name.view()[function])]
                found[location] = NativeCode(path, identity, int(addresses[location]))
        return found

    def add_lines(self, lines: NativeLines) -> None:
        """Add lines of locations. The next ``view`` has their inlined calls. Raises WireError if a
        location is undefined."""
        if not lines:
            return
        self.location_line = _copy(self.location_line)
        self._frame_line = _copy(self._frame_line)
        numbers = self.location_line.reserve(0)
        for location, found in lines.items():
            if not found or not 0 <= location < self.location_function.n_rows:
                raise WireError("a line is of an undefined location")
            own, function = found[-1], int(self.location_function.view()[location])
            self._lines[location] = found
            numbers[location] = own.line
            frame = int(self._frame_of_function.view()[function])
            if own.file:
                self._frame_file[frame] = own.file
                self._frame_line.reserve(0)[frame] = own.start_line
            inner = [
                self.add_frame(mark_inlined(each), each.file, each.start_line)
                for each in found[-2::-1]
            ]
            if inner:
                self._inlined[location] = inner
                self._is_settled = False
        self._names = ()  # files have changed

    def _settle(self) -> None:
        """Place all stacks again if lines or names have changed. Nodes keep their numbers."""
        if self._is_settled or not self.wire_parent.n_rows:
            return
        self._is_settled = True
        self._node_of_expanded = GrowingColumn(np.int32)
        self._expanded_of_wire = GrowingColumn(np.int32)
        self._node_of_wire = GrowingColumn(np.int32)
        for column in (self._node_of_wire, self._node_of_expanded, self._expanded_of_wire):
            column.extend(np.zeros(1, dtype=np.int32))
        parents, locations = self.wire_parent.view()[1:], self.wire_location.view()[1:]
        self._place_nodes(parents.astype(np.int64), locations.astype(np.int64))

    def list_definitions(self) -> DefinitionColumns:
        """Return the tables as the engine sent them."""
        return DefinitionColumns(
            strings=tuple(self.strings),
            function_name=self.function_name.view(),
            function_system_name=self.function_system_name.view(),
            function_filename=self.function_filename.view(),
            function_start_line=self.function_start_line.view(),
            function_native_start=self.function_native_start.view(),
            location_function=self.location_function.view(),
            location_line=self.location_line.view(),
            location_native_address=self.location_native_address.view(),
            node_parent=self.wire_parent.view(),
            node_location=self.wire_location.view(),
            native_lines=dict(self._lines),
            known=self._known_names.known,
        )

    def view(self) -> CallTree:
        """Return the tree as it is now, without ``sample_node``."""
        self._settle()
        if len(self._names) != len(self._frame_name):
            self._names, self._files = tuple(self._frame_name), tuple(self._frame_file)
        return CallTree(
            self._parent.view(),
            self._frame.view(),
            self._depth.view(),
            self._is_recursive.view(),
            self._names,
            self._files,
            NO_SAMPLES,
            self._frame_line.view(),
        )

    def view_lines(self) -> LineTables:
        """Return the engine's stacks by line, as they are now."""
        return LineTables(
            wire_parent=self.wire_parent.view(),
            wire_location=self.wire_location.view(),
            location_frame=self._frame_of_function.view()[self.location_function.view()],
            location_line=self.location_line.view(),
        )

    def _define_functions(self, batch: wire_pb2.Batch) -> None:
        n_strings = len(self.strings)
        names = _column(batch.function_name, n_strings, "string")
        system_names = _column(batch.function_system_name, n_strings, "string")
        files = _column(batch.function_filename, n_strings, "string")
        start_lines = _column(batch.function_start_line)
        native_starts = _optional(batch.function_native_start, len(names))
        check_equal(names, system_names, files, start_lines, native_starts)
        self.function_name.extend(names)
        self.function_system_name.extend(system_names)
        self.function_filename.extend(files)
        self.function_start_line.extend(start_lines)
        self.function_native_start.extend(native_starts)
        strings = self.strings
        rows = zip(names.tolist(), files.tolist(), start_lines.tolist(), strict=True)
        frames = [self.add_frame(strings[name], strings[file], line) for name, file, line in rows]
        self.has_native = self.has_native or bool(native_starts.any())
        for row in np.flatnonzero(native_starts).tolist():
            library = find_library(strings[int(names[row])])
            if library:
                self.add_frame(name_all(library), strings[int(files[row])])
        self._frame_of_function.extend(np.array(frames, dtype=np.int32))

    def _name_known(self, batch: wire_pb2.Batch) -> None:
        n_strings = len(self.strings)
        columns = (
            _column(batch.known_function, self.function_name.n_rows, "function"),
            _column(batch.known_name, n_strings, "string"),
            _column(batch.known_file, n_strings, "string"),
            _column(batch.known_line),
        )
        self._rename(self._known_names.take(columns, self._list_functions()))

    def _list_functions(self) -> FunctionRows:
        return FunctionRows(
            self.strings,
            self.function_name.view(),
            self.function_filename.view(),
            self.function_native_start.view(),
        )

    def _rename(self, renamed: Mapping[int, Renamed]) -> None:
        """Give functions with a new name the frame of that name."""
        if not renamed:
            return
        self._frame_of_function = _copy(self._frame_of_function)
        for function, each in renamed.items():
            self._frame_of_function.reserve(0)[function] = self.add_frame(*each)
        self._is_settled = False

    def locate_anew(self) -> None:
        """Let ``take_unlocated`` begin again, because new lines may be available now."""
        self._n_asked = 0

    def list_natives(self) -> dict[int, NativeCode]:
        """Return the functions of libraries by the number of the string with their name."""
        return list_natives(self._list_functions(), self.function_system_name.view())

    def _define_nodes(self, batch: wire_pb2.Batch) -> None:
        first = self.wire_parent.n_rows
        parents, locations = _column(batch.node_parent), _column(batch.node_location)
        check_equal(parents, locations)
        if len(parents) == 0:
            return
        if first == 0:  # node 0 is the empty stack, so its parent and location are ignored
            parents[0] = locations[0] = 0
            self.wire_parent.extend(parents[:1])
            self.wire_location.extend(locations[:1])
            for column in (self._node_of_wire, self._node_of_expanded, self._expanded_of_wire):
                column.extend(np.zeros(1, dtype=np.int32))
            parents, locations, first = parents[1:], locations[1:], 1
        if np.any(parents >= np.arange(first, first + len(parents))):
            raise WireError("a stack refers to a stack that comes after it")
        if len(locations) and int(locations.max()) >= self.location_function.n_rows:
            raise WireError("a stack refers to an undefined location")
        self.wire_parent.extend(parents)
        self.wire_location.extend(locations)
        if self._is_settled:
            self._place_nodes(parents, locations)

    def _place_nodes(self, parents: Int64s, locations: Int64s) -> None:
        """Place the engine's next stacks in the tree. ``parents``, ``locations``: (n,)."""
        if len(parents) == 0:
            return
        frames = self._frame_of_function.view()[self.location_function.view()[locations]]
        first = self._node_of_expanded.n_rows
        earlier = self._expanded_of_wire.view()
        made = expand(parents, locations, frames, self._inlined, earlier, first)
        nodes = self._node_of_expanded.reserve(len(made.parents))
        self._grow(made.parents, made.frames, nodes, first)
        self._node_of_expanded.n_rows += len(made.parents)
        self._expanded_of_wire.extend(made.last)
        self._node_of_wire.extend(nodes[made.last])

    def _grow(self, parents: Int32s, frames: Int32s, nodes: Int32s, first: int) -> None:
        """Find or make the node of each new expanded stack, and write it to ``nodes`` from
        ``first`` on."""
        n_new = len(parents)
        table = (
            self._parent.reserve(n_new),
            self._frame.reserve(n_new),
            self._depth.reserve(n_new),
            self._is_recursive.reserve(n_new),
        )
        if 2 * (self.n_nodes + n_new) > len(self._slots):
            n_slots = 1 << (4 * (self.n_nodes + n_new)).bit_length()
            self._slots = np.full(n_slots, -1, dtype=np.int32)
            _loops.fill_slots(*table, self._slots, self.n_nodes, self._seed)
        n_nodes = _loops.grow_tree(
            *table, self._slots, self.n_nodes, self._seed, parents, frames, nodes, first
        )
        for column in (self._parent, self._frame, self._depth, self._is_recursive):
            column.n_rows = n_nodes


def _copy(column: GrowingColumn[_Number]) -> GrowingColumn[_Number]:
    """Return a copy to change in place: views of the old column must not change."""
    copied = GrowingColumn(column.view().dtype.type)
    copied.extend(column.view())
    return copied


def _optional(values: Sequence[int], n_rows: int) -> Int64s:
    """Return a column that older engines do not send; zeros in that case."""
    return _column(values) if len(values) else np.zeros(n_rows, dtype=np.int64)


def _column(values: Sequence[int], n_rows: int | None = None, what: str = "") -> Int64s:
    """Return a repeated field as an array. Raises WireError if a value is not below ``n_rows``, the
    length of the table ``what`` that it refers to."""
    column = np.fromiter(values, dtype=np.int64, count=len(values))
    if n_rows is not None and len(column) and int(column.max()) >= n_rows:
        raise WireError(f"a message refers to {what} {column.max()}, but only {n_rows} are defined")
    return column
