"""Tables of OpenTelemetry's profiles: strings, locations, stacks, attributes, links, as columns.

Messages are decoded one by one: a tree of many empty messages can take thirty times the file's
size.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from stackglass_viewer.model.profile.profile import Functions, Locations, Mappings
from stackglass_viewer.model.proto.otlp_pb2 import (
    AnyValue,
    Function,
    KeyValue,
    KeyValueAndUnit,
    Link,
    Location,
    Mapping,
    Stack,
)
from stackglass_viewer.model.readers.message_fields import BYTES, list_fields
from stackglass_viewer.native import _loops

_BUILD_ID = "process.executable.build_id."
_DTYPES = {"i": np.int32, "q": np.int64, "Q": np.uint64}
Row = tuple[int, int, int, int]
"""A label: key, text, number and unit. Key, text and unit are places in the string table; text -1
means that the number is the value."""


class Dictionary:
    """The tables, and the strings of labels. Used by one thread."""

    def __init__(self) -> None:
        self.strings = _loops.Texts()  # strings of the file, then of labels
        self._n_strings = 0  # number of strings in the file
        # Text of a label -> its place in strings. Equal texts have one place, so that rows of the
        # file and of its resources can be compared by number.
        self._places = {"": 0}
        self._attributes: list[bytes] = []  # encoded; message objects take ten times the memory
        self._links: list[bytes] = []
        self.stack_start, self.stack = array("q", [0]), array("i")
        self._name, self._system_name, self._filename = array("i"), array("i"), array("i")
        self._start_line = array("q")
        self._line_start, self._line_function = array("i", [0]), array("i")
        self._line_number, self._line_column = array("q"), array("q")
        self._address, self._mapping = array("Q"), array("i")
        self._starts, self._limits, self._offsets = array("Q"), array("Q"), array("Q")
        self._files, self._of_mappings = array("i"), array("i")
        self._of_mapping_start = array("q", [0])
        self._adders: dict[int, Callable[[bytes], None]] = {
            1: self._add_mapping,
            2: self._add_location,
            3: self._add_function,
            4: self._add_link,
            5: lambda content: self.strings.append(content.decode(errors="replace")),
            6: self._add_attribute,
            7: self._add_stack,
        }

    def read(self, content: bytes | bytearray, begin: int, end: int) -> None:
        """Add the tables of a ``ProfilesDictionary``. Raises ValueError, DecodeError,
        IndexError."""
        for number, wire, at, after in list_fields(content, begin, end):
            if wire == BYTES and number in self._adders:
                self._adders[number](bytes(content[at:after]))

    def finish(self) -> None:
        """Check all indexes after the last table was read, except those inside attributes and
        links, which are checked when they are used. After this, strings can be added. Raises
        IndexError, ValueError."""
        if self.strings and self.strings[0]:
            raise ValueError("its first string is not empty")
        if not self.strings:
            self.strings.append("")
        self._n_strings = n_strings = len(self.strings)
        n_functions = len(self._start_line)
        for texts in (self._name, self._system_name, self._filename, self._files):
            _check("string", texts, n_strings)
        _check("function", self._line_function, max(n_functions, 1))
        _check("mapping", self._mapping, max(len(self._starts), 1))
        _check("location", self.stack, len(self._address))
        _check("attribute", self._of_mappings, len(self._attributes))

    def find_attribute(self, number: int) -> Row | None:
        """Return an attribute as a label; None = it has no key or no value. Raises IndexError."""
        if not 0 <= number < len(self._attributes):
            raise IndexError(f"there is no attribute {number}")
        attribute = KeyValueAndUnit.FromString(self._attributes[number])
        key, unit = (
            self._place(self.check_string(each))
            for each in (attribute.key_strindex, attribute.unit_strindex)
        )
        return self._describe(key, attribute.value, unit)

    def find_link(self, number: int) -> list[Row]:
        """Return a link as labels. The caller has checked that the link exists."""
        if not number:
            return []
        link = Link.FromString(self._links[number])
        ids = (("trace_id", link.trace_id), ("span_id", link.span_id))
        return [(self.number(key), self.number(each.hex()), 0, 0) for key, each in ids if any(each)]

    @property
    def n_links(self) -> int:
        """Number of links; link 0, which means none, always exists."""
        return max(len(self._links), 1)

    @property
    def n_stacks(self) -> int:
        """Number of stacks; stack 0 always exists."""
        return max(len(self.stack_start) - 1, 1)

    def check_string(self, number: int) -> int:
        """Return ``number`` if it is the number of a string in the file. Raises IndexError."""
        if not 0 <= number < self._n_strings:
            raise IndexError(f"there is no string {number}")
        return number

    def number(self, text: str) -> int:
        """Return the number of a label's text, which is added if no label has it yet."""
        place = self._places.setdefault(text, len(self.strings))
        if place == len(self.strings):
            self.strings.append(text)
        return place

    def _place(self, string: int) -> int:
        """Return the one number for the text of this string of the file."""
        return self._places.setdefault(self.strings[string], string)

    def describe_pair(self, pair: KeyValue) -> Row | None:
        """Return an attribute of a resource or scope as a label; None = it has no key or no
        value."""
        return self._describe(self.number(self._find_key(pair)), pair.value, 0)

    def _find_key(self, pair: KeyValue) -> str:
        return self.strings[self.check_string(pair.key_strindex)] or pair.key

    def _describe(self, key: int, value: AnyValue, unit: int) -> Row | None:
        kind = value.WhichOneof("value")
        if kind is None or not self.strings[key]:
            return None
        if kind == "int_value":
            return key, -1, value.int_value, unit
        return key, self.number(self._write(value)), 0, unit

    def _write(self, value: AnyValue) -> str:
        plain = self._simplify(value)
        return plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False)

    def _simplify(self, value: AnyValue) -> Any:
        kind = value.WhichOneof("value")
        if kind is None:
            return None
        if kind == "string_value_strindex":
            return self.strings[self.check_string(value.string_value_strindex)]
        if kind == "array_value":
            return [self._simplify(each) for each in value.array_value.values]
        if kind == "kvlist_value":
            return {
                self._find_key(each): self._simplify(each.value)
                for each in value.kvlist_value.values
            }
        if kind == "bytes_value":
            return value.bytes_value.hex()
        return getattr(value, kind)

    def _add_location(self, content: bytes) -> None:
        location = Location.FromString(content)
        for line in location.lines:
            self._line_function.append(line.function_index)
            self._line_number.append(line.line)
            self._line_column.append(line.column)
        self._line_start.append(len(self._line_function))
        self._address.append(location.address)
        self._mapping.append(location.mapping_index)

    def _add_function(self, content: bytes) -> None:
        function = Function.FromString(content)
        self._name.append(function.name_strindex)
        self._system_name.append(function.system_name_strindex)
        self._filename.append(function.filename_strindex)
        self._start_line.append(function.start_line)

    def _add_mapping(self, content: bytes) -> None:
        mapping = Mapping.FromString(content)
        self._starts.append(mapping.memory_start)
        self._limits.append(mapping.memory_limit)
        self._offsets.append(mapping.file_offset)
        self._files.append(mapping.filename_strindex)
        self._of_mappings.extend(mapping.attribute_indices)
        self._of_mapping_start.append(len(self._of_mappings))

    def _add_attribute(self, content: bytes) -> None:
        KeyValueAndUnit.FromString(content)  # refuses damaged attributes, used or not
        self._attributes.append(content)

    def _add_link(self, content: bytes) -> None:
        Link.FromString(content)
        self._links.append(content)

    def _add_stack(self, content: bytes) -> None:
        self.stack.extend(Stack.FromString(content).location_indices)
        self.stack_start.append(len(self.stack))

    def build_functions(self) -> Functions:
        """Build the table of functions, without row 0, which means none."""
        name, system_name = _column(self._name)[1:], _column(self._system_name)[1:]
        np.copyto(system_name, name, where=system_name == 0)
        return Functions(
            name=name,
            system_name=system_name,
            filename=_column(self._filename)[1:],
            start_line=_column(self._start_line)[1:],
        )

    def build_locations(self) -> Locations:
        """Build the table of locations, with row 0, because a stack may contain it. Changes the
        columns that were read in place, so it may be called once."""
        function, mapping = _column(self._line_function), _column(self._mapping)
        function -= 1
        mapping -= 1
        return Locations(
            line_start=_column(self._line_start),
            line_function=function,
            line_number=_column(self._line_number),
            line_column=_column(self._line_column),
            address=_column(self._address),
            mapping=mapping,
            is_folded=np.zeros(len(mapping), dtype=np.bool_),
        )

    def build_mappings(self) -> Mappings:
        """Build the table of mappings, without row 0, which means none."""
        start = _column(self._starts)[1:]
        build_ids = (self._find_build_id(number) for number in range(1, len(start) + 1))
        return Mappings(
            filename=_column(self._files)[1:],
            build_id=np.fromiter(build_ids, dtype=np.int32, count=len(start)),
            start=start,
            limit=_column(self._limits)[1:],
            offset=_column(self._offsets)[1:],
            flags=np.zeros(len(start), dtype=np.int32),
        )

    def _find_build_id(self, mapping: int) -> int:
        begin, end = self._of_mapping_start[mapping], self._of_mapping_start[mapping + 1]
        for number in self._of_mappings[begin:end]:
            row = self.find_attribute(number)
            if row is not None and self.strings[row[0]].startswith(_BUILD_ID) and row[1] >= 0:
                return row[1]
        return 0


def _column(numbers: array[int]) -> Any:
    """Return an (n,) view of an array, without a copy."""
    return np.frombuffer(numbers, dtype=_DTYPES[numbers.typecode])


def _check(what: str, numbers: array[int], end: int) -> None:
    column = _column(numbers)
    if len(column) and (int(column.min()) < 0 or int(column.max()) >= end):
        raise IndexError(f"it refers to a {what} that is not there")
