"""Reader of rows of addresses in pprof's old text formats, many rows at a time or one by one.

`address_rows.c` reads rows in plain form, up to the first other line. That line is then read alone:
it may be a row in another form, the mark of a memory map, or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, UInt64s
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_pieces import (
    list_pieces,
    list_rows,
    list_texts,
    report_to,
)
from stackglass_viewer.model.readers.text_rows import Progress, Row, ignore_progress, take_row
from stackglass_viewer.native import _loops


class RowForm(IntEnum):
    """Form of the rows, with the numbers of enum sg_address_form in address_rows.h."""

    COUNT = 0  # 3 @ 0x10 0x20
    CONTENTION = 1  # 5000 1 @ 0x10 0x20
    HEAP = 2  # 2: 4096 [3: 6144] @ 0x10 0x20
    JEMALLOC = 3  # @ 0x10 0x20, and in the next line  t*: 13: 6688 [0: 0]

    @property
    def n_values(self) -> int:
        """Number of values in a row."""
        return (1, 2, 4, 4)[self]


class NamedFrames(NamedTuple):
    """The frames that the distinct comments name; items by number of a comment."""

    symbols: list[Symbol | None]  # None = the comment is not in its plain form
    addresses: UInt64s
    odd: dict[int, bytes]  # texts of the comments that are not in plain form


class NumberedAddresses(NamedTuple):
    """Addresses, each by its position among the different ones."""

    different: UInt64s  # (n_different,) in the order of their first use, as pprof numbers locations
    numbers: Int32s  # (n,)

    @property
    def calls(self) -> NumberedAddresses:
        """The address one byte before each return address; 0 wraps to the largest address."""
        return self._replace(different=self.different - np.uint64(1))

    def expand(self) -> UInt64s:
        """Return the addresses, (n,)."""
        return self.different[self.numbers]


class Rows(NamedTuple):
    """Columns of rows."""

    values: Int64s  # (n_rows, n_values) not negative, of at most 18 digits
    addresses: NumberedAddresses  # (n,) return addresses of all rows
    ends: Int64s  # (n_rows,) where a row's addresses end
    comments: Int32s  # (n_comments,) comments of all rows, by number
    comment_ends: Int64s  # (n_rows,) where a row's comments end
    named: NamedFrames

    def __len__(self) -> int:
        return len(self.values)


class RowReader:
    """Iterates once over the rows of a text. Used by one thread."""

    def __init__(self, content: bytes | bytearray, progress: Progress = ignore_progress) -> None:
        self._content = content
        self._progress = progress
        self._at = self._number = 0
        self._before = (0, 0)  # `_at` and `_number` before the row that was taken last

    def read(self, form: RowForm) -> Rows:
        """Read the next rows, up to the first that is not in plain form; there may be none."""
        columns, self._at, self._number = _loops.read_address_rows(
            self._content, self._at, self._number, int(form), report_to(self._progress)
        )
        return Rows(
            np.asarray(columns["value"]).reshape(-1, form.n_values),
            NumberedAddresses(np.asarray(columns["different"]), np.asarray(columns["address"])),
            np.asarray(columns["address_end"]),
            np.asarray(columns["comment"]),
            np.asarray(columns["comment_end"]),
            self._list_frames(columns),
        )

    def _list_frames(self, columns: dict[str, _loops.Column]) -> NamedFrames:
        names, files = (
            list_texts(self._content, columns[f"{key}_start"], columns[f"{key}_length"])
            for key in ("name", "file")
        )
        keys = ("piece_name", "piece_file", "piece_line")
        symbols = [
            Symbol(names[name], files[file], line) if name >= 0 else None
            for name, file, line in list_rows(*(columns[key] for key in keys))
        ]
        is_odd = np.asarray(columns["piece_name"]) < 0
        start, length = (
            np.asarray(columns[key])[is_odd] for key in ("piece_start", "piece_length")
        )
        texts = list_pieces(self._content, start, length)
        odd = dict(zip(np.flatnonzero(is_odd).tolist(), texts, strict=True))
        return NamedFrames(symbols, np.asarray(columns["piece_address"]), odd)

    def take(self) -> Row | None:
        """Read the next row in any form; None at the end. Raises ProfileError."""
        self._before = (self._at, self._number)
        row, self._at, self._number = take_row(self._content, self._at, self._number)
        return row

    def go_back(self) -> None:
        """Go back before the row that was taken last; nothing was read after it."""
        self._at, self._number = self._before

    def __iter__(self) -> Iterator[Row]:
        return iter(self.take, None)


def number_addresses(addresses: UInt64s) -> NumberedAddresses:
    """Number addresses in the order of their first use."""
    different, numbers = _loops.number_addresses(np.ascontiguousarray(addresses))
    return NumberedAddresses(np.asarray(different), np.asarray(numbers))
