"""Builder of profiles whose stacks are named frames, as in the formats of scripts and browsers.

::

    add_frame(Symbol("work", "app.py", 7)) ──▶ 0 ─┐
    add_frame(Symbol("main", "app.py", 1)) ──▶ 1 ─┴─▶ add(values, [0, 1], labels)
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.profile.no_mappings import no_mappings
from stackglass_viewer.model.profile.profile import (
    Functions,
    Labels,
    Locations,
    Profile,
    Samples,
    SampleType,
)
from stackglass_viewer.model.profile.sample_times import TimedRows
from stackglass_viewer.model.profile.sample_types import choose_default
from stackglass_viewer.model.readers.prepared_rows import (
    PreparedRows,
    SampleTables,
    SingleLabelRows,
    StackRows,
)
from stackglass_viewer.model.readers.sample_columns import (
    Label,
    LabelColumns,
    Strings,
    Symbol,
    check_values,
    replace_surrogates,
)
from stackglass_viewer.model.readers.timed_columns import TimedColumns


class FrameSamples:
    """Collects samples while a file is read, and builds the profile. Used by one thread."""

    def __init__(self) -> None:
        # Columns of frames; objects would take ten times the memory. The last two end with the last
        # frame that has a file or a line.
        self._name, self._file, self._line = array("i"), array("i"), array("q")
        self._of_text = array("i")  # by string: the frame of `find_named`; -1 = none
        self._stack = array("i")  # frames of all samples' stacks
        self._stack_start = array("q", [0])
        self._values: list[array[int]] = []  # by sample type
        self._strings = Strings()
        self.add_text: Callable[[str], int] = self._strings.add
        """Adds a text and returns its number, for `add_labelled`."""
        self._labels = LabelColumns()
        self._times = TimedColumns()  # may stay empty

    @property
    def n_frames(self) -> int:
        return len(self._name)

    def add_frame(self, frame: Symbol) -> int:
        """Add a frame and return its number, for `add`. Each call adds a location."""
        name, file, line = frame
        number = len(self._name)
        self._name.append(self._strings.add(name))
        if file:
            _append_at(self._file, number, self._strings.add(file))
        if line:
            _append_at(self._line, number, line)
        return number

    def add_frames(
        self, names: Sequence[str], files: Sequence[str], lines: Sequence[int] = ()
    ) -> range:
        """Add frames, as `add_frame` does, and return their numbers. ``lines``: empty = unknown."""
        first = len(self._name)
        texts = chain.from_iterable(zip(names, files, strict=True))
        numbers = np.fromiter(map(self._strings.add, texts), np.int32, 2 * len(names))
        self._name.frombytes(numbers[::2].tobytes())
        if numbers[1::2].any():
            self._file.frombytes(bytes(self._file.itemsize * (first - len(self._file))))
            self._file.frombytes(numbers[1::2].tobytes())
        if any(lines):
            self._line.frombytes(bytes(self._line.itemsize * (first - len(self._line))))
            self._line.extend(lines)
        return range(first, len(self._name))

    def find_named(self, name: str) -> int:
        """Return the number of the frame with this name and without file and line, which is added
        if it is new."""
        text = self._strings.add(name)
        while len(self._of_text) <= text:
            self._of_text.append(-1)
        if self._of_text[text] < 0:
            self._of_text[text] = self.add_frame(Symbol(name, "", 0))
        return self._of_text[text]

    def add(self, values: Sequence[int], stack: Iterable[int], labels: Iterable[Label] = ()) -> int:
        """Add a sample and return its number. ``values``: one for each sample type, the same number
        for all samples; ``stack``: numbers of frames, leaf first. Raises ContentError."""
        check_values(values)
        self._stack.extend(stack)
        sample = len(self._stack_start) - 1
        self._stack_start.append(len(self._stack))
        for column, value in zip(self._value_columns(len(values)), values, strict=True):
            column.append(value)
        self.add_labels(sample, labels)
        return sample

    def add_many(
        self, values: Int64s, sizes: Int64s, stacks: Int32s, labels: Sequence[Label] = ()
    ) -> int:
        """Add samples and return the number of the first: (n, n_types) values, (n,) sizes of
        stacks, and the frames of all stacks, leaf first. Each sample gets all ``labels``."""
        first, n = len(self._stack_start) - 1, len(sizes)
        self._stack_start.frombytes((np.cumsum(sizes) + len(self._stack)).tobytes())
        self._stack.frombytes(stacks.reshape(-1).view(np.uint8).data)  # without a copy
        for column, part in zip(self._value_columns(values.shape[1]), values.T, strict=True):
            column.frombytes(np.ascontiguousarray(part).view(np.uint8).data)
        self._labels.add_to_all(first, n, labels, self._strings)
        return first

    def add_labels(self, sample: int, labels: Iterable[Label]) -> None:
        """Add labels to a sample, which itself may be added later. Samples must be in order."""
        for label in labels:
            self._labels.add(sample, label, self._strings)

    def _value_columns(self, n_types: int) -> list[array[int]]:
        if not self._values:
            self._values = [array("q") for _ in range(n_types)]
        return self._values

    def add_labelled(
        self, values: Int64s, sizes: Int64s, stacks: Int32s, keys: Sequence[str], texts: Int32s
    ) -> int:
        """Add samples as `add_many` does, with a label for each key. ``texts``: (n, n_keys) numbers
        of the labels' texts."""
        first = self.add_many(values, sizes, stacks)
        self._labels.add_texts(first, keys, texts, self._strings)
        return first

    def reserve_times(self, more: int, n_types: int) -> None:
        """Make room for ``more`` timed samples, which `add_times` will add."""
        self._times.reserve(more, n_types)

    def add_times(
        self, samples: Int32s, begins_ns: Int64s, ends_ns: Int64s, values: Int64s
    ) -> None:
        """Add many timed samples: (n,) columns, and (n, n_types) values."""
        self._times.add_many(samples, begins_ns, ends_ns, values)

    def add_timed_rows(self, rows: TimedRows) -> None:
        """Add many timed samples in columns. The profile takes ownership of the columns."""
        self._times.add_part(rows)

    def add_time(self, sample: int, begin_ns: int, end_ns: int, values: Sequence[int]) -> None:
        """Add a timed sample: a stretch of time in which ``sample`` was seen, and its share of the
        sample's values. All times are of the same clock. Raises ContentError."""
        check_values((begin_ns, end_ns, *values))
        self._times.add(sample, begin_ns, end_ns, values)

    def build(
        self,
        sample_types: Sequence[SampleType],
        *,
        duration_ns: int = 0,
        time_unix_ns: int = 0,
        comments: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
        rows: PreparedRows | StackRows | SingleLabelRows | SampleTables | None = None,
    ) -> Profile:
        """Build the profile. ``sample_types``: one for each value of a sample; ``rows``: all
        samples and labels, in place of the samples that were added here."""
        n = len(self._name)
        texts = self._strings.take()  # first, because it frees memory for the columns
        functions, function = _build_functions(
            np.frombuffer(self._name, dtype=np.int32), np.frombuffer(self._file, dtype=np.int32)
        )
        line_number = np.zeros(n, dtype=np.int64)  # pages of zeros take no memory
        line_number[: len(self._line)] = self._line
        locations = Locations(
            line_start=np.arange(n + 1, dtype=np.int32),
            line_function=function,
            line_number=line_number,
            line_column=np.zeros(n, dtype=np.int64),
            address=np.zeros(n, dtype=np.uint64),
            mapping=np.full(n, -1, dtype=np.int32),
            is_folded=np.zeros(n, dtype=np.bool_),
        )
        samples, labels = self._build_samples(len(sample_types)) if rows is None else rows.build()
        times = self._times.build()
        tables = (
            functions,
            locations,
            no_mappings(),
            samples,
            labels,
        )
        for table in tables:
            freeze(*(getattr(table, name) for name in table.__slots__))
        return Profile(
            texts,
            *tables,
            sample_types=tuple(sample_types),
            default_type=choose_default(tuple(sample_types), ""),
            time_unix_ns=time_unix_ns,
            duration_ns=duration_ns,
            comments=tuple(map(replace_surrogates, comments)),
            warnings=warnings,
            times=times,
        )

    def _build_samples(self, n_types: int) -> tuple[Samples, Labels]:
        samples = Samples(
            stack_start=np.frombuffer(self._stack_start, dtype=np.int64),
            stack=np.frombuffer(self._stack, dtype=np.int32),
            values=self._take_values(max(n_types, 1)),
        )
        return samples, self._labels.build()

    def _take_values(self, n_types: int) -> Int64s:
        """Return the (n_types, n_samples) values and release the columns that held them."""
        columns = self._value_columns(n_types)[::-1]
        self._values = []
        if n_types == 1:
            return np.frombuffer(columns.pop(), dtype=np.int64).reshape(1, -1)
        values = np.empty((n_types, len(self._stack_start) - 1), dtype=np.int64)
        for row in values:  # each column is freed after it is copied
            row[:] = np.frombuffer(columns.pop(), dtype=np.int64)
        return values


