"""Definitions of a session: strings, functions, locations, stacks, threads, label sets.

Rows refer to each other by position. Row 0 of each table is sent, too: string 0 is empty, and stack
0 is the empty stack.
"""

from __future__ import annotations

from stackglass.errors import WireError
from stackglass.named_tuple import NamedTuple
from stackglass.symbols.native_code import NativeCode, NativeLine, NativeName
from stackglass.wire import messages
from stackglass.wire.thread_starts import LABEL, ThreadStarts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence

    NameNative = Callable[[str, str, int], NativeName]
    """(path of the library, identity of its file, start) → the function."""

    LocateNative = Callable[[str, str, int], Sequence[NativeLine]]
    """(path of the library, identity of its file, address) → its lines, innermost first."""

    NameKnown = Callable[[str, str], str]
    """(path of the library, Python's name of a function in it) → the name to show."""

NO_THREAD = 0
"""The tid of a row without a known thread."""


class Line(NamedTuple):
    """A frame of a stack: a place in a function."""

    function: str
    file: str  # "" = unknown
    number: int  # 0 = unknown


def name_in_file(path: str, name: str) -> str:
    """Return a name as the engine gives it to machine code: ``libz.so.1: inflate``."""
    return f"{path.rpartition('/')[2]}: {name}"


