"""Reader of rows of addresses in pprof's old text formats, many rows at a time or one by one.

`address_rows.c` reads rows in plain form, up to the first other line. That line is then read alone:
it may be a row in another form, the mark of a memory map, or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, UInt32s, UInt64s
from stackglass_viewer.model.readers.text_pieces import (
    LineReader,
    list_pieces,
    list_rows,
    list_texts,
)
from stackglass_viewer.model.readers.text_rows import Progress, Row, ignore_progress, take_row
from stackglass_viewer.native import _loops

_LONGEST_PAUSE = 63  # most rows to `take` before C is called again


class RowForm(IntEnum):
    """Form of the rows, with the numbers of enum sg_address_form in address_rows.h."""

    COUNT = 0  # 3 @ 0x10 0x20
    CONTENTION = 1  # 5000 1 @ 0x10 0x20
    HEAP = 2  # 2: 4096 [3: 6144] @ 0x10 0x20
    JEMALLOC = 3  # @ 0x10 0x20, and in the next line  t*: 13: 6688 [0: 0]
    JAVA = 4  #     4096     2 @ 0x10 0x20, without comments

    @property
    def n_values(self) -> int:
        """Number of values in a row."""
        return (1, 2, 4, 4, 2)[self]


class OddComments(NamedTuple):
    """The distinct comments that are not in plain form."""

    content: bytes | bytearray
    numbers: Int64s  # (n,) ascending numbers of comments
    start: UInt32s  # (n,) where each begins in the content
    length: Int32s  # (n,)

    def list_texts(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number and the text of each comment."""
        numbers = (number for (number,) in list_rows(self.numbers))
        return zip(numbers, list_pieces(self.content, self.start, self.length), strict=True)

    def read(self, number: int) -> bytes:
        """Return the text of a comment."""
        place = int(np.searchsorted(self.numbers, number))
        begin = int(self.start[place])
        return bytes(self.content[begin : begin + int(self.length[place])])


class NamedFrames(NamedTuple):
    """The frames that the distinct comments name; an item of a column for each comment."""

    addresses: UInt64s
    name: Int32s  # number in `names`; -1 = the comment is not in plain form
    file: Int32s  # number in `files`
    line: Int64s
    names: Sequence[str]
    files: Sequence[str]
    odd: OddComments


class NumberedAddresses(NamedTuple):
    """Addresses, each as the number of a distinct one."""

    different: UInt64s  # (n_different,) in the order of their first use, as pprof numbers locations
    numbers: Int32s  # (n,)

    @property
    def calls(self) -> NumberedAddresses:
        """The address one byte before each return address; 0 wraps to the largest address."""
        return self._replace(different=self.different - np.uint64(1))

    def expand(self) -> UInt64s:
        """Return the addresses, (n,)."""
        return self.different[self.numbers]


class AddressRows(NamedTuple):
    """Rows of addresses, as columns."""

    values: Int64s  # (n_rows, n_values) not negative, of at most 18 digits
    addresses: NumberedAddresses  # (n,) return addresses of all rows
    ends: Int64s  # (n_rows,) where a row's addresses end
    comments: Int32s  # (n_comments,) comments of all rows, by number
    comment_ends: Int64s  # (n_rows,) where a row's comments end
    named: NamedFrames

    def __len__(self) -> int:
        return len(self.values)


class CountedStacks(NamedTuple):
    """Stacks of threads, as columns."""

    counts: Int64s  # (n_stacks,) threads of each stack
    calls: NumberedAddresses  # the addresses of the calls of all stacks, leaf first
    ends: Int64s  # (n_stacks,) where a stack's calls end

    def __len__(self) -> int:
        return len(self.counts)


class RowReader(LineReader):
    """Iterates once over the rows of a text. Used by one thread."""

    def __init__(self, content: bytes | bytearray, progress: Progress = ignore_progress) -> None:
        super().__init__(content, progress)
        # If no row is in plain form, a call of C in vain before each would take most of the time.
        self._empty: AddressRows | None = None  # what C returned last, if it was empty
        self._n_pause = self._n_left = 0  # rows to `take` before the next call: all, left

    def read(self, form: RowForm) -> AddressRows:
        """Read the next rows, up to the first that is not in plain form. The result may be empty,
        even if the next row is in plain form."""
        if self._empty is not None and self._n_left:
            self._n_left -= 1
            return self._empty
        rows = self._read(form)
        if len(rows):
            self._n_pause, self._empty = 0, None
        else:
            self._n_pause, self._empty = min(2 * self._n_pause + 1, _LONGEST_PAUSE), rows
            self._n_left = self._n_pause
        return rows

    def _read(self, form: RowForm) -> AddressRows:
        columns = self.run(_loops.read_address_rows, int(form))
        return AddressRows(
            np.asarray(columns["value"]).reshape(-1, form.n_values),
            NumberedAddresses(np.asarray(columns["different"]), np.asarray(columns["address"])),
            np.asarray(columns["address_end"]),
            np.asarray(columns["comment"]),
            np.asarray(columns["comment_end"]),
            self._list_frames(columns),
        )

    def read_threads(self) -> CountedStacks:
        """Read the next threads of `threadz`, up to the first that is not in plain form; there may
        be none. The counts are a copy, which may be changed."""
        columns = self.run(_loops.read_thread_stacks)
        different, numbers, ends = (
            np.asarray(columns[key]) for key in ("different", "call", "call_end")
        )
        return CountedStacks(
            np.array(columns["count"]), NumberedAddresses(different, numbers), ends
        )

    def _list_frames(self, columns: dict[str, _loops.Column]) -> NamedFrames:
        names, files = (
            list_texts(self._content, columns[f"{key}_start"], columns[f"{key}_length"])
            for key in ("name", "file")
        )
        keys = ("piece_address", "piece_name", "piece_file", "piece_line")
        address, name, file, line = (np.asarray(columns[key]) for key in keys)
        is_odd = name < 0
        start, length = (
            np.asarray(columns[key])[is_odd] for key in ("piece_start", "piece_length")
        )
        odd = OddComments(self._content, np.flatnonzero(is_odd), start, length)
        return NamedFrames(address, name, file, line, names, files, odd)

    def take(self) -> Row | None:
        """Read the next row in any form; None at the end. Raises ContentError."""
        self._before = (self._at, self._number)
        row, self._at, self._number = take_row(self._content, self._at, self._number)
        return row

    def __iter__(self) -> Iterator[Row]:
        return iter(self.take, None)


def number_addresses(addresses: UInt64s) -> NumberedAddresses:
    """Number addresses in the order of their first use."""
    different, numbers = _loops.number_addresses(np.ascontiguousarray(addresses))
    return NumberedAddresses(np.asarray(different), np.asarray(numbers))
