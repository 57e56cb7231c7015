"""Pieces of a large text, which a loop in C has numbered: equal pieces have the same number.

Each distinct piece is decoded here once, however often it comes. Where a loop reads only a part of
a text, `LineReader` reads the rest.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.sample_columns import FEW_TEXTS
from stackglass_viewer.model.readers.text_rows import (
    MOST_LINE_BYTES,
    REPORT_BYTES,
    Progress,
    ignore_progress,
    list_lines,
)
from stackglass_viewer.native import _loops

Numbers = _loops.Column | npt.NDArray[Any]
_FEW = 1 << 12

REPLACED = "\ufffd"
"""Replaces bytes that are not UTF-8: texts with it may be equal where their bytes differ."""


def list_pieces(content: bytes | bytearray, start: Numbers, length: Numbers) -> Iterator[bytes]:
    """Yield the bytes of each piece, by number."""
    with memoryview(content) as view:
        for begin, n_bytes in list_rows(start, length):
            yield bytes(view[begin : begin + n_bytes])


def list_texts(content: bytes | bytearray, start: Numbers, length: Numbers) -> Sequence[str]:
    """Return the text of each piece, by number; bytes that are not UTF-8 are replaced. Many texts
    are a sealed `Texts`: as Python's strings, short ones would take twenty times their bytes."""
    starts, lengths = np.asarray(start), np.asarray(length)
    if len(starts) <= FEW_TEXTS:
        return _loops.decode_pieces(content, starts.astype(np.int64), lengths.astype(np.int64))
    table = _loops.Texts()
    for first in range(0, len(starts), FEW_TEXTS):
        part = slice(first, first + FEW_TEXTS)
        table.append_pieces(content, starts[part].astype(np.int64), lengths[part].astype(np.int64))
    table.seal()
    return table


def number_texts(
    texts: Iterable[str], add: Callable[[str], int], shared: str | None = None
) -> Int32s:
    """Return (n,) the number that ``add`` returns for each text; ``add`` is called once for equal
    texts. Only ``shared`` and texts with replaced bytes may be equal: a dictionary of all texts
    would take twenty times their bytes."""
    numbers, odd, of_odd = array("i"), _loops.Texts(), array("i")
    for text in texts:
        if REPLACED not in text and text != shared:
            numbers.append(add(text))
            continue
        place = odd.add(text)
        if place == len(of_odd):
            of_odd.append(add(text))
        numbers.append(of_odd[place])
    return np.frombuffer(numbers, dtype=np.int32)


def list_rows(*columns: Numbers) -> Iterator[tuple[int, ...]]:
    """Yield rows of columns as Python numbers; a list of all of them would take much memory."""
    arrays = [np.asarray(column) for column in columns]
    for first in range(0, len(arrays[0]), _FEW):
        yield from zip(*(each[first : first + _FEW].tolist() for each in arrays), strict=True)


def find_first(numbers: Int32s) -> Int64s:
    """Return where each number comes first. Numbers are in order of first appearance."""
    largest = np.maximum.accumulate(numbers)
    first: Int64s = np.searchsorted(largest, np.arange(largest[-1] + 1 if len(largest) else 0))
    return first


def refuse_long_line(n_bytes: int) -> None:
    """Raise ContentError if a loop has refused a line of ``n_bytes``; 0 = it has not."""
    if n_bytes:
        raise ContentError(f"it has a line of {n_bytes} bytes")


def report_to(progress: Progress) -> Callable[[float], bool]:
    """Return ``progress`` in the form that the loops call. If it raises, the reading ends."""

    def report(done: float) -> bool:
        progress(done)
        return True

    return report


class LineReader:
    """Iterates once over the lines of a text; a loop in C may read some of them. Used by one
    thread."""

    def __init__(self, content: bytes | bytearray, progress: Progress = ignore_progress) -> None:
        self._content = content
        self._progress = progress
        self._at = self._number = self._reported = 0  # where the next line is; the lines before it
        self._before = (0, 0)  # `_at` and `_number` before the line or row taken last

    def run(self, loop: Callable[..., tuple[dict[str, Any], int, int]], *form: int) -> Any:
        """Return the columns that a loop in C reads from the next lines, up to the first line that
        it cannot read."""
        report = report_to(self._progress)
        columns, self._at, self._number = loop(self._content, self._at, self._number, *form, report)
        return columns

    def take_line(self) -> tuple[int, bytes] | None:
        """Return the number, from 1, and the text of the next line, without its end; None at the
        end. Raises ContentError."""
        at, size = self._at, len(self._content)
        self._before = (at, self._number)
        if at >= size:
            return None
        if at - self._reported >= REPORT_BYTES:
            self._reported = at
            self._progress(at / size)
        end = self._content.find(b"\n", at)
        end = size if end < 0 else end
        if end - at > MOST_LINE_BYTES:
            refuse_long_line(end - at)
        self._at, self._number = min(end + 1, size), self._number + 1
        return self._number, bytes(self._content[at:end]).removesuffix(b"\r")

    def go_back(self) -> None:
        """Return to the line or row taken last. Nothing may have been read after it."""
        self._at, self._number = self._before

    def list_rest(self) -> Iterator[bytes]:
        """Yield the texts of the lines that were not read."""
        return list_lines(self._content, self._progress, self._at)
