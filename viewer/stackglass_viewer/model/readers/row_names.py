"""Reader of the names of frames, and of labels, in the comments below rows of addresses.

::

    2: 4096 [3: 6144] @ 0x100010 0x100020
    # labels: {"thread":"worker"}
    #	0x10000f	app.load+0x1f	app.py:12

The addresses of a row are return addresses; a call is one byte before. Go's comments have the
address of the call, Stackglass's the return address. An address with inlined calls has several
comments, the innermost call first.

Go writes no comments for functions of its runtime at the leaf, nor for ``runtime.goexit`` at the
root. The former are shown as ``<runtime>``; the latter is left out, as in Go's protobuf.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, UInt64s
from stackglass_viewer.model.readers.address_names import AddressNames
from stackglass_viewer.model.readers.address_rows import (
    AddressRows,
    NamedFrames,
    NumberedAddresses,
    number_addresses,
)
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_pieces import list_rows
from stackglass_viewer.model.readers.text_rows import find_calls
from stackglass_viewer.native import _loops

RUNTIME = Symbol("<runtime>", "", 0)
# A name ends at the first tab: a search among all tabs of a long line would take hours.
_FRAME = re.compile(
    rb"#\s+0x([0-9a-f]{1,16})\s+([^\t\s][^\t]*?)(?:\+0x[0-9a-f]+)?\t++(.*):(\d{1,18})\s*$"
)
_LABELS = b"# labels: "
_NO_FRAME = -1
_MOST_KNOWN = 4096  # comments with labels


class _Frames(NamedTuple):
    """Frames by comment."""

    addresses: UInt64s
    name: Int32s  # number of a text of `AddressNames`; -1 = the comment names no frame
    file: Int32s
    line: Int64s


class RowNames:
    """Collects the names and labels in comments, row by row. Used by one thread."""

    def __init__(self) -> None:
        self._names = AddressNames()  # by the address of a call
        self._hidden = array("Q")  # addresses of calls, which may have names
        self._n_odd_labels = 0

    def locate(self, addresses: list[int], comments: list[bytes]) -> list[int]:
        """Return the addresses of the calls for return addresses, and record the calls' names."""
        calls = find_calls(addresses)
        frames = _read_frames(comments, calls)
        if not frames:
            return calls
        n_calls = Counter(calls)
        for call, lines in frames.items():
            # If the row has the call n times, its comments come n times, too.
            n_times = max(n_calls[call], 1)
            if call >= 0:  # -1 is before address 0: no call
                self._names.add(call, lines[: max(len(lines) // n_times, 1)])
        for call in calls:
            if call in frames:
                break
            self._hidden.append(call)
        if len(calls) > 1 and calls[-1] not in frames and calls[-2] in frames:
            calls.pop()
        return calls

    def locate_rows(self, rows: AddressRows) -> tuple[NumberedAddresses, Int64s]:
        """Locate many rows. Returns the calls of all rows, and where each row's calls end."""
        calls = rows.addresses.calls
        frames = self._number_frames(rows.named)
        is_frame = frames.name >= 0
        places = frames.addresses[is_frame]
        if not len(places):
            return calls, rows.ends
        n_calls = len(calls.different)  # which keep their numbers below
        every = np.concatenate([calls.different, places, places - np.uint64(1)])
        different, numbers = number_addresses(every)
        # By comment: the numbers of its address, and of the one before, which is the call's if the
        # comment has a return address.
        own = np.full(len(is_frame), _NO_FRAME, dtype=np.int32)
        before = own.copy()
        own[is_frame], before[is_frame] = numbers[n_calls:].reshape(2, -1)
        before[is_frame] = np.where(places == 0, len(different), before[is_frame])
        n_places = len(different) + 1  # the last stands for no call: the one before address 0
        found = _loops.name_rows(
            n_places, calls.numbers, rows.ends, rows.comments, rows.comment_ends, own, before
        )
        self._record_lines(different, frames, found)
        is_hidden = np.asarray(found["is_hidden"])[: len(different)] != 0
        self._hidden.frombytes(different[is_hidden].view(np.uint8).data)
        is_kept = np.asarray(found["is_kept"])
        if is_kept.all():
            return calls, rows.ends
        n_kept = np.concatenate([[0], np.cumsum(is_kept, dtype=np.int64)])
        return number_addresses(calls.expand()[is_kept]), n_kept[rows.ends]

    def _number_frames(self, named: NamedFrames) -> _Frames:
        """Return the frames of comments in any form."""
        name, file = named.name.copy(), named.file.copy()
        line, addresses = named.line.copy(), named.addresses.copy()
        for column, texts in ((name, named.names), (file, named.files)):
            numbers = map(self._names.number, texts)
            of_text = np.fromiter(chain(numbers, (_NO_FRAME,)), np.int32, len(texts) + 1)
            column[:] = of_text[column]  # -1 is the last
        for comment, text in named.odd.list_texts():
            if found := _parse_frame(text):
                addresses[comment], symbol = found
                name[comment] = self._names.number(symbol.name)
                file[comment] = self._names.number(symbol.file)
                line[comment] = symbol.line
        return _Frames(addresses, name, file, line)

    def _record_lines(
        self, different: UInt64s, frames: _Frames, found: Mapping[str, _loops.Column]
    ) -> None:
        """Record the lines of the calls that comments name. The first row that names a call counts,
        and if it has the call n times, its comments come n times, too."""
        call, comment = (np.asarray(found[key]) for key in ("call", "comment"))
        order = np.argsort(call, kind="stable")
        order = order[call[order] < len(different)]
        in_order = call[order]
        begin = np.flatnonzero(np.diff(in_order, prepend=_NO_FRAME))
        named, n_lines = in_order[begin], np.diff(begin, append=len(order))
        n_times = np.maximum(np.asarray(found["n_times"])[named], 1)
        n_kept = np.maximum(n_lines // n_times, 1)
        rank = np.arange(len(order)) - np.repeat(begin, n_lines)
        taken = comment[order][rank < np.repeat(n_kept, n_lines)]
        columns = (each[taken] for each in (frames.name, frames.file, frames.line))
        self._names.add_columns(different[named], n_kept.astype(np.int32), *columns)

    def read_labels(self, comments: list[bytes]) -> list[Label]:
        """Return the labels in comments ``# labels: {"key":"value"}``."""
        labels: list[Label] = []
        for comment in comments:
            found = _parse_labels(comment)
            if found is None:
                self._n_odd_labels += 1
            else:
                labels += found
        return labels

    def read_row_labels(self, rows: AddressRows) -> Iterator[tuple[int, list[Label]]]:
        """Return the places of the rows that have labels, with their labels."""
        known: dict[int, list[Label]] = {}  # by comment; others are parsed when they are needed
        is_odd, has_labels = np.zeros((2, len(rows.named.name)), dtype=np.bool_)
        for comment, text in rows.named.odd.list_texts():
            found = _parse_labels(text)
            is_odd[comment] = found is None
            if found:
                has_labels[comment] = True
                if len(known) < _MOST_KNOWN:
                    known[comment] = found
        self._n_odd_labels += int(np.count_nonzero(is_odd[rows.comments]))
        return _list_labels(rows, has_labels, known)

    def take(self) -> AddressNames:
        """Return the lines of each call, by its address. No more rows follow."""
        self._names.add_to_all(np.frombuffer(self._hidden, dtype=np.uint64), RUNTIME)
        return self._names

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about comments that cannot be read."""
        n = self._n_odd_labels
        return (f"labels of {n} stacks cannot be read and are left out",) if n else ()


def _list_labels(
    rows: AddressRows, has_labels: Bools, known: Mapping[int, list[Label]]
) -> Iterator[tuple[int, list[Label]]]:
    places = np.flatnonzero(has_labels[rows.comments])
    row_of = np.searchsorted(rows.comment_ends, places, side="right")
    pairs = list_rows(row_of, rows.comments[places])
    for row, of_row in groupby(pairs, key=itemgetter(0)):
        labels: list[Label] = []
        for _, comment in of_row:
            found = known.get(comment)
            labels += found or _parse_labels(rows.named.odd.read(comment)) or ()
        yield row, labels


def _parse_frame(comment: bytes) -> tuple[int, Symbol] | None:
    """Return the address and the symbol in a comment; None = the comment names no frame."""
    found = _FRAME.match(comment)
    if found is None:
        return None
    name, file = (found[group].decode(errors="replace") for group in (2, 3))
    return int(found[1], 16), Symbol(name, file, int(found[4]))


def _read_frames(comments: list[bytes], calls: Sequence[int]) -> dict[int, list[Symbol]]:
    frames: defaultdict[int, list[Symbol]] = defaultdict(list)
    known = set(calls)
    for comment in comments:
        if frame := _parse_frame(comment):
            address, symbol = frame
            frames[address if address in known else address - 1].append(symbol)
    return frames


def _parse_labels(comment: bytes) -> list[Label] | None:
    """Return the labels of a comment, which may have none; None = they cannot be read."""
    if not comment.startswith(_LABELS):
        return []
    try:
        found = json.loads(comment[len(_LABELS) :])
    except (ValueError, RecursionError):  # Go escapes some letters differently from JSON
        return None
    if not isinstance(found, dict):
        return None
    return [Label(key, str(value)) for key, value in found.items()]
