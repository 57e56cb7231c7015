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
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.readers.address_rows import NumberedAddresses, Rows, number_addresses
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_pieces import list_rows
from stackglass_viewer.model.readers.text_rows import find_calls
from stackglass_viewer.native import _loops

RUNTIME = Symbol("<runtime>", "", 0)
_FRAME = re.compile(rb"#\s+0x([0-9a-f]{1,16})\s+(.+?)(?:\+0x[0-9a-f]+)?\t+(.*):(\d{1,18})\s*$")
_LABELS = b"# labels: "
_NO_FRAME = -1


class RowNames:
    """Collects the names and labels in comments, row by row. Used by one thread."""

    def __init__(self) -> None:
        self._lines: dict[int, tuple[Symbol, ...]] = {}  # by the address of a call
        self._hidden: set[int] = set()
        self._n_odd_labels = 0

    def locate(self, addresses: list[int], comments: list[bytes]) -> list[int]:
        """Return the addresses of the calls for return addresses, and record the calls' names."""
        calls = find_calls(addresses)
        frames = _read_frames(comments, calls)
        if not frames:
            return calls
        for call, lines in frames.items():
            self._learn(call, lines, calls.count(call))
        for call in calls:
            if call in frames:
                break
            self._hidden.add(call)
        if len(calls) > 1 and calls[-1] not in frames and calls[-2] in frames:
            calls.pop()
        return calls

    def locate_rows(self, rows: Rows) -> tuple[NumberedAddresses, Int64s]:
        """Locate many rows. Returns the calls of all rows, and where each row's calls end."""
        calls = rows.addresses.calls
        symbols, addresses = rows.named.symbols.copy(), rows.named.addresses.copy()
        for comment, text in rows.named.odd.items():
            if frame := _parse_frame(text):
                addresses[comment], symbols[comment] = frame
        is_frame = np.array([symbol is not None for symbol in symbols], dtype=np.bool_)
        places = addresses[is_frame]
        if not len(places):
            return calls, rows.ends
        n_calls = len(calls.different)  # which keep their numbers below
        every = np.concatenate([calls.different, places, places - np.uint64(1)])
        different, numbers = number_addresses(every)
        own = np.full(len(symbols), _NO_FRAME, dtype=np.int32)
        before = own.copy()
        own[is_frame], before[is_frame] = numbers[n_calls:].reshape(2, -1)
        before[is_frame] = np.where(places == 0, len(different), before[is_frame])
        found = _loops.name_rows(
            len(different) + 1,  # the last stands for no call: the one before address 0
            *(calls.numbers, rows.ends, rows.comments, rows.comment_ends, own, before),
        )
        lines: defaultdict[int, list[Symbol]] = defaultdict(list)
        for call, comment in list_rows(found["call"], found["comment"]):
            if symbol := symbols[comment]:
                lines[call].append(symbol)
        lines.pop(len(different), None)
        named = np.array([*lines], dtype=np.int64)
        n_times = np.asarray(found["n_times"])[named].tolist()
        for call, of_call, n in zip(
            different[named].tolist(), lines.values(), n_times, strict=True
        ):
            self._learn(call, of_call, n)
        is_hidden = np.asarray(found["is_hidden"])[: len(different)] != 0
        self._hidden.update(different[is_hidden].tolist())
        is_kept = np.asarray(found["is_kept"])
        if is_kept.all():
            return calls, rows.ends
        n_kept = np.concatenate([[0], np.cumsum(is_kept, dtype=np.int64)])
        return number_addresses(calls.expand()[is_kept]), n_kept[rows.ends]

    def _learn(self, call: int, lines: list[Symbol], n_times: int) -> None:
        """Record the lines of a call from a row that has the call ``n_times``. The first row
        counts."""
        if call not in self._lines:
            # If the row has the call n times, its comments come n times, too.
            self._lines[call] = tuple(lines[: max(len(lines) // max(n_times, 1), 1)])

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

    def read_row_labels(self, rows: Rows) -> list[tuple[int, list[Label]]]:
        """Return the places of the rows that have labels, with their labels."""
        labels = {comment: _parse_labels(text) for comment, text in rows.named.odd.items()}
        is_odd, has_labels = np.zeros((2, len(rows.named.symbols)), dtype=np.bool_)
        is_odd[[comment for comment, found in labels.items() if found is None]] = True
        has_labels[[comment for comment, found in labels.items() if found]] = True
        self._n_odd_labels += int(np.count_nonzero(is_odd[rows.comments]))
        places = np.flatnonzero(has_labels[rows.comments])
        of_row: defaultdict[int, list[Label]] = defaultdict(list)
        row_of = np.searchsorted(rows.comment_ends, places, side="right").tolist()
        for row, comment in zip(row_of, rows.comments[places].tolist(), strict=True):
            of_row[row] += labels[comment] or ()
        return [*of_row.items()]

    @property
    def symbols(self) -> dict[int, tuple[Symbol, ...]]:
        """The lines of each call, by its address."""
        return {call: (RUNTIME,) for call in self._hidden} | self._lines

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about comments that cannot be read."""
        n = self._n_odd_labels
        return (f"labels of {n} stacks cannot be read and are left out",) if n else ()


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