def _append_at(column: array[int], place: int, value: int) -> None:
    """Append the value of row ``place``; rows between get 0."""
    if len(column) < place:
        column.frombytes(bytes(column.itemsize * (place - len(column))))
    column.append(value)


def _build_functions(names: Int32s, files: Int32s) -> tuple[Functions, Int32s]:
    """Return the table of the different pairs of a frame's name and file, and (n,) the place of
    each frame's pair in it. ``files`` may be shorter: then the last frames have no file."""
    if len(files) == 0 and (names[1:] > names[:-1]).all():
        different, function = names, np.arange(len(names), dtype=np.int32)
        filename = np.zeros(len(names), dtype=np.int32)
    else:
        pairs = names.astype(np.int64)
        pairs <<= 32
        pairs[: len(files)] |= files
        if (pairs[1:] > pairs[:-1]).all():  # sorted and different already
            function = np.arange(len(pairs), dtype=np.int32)
        else:
            pairs, inverse = np.unique(pairs, return_inverse=True)
            function = inverse.astype(np.int32)
        different = (pairs >> 32).astype(np.int32)
        filename = (pairs & 0xFFFFFFFF).astype(np.int32)
    start_line = np.zeros(len(different), dtype=np.int64)
    return Functions(different, different, filename, start_line), function
