"""A profile's tables as the bytes of a pprof file, ``profile.proto``.

The input is tables as on the socket: rows refer to each other by position, stacks are a tree. The
output is what Go's ``runtime/pprof`` would have written: a location for each function and line, ids
from 1, strings last, gzip at its fastest level. Mapping 1 is the program; each library with machine
code has a mapping as if it were loaded at address 0, so addresses are those in the library's file.
"""

from __future__ import annotations

import gzip
from array import array
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, Union

from stackglass.named_tuple import NamedTuple
from stackglass.native import _core
from stackglass.symbols.native_code import NativeCode
from stackglass.wire import pprof_tags as tags


class IntegerColumn(Protocol):
    """Native integers in a row: an ``array``, or a numpy array of that type."""

    def tobytes(self) -> bytes:
        """Return the integers as they lie in memory."""


class SampleType(NamedTuple):
    """What a column of values counts: ``cpu``, ``nanoseconds``."""

    name: str
    unit: str


LabelSet = tuple[tuple[str, Union[str, int]], ...]


class ProfileTables(NamedTuple):
    """A profile of stacks; see wire.proto for how the tables refer to each other."""

    strings: Sequence[str]  # string 0 is ""
    function_name: Iterable[int]  # string
    function_system_name: Iterable[int]  # string
    function_filename: Iterable[int]  # string
    function_start_line: Iterable[int]
    location_function: Iterable[int]
    location_line: Iterable[int]  # 0 = unknown
    node_parent: IntegerColumn  # u32 (n_nodes,); node 0 is the empty stack
    node_location: IntegerColumn  # u32 (n_nodes,)
    sample_node: IntegerColumn  # u32 (n_samples,)
    sample_labels: IntegerColumn  # u32 (n_samples,), index into label_sets
    sample_values: Sequence[IntegerColumn]  # one u64 (n_samples,) for each sample type
    label_sets: Sequence[LabelSet]
    sample_types: Sequence[SampleType]
    default_type: str  # name of a sample type
    period_type: SampleType
    period: int  # 0 = unknown
    time_unix_ns: int  # 0 = unknown
    duration_ns: int  # 0 = unknown
    executable: str  # "" = unknown
    comments: Sequence[str] = ()  # lines of text beside the samples
    doc_url: str = ""  # where the profile is explained
    natives: Mapping[int, NativeCode] = MappingProxyType({})  # functions that are machine code
    # By location: the address in machine code, less the base that NativeCode.start lacks. 0, or no
    # column at all = the function's start.
    location_native_address: Iterable[int] = ()
    # Calls that were inlined into the function of a location: function and line, innermost first.
    location_inlined: Mapping[int, Sequence[tuple[int, int]]] = MappingProxyType({})


_MAPPING_ID = 1
_NO_MAPPING = 0
"""The mapping of Python's functions and of code that was made at run time, which are in no file of
machine code. With a mapping, pprof's source view would read their code from its file, and ``go tool
pprof -weblist`` would end with a panic."""
_PAGE_BYTES = 4096
_EMPTY_STACK = array("I", [0]).tobytes()
_NO_CODE = NativeCode("", "", 0)


class _Strings:
    """The string table while it grows. Position 0 is the empty string."""

    __slots__ = ("_position", "texts")

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = list(texts) or [""]
        self._position = {text: i for i, text in reversed(list(enumerate(self.texts)))}

    def add(self, text: str) -> int:
        if text not in self._position:
            self._position[text] = len(self.texts)
            self.texts.append(text)
        return self._position[text]


