"""Profile of stacks of named frames, as the formats of scripts and browsers have them.

::

    add_frame(Symbol("work", "app.py", 7)) ──▶ 0 ─┐
    add_frame(Symbol("main", "app.py", 1)) ──▶ 1 ─┴─▶ add(values, [0, 1], labels)
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

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
    LabelledRows,
    PreparedRows,
    SampleTables,
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
    """Samples while they are read. One thread."""

    def __init__(self) -> None:
        # Of frames, in columns: objects would take ten times the memory.
        self._name, self._file, self._line = array("i"), array("i"), array("q")
        self._of_text = array("i")  # by string: the frame of that name; -1 = none
        self._stack = array("i")  # of all samples
        self._stack_start = array("q", [0])
        self._values: list[array[int]] = []  # by sample type
        self._strings = Strings()
        self._labels = LabelColumns()
        self._times = TimedColumns()  # of which there may be none

    @property
    def n_frames(self) -> int:
        return len(self._name)

    def add_frame(self, frame: Symbol) -> int:
        """The number of a frame, for `add`. Each call makes a location of its own."""
        self._name.append(self._strings.add(frame.name))
        self._file.append(self._strings.add(frame.file))
        self._line.append(frame.line)
        return len(self._name) - 1

    def find_named(self, name: str) -> int:
        """The number of the frame that has a name, no file and no line; each name makes one."""
        text = self._strings.add(name)
        while len(self._of_text) <= text:
            self._of_text.append(-1)
        if self._of_text[text] < 0:
            self._of_text[text] = self.add_frame(Symbol(name, "", 0))
        return self._of_text[text]

    def add(self, values: Sequence[int], stack: Iterable[int], labels: Iterable[Label] = ()) -> int:
        """A sample: a value for each type, of which all have as many; numbers of frames, leaf
        first. Returns its number. Raises ProfileError."""
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
        """Samples: (n, n_types) values, (n,) lengths of stacks, and the stacks one after the other,
        leaf first. Returns the number of the first."""
        first, n = len(self._stack_start) - 1, len(sizes)
        self._stack_start.frombytes((np.cumsum(sizes) + len(self._stack)).tobytes())
        self._stack.frombytes(stacks.reshape(-1).view(np.uint8).data)  # without a copy of them
        for column, part in zip(self._value_columns(values.shape[1]), values.T, strict=True):
            column.frombytes(np.ascontiguousarray(part).view(np.uint8).data)
        self._labels.add_to_all(first, n, labels, self._strings)
        return first

    def add_labels(self, sample: int, labels: Iterable[Label]) -> None:
        """Labels of a sample, in the order of samples, which may be added later."""
        for label in labels:
            self._labels.add(sample, label, self._strings)

    def _value_columns(self, n_types: int) -> list[array[int]]:
        if not self._values:
            self._values = [array("q") for _ in range(n_types)]
        return self._values

    def add_text(self, text: str) -> int:
        """The number of a text, for `add_labelled`."""
        return self._strings.add(text)

    def add_labelled(
        self, values: Int64s, sizes: Int64s, stacks: Int32s, keys: Sequence[str], texts: Int32s
    ) -> int:
        """As `add_many`, with a label of each key: (n, n_keys) numbers of their texts."""
        first = self.add_many(values, sizes, stacks)
        self._labels.add_texts(first, keys, texts, self._strings)
        return first

    def reserve_times(self, more: int, n_types: int) -> None:
        """Make room for so many stretches of time, which `add_times` will add."""
        self._times.reserve(more, n_types)

    def add_times(
        self, samples: Int32s, begins_ns: Int64s, ends_ns: Int64s, values: Int64s
    ) -> None:
        """Many stretches of time: (n,) each, and (n, n_types) values."""
        self._times.add_many(samples, begins_ns, ends_ns, values)

    def add_timed_rows(self, rows: TimedRows) -> None:
        """Many stretches of time in whole columns, which belong to the profile from now on."""
        self._times.add_part(rows)

    def add_time(self, sample: int, begin_ns: int, end_ns: int, values: Sequence[int]) -> None:
        """A stretch of time in which a sample was there, and which part of its values that is; the
        clock is that of all. Raises ProfileError."""
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
        rows: PreparedRows | StackRows | LabelledRows | SampleTables | None = None,
    ) -> Profile:
        """The profile; ``sample_types`` are as many as each sample has values. ``rows``: all
        samples and labels, in place of those that were added here."""
        n = len(self._name)
        texts = self._strings.take()  # before the columns are made: it gives memory back
        functions, function = _number_functions(self._name, self._file)
        locations = Locations(
            line_start=np.arange(n + 1, dtype=np.int32),
            line_function=function,
            line_number=np.array(self._line, dtype=np.int64),
            line_column=np.zeros(n, dtype=np.int64),
            address=np.zeros(n, dtype=np.uint64),
            mapping=np.full(n, -1, dtype=np.int32),
            is_folded=np.zeros(n, dtype=np.bool_),
        )
        samples, labels = self._build_samples(len(sample_types)) if rows is None else rows.build()
        times = self._times.build()
        tables = (
            _build_functions(functions),
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
        """(n_types, n_samples); afterwards there are none."""
        columns = self._value_columns(n_types)[::-1]
        self._values = []
        if n_types == 1:
            return np.frombuffer(columns.pop(), dtype=np.int64).reshape(1, -1)
        values = np.empty((n_types, len(self._stack_start) - 1), dtype=np.int64)
        for row in values:  # of what is copied, nothing is kept
            row[:] = np.frombuffer(columns.pop(), dtype=np.int64)
        return values


def _number_functions(names: array[int], files: array[int]) -> tuple[Int64s, Int32s]:
    """The different pairs of name and file, and the place of each frame's pair among them."""
    pairs = np.array(names, dtype=np.int64)
    pairs <<= 32
    pairs |= np.frombuffer(files, dtype=np.int32)
    if (pairs[1:] > pairs[:-1]).all():  # as they are where each frame is another function
        return pairs, np.arange(len(pairs), dtype=np.int32)
    functions, function = np.unique(pairs, return_inverse=True)
    return functions, function.astype(np.int32)


def _build_functions(names_and_files: Int64s) -> Functions:
    names = (names_and_files >> 32).astype(np.int32)
    return Functions(
        name=names,
        system_name=names.copy(),
        filename=(names_and_files & 0xFFFFFFFF).astype(np.int32),
        start_line=np.zeros(len(names), dtype=np.int64),
    )
