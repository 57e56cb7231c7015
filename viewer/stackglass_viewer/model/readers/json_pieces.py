"""Large JSON documents, decoded in pieces: a part is only located, its items are decoded in groups.

::

    {"shared": {"frames": [ … ]}, "profiles": [{"events": [ {…}, {…}, {…}, … ]}]}
               └── a part ──────┘                           └ piece ┘└ piece ┘

A tree of the whole document would take ten to thirty times the file's size. C finds where parts
begin and end; Python's parser decodes their content on demand. Errors are the exceptions that
`json_damage` lists.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s
from stackglass_viewer.model.readers.text_rows import Progress
from stackglass_viewer.native import _loops

_PIECE_BYTES = 1 << 17
_TABLE_BYTES = 1 << 19
_MAX_PIECE_BYTES = 1 << 24  # also the limit for a single item
_MAX_MEMBERS = 10_000
_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[ \t\r\n]*")
_KEY = re.compile(rb'[ \t\r\n]*("(?:[^"\\]|\\.)*")[ \t\r\n]*:[ \t\r\n]*', re.DOTALL)
_OBJECT, _LIST = b"{}", b"[]"
_COMMA = ord(",")


class JsonColumn(NamedTuple):
    """Column of a member of some objects, which is a number or a list of numbers."""

    sizes: Int32s  # (n_objects,) how many numbers each object has; 0 = no member or an empty list
    numbers: Int64s  # the numbers of all objects


class JsonPart:
    """A value of a document, not yet decoded. Used by one thread."""

    __slots__ = ("_begin", "_content", "_end", "_progress")

    def __init__(
        self, content: bytes | bytearray, begin: int, end: int, progress: Progress
    ) -> None:
        """``begin:end``: the value, without white space around it."""
        self._content = content
        self._begin = begin
        self._end = end
        self._progress = progress

    @property
    def n_bytes(self) -> int:
        return self._end - self._begin

    @property
    def is_object(self) -> bool:
        return self._content[self._begin : self._begin + 1] == b"{"

    @property
    def is_list(self) -> bool:
        return self._content[self._begin : self._begin + 1] == b"["

    @property
    def is_text(self) -> bool:
        return self._content[self._begin : self._begin + 1] == b'"'

    def load(self) -> Any:
        """Decode the whole value, which may take at most _MAX_PIECE_BYTES."""
        return self._decode(self._begin, self._end)

    def find_members(self) -> dict[str, JsonPart]:
        """Return the members of an object; if keys are equal, the last member."""
        members: dict[str, JsonPart] = {}
        for name, part in self.list_members():
            if len(members) == _MAX_MEMBERS:
                raise ValueError(f"an object of more than {_MAX_MEMBERS} members")
            members[name] = part
        return members

    def list_members(self) -> Iterator[tuple[str, JsonPart]]:
        """Yield the members of an object, however many."""
        for begin, end in self._list_items(_OBJECT, 0):
            found = _KEY.match(self._content, begin, end)
            if found is None:
                raise ValueError(f"a member without a name, at byte {begin}")
            yield json.loads(found[1]), self._make(found.end(), end)

    def list_many_members(self) -> Iterator[tuple[str, Any]]:
        """Yield the members of an object with their decoded values, and report progress. Each value
        must be small."""
        reported = self._begin
        for name, part in self.list_members():
            yield name, part.load()
            if part._end - reported > _PIECE_BYTES:
                reported = part._end
                self._progress(part._end / len(self._content))

    def list_parts(self) -> Iterator[JsonPart]:
        """Yield the items of a list, not decoded."""
        for begin, end in self._list_items(_LIST, 0):
            yield self._make(begin, end)

    def list_pieces(self) -> Iterator[list[Any]]:
        """Yield the decoded items of a list in groups, and report progress."""
        for begin, end in self._list_items(_LIST, _PIECE_BYTES):
            piece: list[Any] = self._decode(begin, end, b"[%b]")
            yield piece
            self._progress(end / len(self._content))

    def list_items(self) -> Iterator[Any]:
        """Yield the decoded items of a list one by one, and report progress."""
        for piece in self.list_pieces():
            yield from piece

    def list_tables(self, names: tuple[bytes, ...]) -> Iterator[list[JsonColumn] | list[Any]]:
        """Yield the objects of a list in groups, and report progress. A group is a column for each
        name, or a list of decoded objects if C cannot read them. ``names``: as in
        `_loops.read_json_table`."""
        for begin, end in self._list_items(_LIST, _TABLE_BYTES):
            found = _loops.read_json_table(self._content, begin, end, names)
            if found is None:
                yield self._decode(begin, end, b"[%b]")
            else:
                columns = [_view(each) for each in found]
                yield [*map(JsonColumn, columns[::2], columns[1::2])]
            self._progress(end / len(self._content))

    def read_rows(self) -> Int64s:
        """Return a list of row numbers, (n,) int64; null = -1. Raises IndexError for a negative
        number."""
        rows = array("q")
        for begin, end in self._list_items(_LIST, _PIECE_BYTES):
            found = _loops.read_json_rows(self._content, begin, end)
            part = self._parse_rows(begin, end) if found is None else found
            rows.frombytes(memoryview(part).cast("B"))
            self._progress(end / len(self._content))
        return np.frombuffer(rows, dtype=np.int64)

    def read_floats(self) -> Float64s:
        """Return a list of numbers, (n,) float64; null = 0."""
        floats = array("d")
        for begin, end in self._list_items(_LIST, _PIECE_BYTES):
            found = _loops.read_json_floats(self._content, begin, end)
            part = self._parse_floats(begin, end) if found is None else found
            floats.frombytes(memoryview(part).cast("B"))
            self._progress(end / len(self._content))
        return np.frombuffer(floats, dtype=np.float64)

    def _parse_rows(self, begin: int, end: int) -> array[int]:
        """Parse row numbers in forms that the loop in C does not read. Raises IndexError for a
        negative number."""
        piece = self._decode(begin, end, b"[%b]")
        rows = array("q", [0 if each is None else each for each in piece])
        if min(rows, default=0) < 0:
            raise IndexError(f"there is no row {min(rows)}")
        return array("q", [-1 if each is None else each for each in piece])

    def _parse_floats(self, begin: int, end: int) -> array[float]:
        piece = self._decode(begin, end, b"[%b]")
        return array("d", [0.0 if each is None else each for each in piece])

    def _list_items(self, brackets: bytes, n_bytes: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of whole items. A range is the shortest of at least ``n_bytes``; only
        the last may have fewer."""
        content, at, last = self._content, self._begin + 1, self._end - 1
        if content[self._begin : at] != brackets[:1] or content[last : self._end] != brackets[1:]:
            raise TypeError(f"no {'list' if brackets == _LIST else 'object'} at byte {self._begin}")
        if self._skip_space(at) == last:
            return
        while True:
            end = _loops.find_items_end(content, at, n_bytes)
            if (
                self._skip_space(at) >= end
                or end > last
                or (content[end] == _COMMA) == (end == last)
            ):
                raise ValueError(f"no item at byte {at}")
            yield at, end
            if end == last:
                return
            at = end + 1

    def _make(self, begin: int, end: int) -> JsonPart:
        begin = self._skip_space(begin)
        while end > begin and self._content[end - 1] in b" \t\r\n":
            end -= 1
        return JsonPart(self._content, begin, end, self._progress)

    def _skip_space(self, at: int) -> int:
        found = _SPACE.match(self._content, at)
        return found.end() if found else at

    def _decode(self, begin: int, end: int, frame: bytes = b"%b") -> Any:
        if end - begin > _MAX_PIECE_BYTES:
            raise ValueError(f"a value of {end - begin} bytes, at byte {begin}")
        text = frame % self._content[begin:end]
        return json.loads(text.decode("utf-8", "surrogatepass"))