def encode(tables: ProfileTables) -> bytes:
    """Return the profile as an unpacked protobuf message.

    Raises ValueError for a reference to a row that is not there.
    """
    strings = _Strings(tables.strings)
    tables = tables._replace(
        location_function=list(tables.location_function), location_line=list(tables.location_line)
    )
    libraries, addresses = _number_libraries(tables), _list_addresses(tables)
    last = _find_last(tables, libraries, addresses)
    with_lines = _find_with_lines(tables, libraries)
    field = tags.Profile
    parts = [
        *(
            _core.encode_bytes(field.SAMPLE_TYPE, _encode_type(kind, strings))
            for kind in tables.sample_types
        ),
        _core.encode_samples(
            field.SAMPLE,
            tables.node_parent.tobytes() or _EMPTY_STACK,
            tables.node_location.tobytes() or _EMPTY_STACK,
            tables.sample_node.tobytes(),
            tuple(column.tobytes() for column in tables.sample_values),
            tables.sample_labels.tobytes(),
            tuple(_encode_labels(labels, strings) for labels in tables.label_sets),
        ),
        _encode_mapping(tables.executable, strings),
        *(
            _encode_library(
                number,
                library,
                tables.natives.values(),
                last[number],
                strings,
                number in with_lines,
            )
            for library, number in libraries.items()
        ),
        _encode_locations(tables, libraries, addresses),
        _encode_functions(tables),
        _core.encode_int(field.TIME_NANOS, tables.time_unix_ns),
        _core.encode_int(field.DURATION_NANOS, tables.duration_ns),
        _core.encode_bytes(field.PERIOD_TYPE, _encode_type(tables.period_type, strings)),
        _core.encode_int(field.PERIOD, tables.period),
        *(_core.encode_int(field.COMMENT, strings.add(comment)) for comment in tables.comments),
        _core.encode_int(field.DEFAULT_SAMPLE_TYPE, strings.add(tables.default_type)),
        _core.encode_int(field.DOC_URL, strings.add(tables.doc_url)),
    ]
    return b"".join([*parts, _core.encode_strings(field.STRING_TABLE, strings.texts)])


def pack(content: bytes) -> bytes:
    """Return the content gzipped at the fastest level, without a time stamp, so that equal profiles
    are equal files."""
    return gzip.compress(content, compresslevel=1, mtime=0)


def _encode_type(kind: SampleType, strings: _Strings) -> bytes:
    return _core.encode_int(tags.ValueType.TYPE, strings.add(kind.name)) + _core.encode_int(
        tags.ValueType.UNIT, strings.add(kind.unit)
    )


def _encode_labels(labels: LabelSet, strings: _Strings) -> bytes:
    return b"".join(
        _core.encode_bytes(
            tags.Sample.LABEL,
            _core.encode_int(tags.Label.KEY, strings.add(key))
            + _encode_label_value(value, strings),
        )
        for key, value in labels
    )


def _encode_label_value(value: str | int, strings: _Strings) -> bytes:
    if isinstance(value, str):
        return _core.encode_int(tags.Label.STR, strings.add(value))
    return _core.encode_int(tags.Label.NUM, value)


def _encode_mapping(executable: str, strings: _Strings) -> bytes:
    """Return the mapping of the program itself, whose name is in pprof's reports. No location lies
    in it. Its flags say that all functions have names, so pprof does not search for symbols."""
    field = tags.Mapping
    return _core.encode_bytes(
        tags.Profile.MAPPING,
        _core.encode_int(field.ID, _MAPPING_ID)
        + _core.encode_int(field.FILENAME, strings.add(executable))
        + _core.encode_int(field.HAS_FUNCTIONS, 1)
        + _core.encode_int(field.HAS_FILENAMES, 1)
        + _core.encode_int(field.HAS_LINE_NUMBERS, 1),
    )


_Library = tuple[str, str]
"""Path, identity."""


def _number_libraries(tables: ProfileTables) -> dict[_Library, int]:
    """Return the mapping ids of the libraries, in the order of their first functions."""
    libraries: dict[_Library, int] = {}
    for function in sorted(tables.natives):
        path, identity, _ = tables.natives[function]
        if path:  # code that was made at run time is in none
            libraries.setdefault((path, identity), _MAPPING_ID + 1 + len(libraries))
    return libraries


def _encode_library(
    number: int,
    library: _Library,
    natives: Iterable[NativeCode],
    last: int,
    strings: _Strings,
    has_lines: bool,
) -> bytes:
    """Return a library's mapping. ``last`` is the highest address in the library; ``has_lines``
    says that its debug information was read."""
    mine = [code for code in natives if code[:2] == library]
    limit = last // _PAGE_BYTES * _PAGE_BYTES + _PAGE_BYTES
    field = tags.Mapping
    return _core.encode_bytes(
        tags.Profile.MAPPING,
        _core.encode_int(field.ID, number)
        + _core.encode_int(field.MEMORY_LIMIT, limit)
        + _core.encode_int(field.FILENAME, strings.add(library[0]))
        + _core.encode_int(field.BUILD_ID, strings.add(mine[0].build_id))
        + _core.encode_int(field.HAS_FUNCTIONS, 1)
        + _core.encode_int(field.HAS_FILENAMES, has_lines)
        + _core.encode_int(field.HAS_LINE_NUMBERS, has_lines)
        + _core.encode_int(field.HAS_INLINE_FRAMES, has_lines),
    )