class Definitions:
    """The tables of a session as they are received. For one thread."""

    __slots__ = (
        "_locate_native",
        "_n_located",
        "_name_known",
        "_name_native",
        "_unknown",
        "functions",
        "label_sets",
        "locations",
        "native_lines",
        "native_names",
        "natives",
        "nodes",
        "starts",
        "strings",
        "thread_names",
    )

    def __init__(
        self,
        name_native: NameNative | None = None,
        make_column: Callable[[], MutableSequence[int]] = list,
        locate_native: LocateNative | None = None,
        name_known: NameKnown = name_in_file,
    ) -> None:
        """Without ``name_native``, machine code keeps the engine's names; without
        ``locate_native``, it has no lines. ``make_column`` returns an empty column of 32-bit
        values: a list for a short session, because ``array`` takes a millisecond to load.
        ``name_known`` names machine code that has a name in Python code."""
        self._name_native = name_native
        self._name_known = name_known
        self._locate_native = locate_native
        self._n_located = 0  # locations that ``locate`` has searched
        self.native_lines: dict[int, Sequence[NativeLine]] = {}  # by location; see locate
        self.natives: dict[int, NativeCode] = {}  # by function
        self.native_names: dict[int, NativeName] = {}  # by function
        # What functions had before Python's name for them: name, file, first line.
        self._unknown: dict[int, tuple[NativeName | None, int, int]] = {}
        self.strings: list[str] = []
        # name, system name, file name: strings; first line
        self.functions = (make_column(), make_column(), make_column(), make_column())
        # function; line, 0 = unknown; address of machine code
        self.locations = (make_column(), make_column(), make_column())
        self.nodes = (make_column(), make_column())  # parent; location
        self.starts = ThreadStarts()
        self.thread_names: dict[int, int] = {}  # thread to string
        self.label_sets: dict[int, list[tuple[int, int]]] = {}  # set to (key, value): strings

    @property
    def n_nodes(self) -> int:
        """Stacks defined so far."""
        return len(self.nodes[0])

    def add(self, batch: messages.Batch) -> None:
        """Add the definitions of a batch. Raises WireError for a reference to a missing row."""
        self.strings += batch.strings
        if self.strings and self.strings[0]:
            raise WireError("string 0 of a session is not empty")
        n_strings = len(self.strings)
        texts = (batch.function_name, batch.function_system_name, batch.function_filename)
        known = (batch.known_name, batch.known_file)
        for column in (*texts, *known, batch.thread_name, batch.label_key, batch.label_value):
            check_references(column, n_strings, "string")
        self._add_natives(batch)
        for table, values in zip(self.functions, (*texts, batch.function_start_line)):
            table.extend(values)
        check_references(batch.location_function, len(self.functions[0]), "function")
        self.locations[0].extend(batch.location_function)
        self.locations[1].extend(batch.location_line)
        unknown = [0] * len(batch.location_function)  # of an engine that does not send them
        self.locations[2].extend(batch.location_native_address or unknown)
        self._add_known(batch)
        self._add_nodes(batch)
        self.starts.add(batch.started_tid, batch.started_by, batch.started_by_python)
        self.thread_names.update(zip(batch.thread_tid, batch.thread_name))
        for label_set, key, value in zip(batch.label_set, batch.label_key, batch.label_value):
            self.label_sets.setdefault(label_set, []).append((key, value))

    def _add_natives(self, batch: messages.Batch) -> None:
        """Add functions that are machine code, and name them now, while the process exists."""
        first = len(self.functions[0])
        for row, start in enumerate(batch.function_native_start):
            if start:
                path = self.strings[batch.function_filename[row]]
                identity = self.strings[batch.function_system_name[row]]
                self.natives[first + row] = NativeCode(path, identity, start)
                if self._name_native is not None:
                    self.native_names[first + row] = self._name_native(path, identity, start)

    def _add_known(self, batch: messages.Batch) -> None:
        """Add names that Python code has for functions of machine code; the last row counts."""
        rows = zip(batch.known_function, batch.known_name, batch.known_file, batch.known_line)
        check_references(batch.known_function, len(self.functions[0]), "function")
        _, _, files, lines = self.functions
        for function, name, file, line in rows:
            code = self.natives.get(function)
            if code is None or not code.path:
                continue
            now = (self.native_names.get(function), files[function], lines[function])
            before, old_file, old_line = self._unknown.setdefault(function, now)
            if self.strings[name]:
                symbol = before.symbol if before else ""
                text = self._name_known(code.path, self.strings[name])
                self.native_names[function] = NativeName(text, symbol)
            elif before is not None:
                self.native_names[function] = before
            else:
                self.native_names.pop(function, None)
            files[function] = file or old_file
            lines[function] = line or old_line

    def locate(self) -> Mapping[int, Sequence[NativeLine]]:
        """Return the lines of machine code by location, the innermost inlined call first. Reads the
        lines of new locations first, which may take seconds."""
        if self._locate_native is not None:
            functions, _, addresses = self.locations
            for location in range(self._n_located, len(functions)):
                code = self.natives.get(functions[location])
                if code is not None and code.path:
                    address = max(addresses[location], code.start)
                    lines = self._locate_native(code.path, code.identity, address)
                    if lines:
                        self.native_lines[location] = lines
            self._n_located = len(functions)
        return self.native_lines

    def list_functions(self) -> tuple[list[str], array[int], array[int]]:
        """Return the strings and the columns of names and of system names, which include the names
        of machine code."""
        from array import array  # here for start-up time

        strings = list(self.strings)
        names, system_names = array("I", self.functions[0]), array("I", self.functions[1])
        numbers: dict[str, int] = {}

        def number(text: str) -> int:
            if text not in numbers:
                numbers[text] = len(strings)
                strings.append(text)
            return numbers[text]

        for function, found in self.native_names.items():
            names[function] = number(found.text)
            system_names[function] = number(found.symbol or found.text)
        return strings, names, system_names

    def _add_nodes(self, batch: messages.Batch) -> None:
        parents, locations = self.nodes
        n_locations = len(self.locations[0])
        for parent, location in zip(batch.node_parent, batch.node_location):
            node = len(parents)
            if node and (parent >= node or location >= n_locations):
                raise WireError("a stack refers to an undefined stack or location")
            parents.append(parent if node else 0)
            locations.append(location if node else 0)

    def find_leaves(self, function: str, first: int) -> Iterator[int]:
        """Yield the nodes from ``first`` on whose leaf is a function of this name."""
        for node in range(max(first, 1), self.n_nodes):
            if self._name_function(self.nodes[1][node]) == function:
                yield node

    def list_lines(self, node: int) -> tuple[Line, ...]:
        """Return the frames of a stack, leaf first."""
        lines = []
        while node:
            location = self.nodes[1][node]
            files = self.functions[2]
            file = self.strings[files[self.locations[0][location]]]
            lines.append(Line(self._name_function(location), file, self.locations[1][location]))
            node = self.nodes[0][node]
        return tuple(lines)

    def name_thread(self, tid: int) -> str:
        """Return the name of a thread; "" = not known, or not yet."""
        return self.strings[self.thread_names[tid]] if tid in self.thread_names else ""

    def list_labels(self, label_set: int) -> tuple[tuple[str, str], ...]:
        """Return the labels that a reference of a sample stands for: the program's, then those of
        the task (its name, values of variables) whose keys the program's set lacks. A set that is
        not defined yet has no labels."""
        own, task = divide_labels(label_set)
        pairs = self._list_set(own)
        keys = {key for key, _ in pairs}
        others = self._list_set(task) if task else ()
        return (*pairs, *(pair for pair in others if pair[0] not in keys))

    def label(self, tid: int, label_set: int) -> tuple[tuple[str, str], ...]:
        """Return the program's labels and the thread's: its name, its number and, if C code started
        it, the Python thread at the origin of the start."""
        if tid == NO_THREAD:
            return self.list_labels(label_set)
        name = self.name_thread(tid)
        named = (("thread", name),) if name else ()
        starter = self.starts.find(tid)
        by = ((LABEL, self.name_thread(starter) or f"thread {starter}"),) if starter else ()
        return (*self.list_labels(label_set), *named, ("thread_id", str(tid)), *by)

    def has_label(self, key: str) -> bool:
        """Return whether a set with a label of this key is defined."""
        return any(
            self.strings[each] == key for pairs in self.label_sets.values() for each, _ in pairs
        )

    def _list_set(self, label_set: int) -> tuple[tuple[str, str], ...]:
        pairs = self.label_sets.get(label_set, ())
        return tuple((self.strings[key], self.strings[value]) for key, value in pairs)

    def _name_function(self, location: int) -> str:
        function = self.locations[0][location]
        if function in self.native_names:
            return self.native_names[function].text
        return self.strings[self.functions[0][function]]


_SET_BITS = 16


def divide_labels(labels: int) -> tuple[int, int]:
    """Split a sample's reference into the label sets of the program and of the task, as a Batch
    defines them; 0 = none."""
    own = labels & ((1 << _SET_BITS) - 1)
    return own, labels - own


def check_references(references: Sequence[int], n_rows: int, what: str) -> None:
    """Raise WireError for a reference to a row that does not exist."""
    if references and max(references) >= n_rows:
        raise WireError(f"a message refers to {what} {max(references)}, and there are {n_rows}")
