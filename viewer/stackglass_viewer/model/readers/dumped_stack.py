"""Reader of dumps of goroutines or threads.

::

    goroutine 18 [chan receive, 5 minutes]:
    main.worker(0xc000012345, ...)
        /src/main.go:230 +0x58
    created by main.start in goroutine 1
        /src/main.go:12 +0x1d

`dump_stacks.c` reads the lines and numbers frames and the fields of labels. Each distinct frame and
field is parsed here, once. So is each distinct odd line, which is not in the plain form that C
reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from itertools import islice
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Labels, Profile, Samples, SampleType
from stackglass_viewer.model.readers.dump_labels import (
    TEXT_KEYS,
    FieldKind,
    FieldLabels,
    list_field_labels,
)
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.prepared_rows import SampleTables
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_pieces import (
    REPLACED,
    list_rows,
    list_texts,
    refuse_long_line,
    report_to,
)
from stackglass_viewer.model.readers.text_rows import Progress
from stackglass_viewer.native import _loops

_CREATOR = re.compile(r"created by (.+?)(?: in (?:goroutine|thread) \d+)?")
_CALL = re.compile(r"(\S.*)\([^()]*\)")
_PLACE = re.compile(r"\t(.+):(\d{1,9})(?: .*)?")
_ELIDED = re.compile(r"\.\.\..*frames elided\.\.\.")
_TRUNCATED = Symbol("<truncated>", "", 0)
_ELIDED_CALL = -(2**31)
_MANY = 1 << 12  # frames that are added at a time

ReadHeader = Callable[[str, int], list[Label] | None]
"""Function of a line's text and its offset in the file. Returns the labels of the stack that begins
there; None if the line is no header. May raise ContentError."""


class DumpForm(IntEnum):
    """Kind of a dump, with the numbers of enum sg_dump_form in dump_header.h."""

    GOROUTINES, THREADS = range(2)

    @property
    def number_key(self) -> str:
        """Key of the label for the number in a header."""
        return ("goroutine", "thread_id")[self]


class _Kind(IntEnum):
    """Kind of an odd line, with the numbers of enum sg_dump_kind in dump_stacks.h."""

    END, HEADER, CALL, PLACE, CREATOR, ELIDED, NOTHING = range(7)


class _OddLines:
    """Parses odd lines, which C cannot classify. Used by one thread."""

    def __init__(self, content: bytes | bytearray, read_header: ReadHeader) -> None:
        self._content = content
        self._read_header = read_header
        self.values: list[Any] = []  # by odd line: labels, the name of a call, or file and line

    def read(self, begin: int, end: int) -> int:
        """Parse the next odd line and return its kind. Raises ContentError."""
        text = self._content[begin:end].decode(errors="replace").rstrip()
        kind, value = _read_odd(text, begin, self._read_header)
        self.values.append(value)
        return kind


def read_dump(
    content: bytes | bytearray,
    progress: Progress,
    form: DumpForm,
    read_header: ReadHeader,
    counted: str,
) -> Profile:
    """Read a dump into a profile with one sample for each stack. Lines outside of stacks are
    skipped. ``counted`` is the name of the only sample type. Raises ContentError, also if there is
    no stack."""
    odd = _OddLines(content, read_header)
    columns, n_bytes = _loops.read_dump(content, form, odd.read, report_to(progress))
    refuse_long_line(n_bytes)
    stack_start, stack = np.asarray(columns["stack_start"]), np.asarray(columns["stack"])
    n_stacks = len(stack_start) - 1
    if not n_stacks:
        raise ContentError(f"it is a dump of {form.name.lower()}, but lists none")
    samples = FrameSamples()
    numbers, labels = _Texts(content, columns, odd, form).add_to(samples)
    ones = np.ones((1, n_stacks), dtype=np.int64)
    tables = SampleTables(Samples(stack_start, numbers[stack], ones), labels)
    return samples.build([SampleType(counted, "count")], rows=tables)


class _Texts:
    """The texts of a dump's distinct frames and fields."""

    def __init__(
        self,
        content: bytes | bytearray,
        columns: dict[str, _loops.Column],
        odd: _OddLines,
        form: DumpForm,
    ) -> None:
        self._content, self._form = content, form
        self._columns = {name: np.asarray(column) for name, column in columns.items()}
        self._odd = odd.values

    def add_to(self, samples: FrameSamples) -> tuple[Int32s, Labels]:
        """Add the frames and labels to ``samples``. Returns the (n,) numbers of the distinct frames
        and the labels of all stacks."""
        numbers = self._add_frames(samples)
        labels = self._add_fields(samples)
        of_labels = (self._columns[f"label_{name}"] for name in ("stack", "field", "number"))
        return numbers, labels.build(*of_labels)

    def _add_frames(self, samples: FrameSamples) -> Int32s:
        """Add the distinct frames, and return the (n,) numbers of their symbols."""
        call, place = self._columns["frame"].reshape(-1, 2).T
        calls, places = self._list_texts("call"), self._list_texts("place")
        is_elided = call == _ELIDED_CALL
        is_odd = ((call < 0) | (place < 0)) & ~is_elided
        replaced = (text for texts in (calls, places) for text in texts if REPLACED in text)
        symbols = self._list_symbols(calls, places)
        if not is_odd.any() and not any(replaced):  # all symbols are distinct
            while rows := list(islice(symbols, _MANY)):
                names, files, lines = zip(*rows, strict=True)
                samples.add_frames(names, files, lines)
            return np.arange(len(call), dtype=np.int32)
        numbers, known = np.empty(len(call), dtype=np.int32), _loops.Texts()
        for frame, symbol in enumerate(symbols):
            numbers[frame] = known.add("{}\n{}\n{}".format(*symbol))
            if numbers[frame] == samples.n_frames:
                samples.add_frame(symbol)
        return numbers

    def _list_symbols(self, calls: Sequence[str], places: Sequence[str]) -> Iterator[Symbol]:
        """Yield the symbol of each distinct frame."""
        odd = self._odd
        for call, place in list_rows(*self._columns["frame"].reshape(-1, 2).T):
            if call == _ELIDED_CALL:
                yield _TRUNCATED
                continue
            name = calls[call] if call >= 0 else odd[-1 - call]
            file, line = _split_place(places[place]) if place >= 0 else odd[-1 - place]
            yield Symbol(name, file, line)

    def _add_fields(self, samples: FrameSamples) -> FieldLabels:
        text_of, field_of = self._columns["field"].reshape(-1, 2).T
        texts, number_key = self._list_texts("text"), self._form.number_key
        is_text = np.isin(field_of, [*TEXT_KEYS])
        labels = FieldLabels(samples.add_text, is_text)
        labels.add_texts(field_of[is_text], (texts[k] for (k,) in list_rows(text_of[is_text])))
        for text, field in list_rows(text_of[~is_text], field_of[~is_text]):
            if field == FieldKind.ODD:
                labels.add(self._odd[text])
            else:
                labels.add(list_field_labels(field, texts[text], number_key))
        return labels

    def _list_texts(self, name: str) -> Sequence[str]:
        start, length = self._columns[f"{name}_start"], self._columns[f"{name}_length"]
        return list_texts(self._content, start, length)


def _split_place(text: str) -> tuple[str, int]:
    file, _, line = text.rpartition(":")
    return file, int(line)


def _read_odd(text: str, start: int, read_header: ReadHeader) -> tuple[_Kind, Any]:
    if not text:
        return _Kind.END, None
    if (labels := read_header(text, start)) is not None:
        return _Kind.HEADER, labels
    if place := _PLACE.fullmatch(text):
        return _Kind.PLACE, (place[1], int(place[2]))
    if creator := _CREATOR.fullmatch(text):
        return _Kind.CREATOR, [Label("created by", creator[1])]
    if _ELIDED.fullmatch(text):
        return _Kind.ELIDED, None
    if call := _CALL.fullmatch(text):
        return _Kind.CALL, call[1]
    return _Kind.NOTHING, None