def _view(column: _loops.Column) -> Any:
    """Return a column as an (n,) array, without a copy."""
    view = memoryview(column)
    return np.frombuffer(view, dtype=view.format) if len(view) else np.zeros(0, dtype=view.format)


def open_document(content: bytes | bytearray, progress: Progress) -> JsonPart:
    """Return the object or list that is the whole file. Raises ValueError if it is cut off, or if
    another document follows."""
    document, end = find_document(content, 0, progress)
    if end < len(content):
        raise ValueError(f"there is more than one document, at byte {end}")
    return document


def find_document(content: bytes | bytearray, at: int, progress: Progress) -> tuple[JsonPart, int]:
    """Return the object or list that begins at ``at``, and the offset of the text after it."""
    if at == 0 and content.startswith(_BOM):
        at = len(_BOM)
    begin = _find_text(content, at)
    if content[begin : begin + 1] not in (b"{", b"["):
        raise ValueError(f"no object or list at byte {begin}")
    end = _loops.find_items_end(content, begin + 1, len(content))
    if end == len(content):
        raise ValueError(f"it is cut off, at byte {end}")
    return JsonPart(content, begin, end + 1, progress), _find_text(content, end + 1)


def close_list(content: bytes | bytearray) -> bytes | bytearray:
    """Add the missing bracket to a list that is cut off after an item; programs that write lists of
    events as they go may never write it."""
    begin = _find_text(content, len(_BOM) if content.startswith(_BOM) else 0)
    is_open = content[begin : begin + 1] == b"[" and (
        _loops.find_items_end(content, begin + 1, len(content)) == len(content)
    )
    return content.rstrip().rstrip(b",") + b"]" if is_open else content


def _find_text(content: bytes | bytearray, at: int) -> int:
    found = _SPACE.match(content, at)
    return found.end() if found else at