def _list_addresses(tables: ProfileTables) -> array[int]:
    """Return the address of each location; 0 = no machine code."""
    natives = tables.natives
    functions = list(tables.location_function)
    given = list(tables.location_native_address) or [0] * len(functions)
    found = array("Q")
    for function, address in zip(functions, given):
        code = natives.get(function)
        if code is None:
            found.append(0)
        elif code.path:
            found.append(max(address, code.start))
        else:
            found.append(code.memory_address or 0)
    return found


def _find_last(
    tables: ProfileTables, libraries: Mapping[_Library, int], addresses: array[int]
) -> dict[int, int]:
    """Return the highest address of each mapping."""
    last = dict.fromkeys(libraries.values(), 0)
    for code in tables.natives.values():
        if code.path:
            last[libraries[code[:2]]] = max(last[libraries[code[:2]]], code.start)
    for function, address in zip(tables.location_function, addresses):
        code = tables.natives.get(function, _NO_CODE)
        if code.path:
            last[libraries[code[:2]]] = max(last[libraries[code[:2]]], address)
    return last


def _find_with_lines(tables: ProfileTables, libraries: Mapping[_Library, int]) -> set[int]:
    """Return the mappings with a location that has a line."""
    return {
        libraries[code[:2]]
        for function, line in zip(tables.location_function, tables.location_line)
        if line and (code := tables.natives.get(function, _NO_CODE)).path
    }


def _encode_locations(
    tables: ProfileTables, libraries: Mapping[_Library, int], addresses: array[int]
) -> bytes:
    rows = list(tables.location_function)
    mappings = [libraries.get(tables.natives.get(row, _NO_CODE)[:2], _NO_MAPPING) for row in rows]
    lines = list(tables.location_line)
    with_calls = sorted(tables.location_inlined)
    plain = [row for row in range(len(rows)) if row not in tables.location_inlined]
    field = tags.Location
    parts = [
        _core.encode_rows(
            tags.Profile.LOCATION,
            (
                (field.ID, array("Q", (row + 1 for row in plain)).tobytes()),
                (field.MAPPING_ID, array("Q", (mappings[row] for row in plain)).tobytes()),
                (field.ADDRESS, array("Q", (addresses[row] for row in plain)).tobytes()),
            ),
            field.LINE,
            (
                (tags.Line.FUNCTION_ID, array("Q", (rows[row] + 1 for row in plain)).tobytes()),
                (tags.Line.LINE, array("Q", (lines[row] for row in plain)).tobytes()),
            ),
        )
    ]
    for row in with_calls:
        calls = (*tables.location_inlined[row], (rows[row], lines[row]))
        content = (
            _core.encode_int(field.ID, row + 1)
            + _core.encode_int(field.MAPPING_ID, mappings[row])
            + _core.encode_int(field.ADDRESS, addresses[row])
            + b"".join(_encode_line(function, line) for function, line in calls)
        )
        parts.append(_core.encode_bytes(tags.Profile.LOCATION, content))
    return b"".join(parts)


def _encode_line(function: int, line: int) -> bytes:
    return _core.encode_bytes(
        tags.Location.LINE,
        _core.encode_int(tags.Line.FUNCTION_ID, function + 1)
        + _core.encode_int(tags.Line.LINE, line),
    )


def _encode_functions(tables: ProfileTables) -> bytes:
    names = array("Q", tables.function_name)
    system_names = array(
        "Q",
        (
            0 if name == system_name and _would_be_cut(tables.strings[name]) else system_name
            for name, system_name in zip(names, tables.function_system_name)
        ),
    )
    field = tags.Function
    return _core.encode_rows(
        tags.Profile.FUNCTION,
        (
            (field.ID, _count(len(names))),
            (field.NAME, names.tobytes()),
            (field.SYSTEM_NAME, system_names.tobytes()),
            (field.FILENAME, array("Q", tables.function_filename).tobytes()),
            (field.START_LINE, array("Q", tables.function_start_line).tobytes()),
        ),
    )


def _would_be_cut(name: str) -> bool:
    """Return whether pprof would take the name for C++: it demangles a name that equals its system
    name, and strips what is in brackets. Of ``<native>`` nothing would be left."""
    return any(sign in name for sign in "<>[]()") or "::" in name


def _count(n: int) -> bytes:
    """Return the ids 1 … n as a column."""
    return array("Q", range(1, n + 1)).tobytes()
