"""Builder of profiles whose stacks are addresses, as in all of pprof's formats before protobuf."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.profile.profile import (
    Functions,
    Locations,
    Mappings,
    Profile,
    Samples,
    SampleType,
)
from stackglass_viewer.model.profile.sample_types import choose_default
from stackglass_viewer.model.readers import process_maps
from stackglass_viewer.model.readers.address_names import AddressLines, AddressNames
from stackglass_viewer.model.readers.address_rows import NumberedAddresses, number_addresses
from stackglass_viewer.model.readers.sample_columns import (
    Label,
    LabelColumns,
    Strings,
    check_values,
)
from stackglass_viewer.model.readers.text_pieces import list_rows


class _Columns(NamedTuple):
    """Columns of samples."""

    calls: NumberedAddresses  # the addresses of all stacks
    ends: Int64s  # (n_samples,) where each stack ends in `calls`
    values: Int64s  # (n_samples * n_types,) sample by sample


class AddressSamples:
    """Collects samples while a file is read, and builds the profile. Used by one thread."""

    def __init__(self, sample_types: Sequence[SampleType]) -> None:
        self.sample_types = tuple(sample_types)
        self._addresses = array("Q")  # of all stacks
        self._stack_start = array("q", [0])
        self._values = array("q")
        self._first_rows: _Columns | None = None  # copied only when other samples follow
        self._strings = Strings()
        self._labels = LabelColumns()

    def add(
        self, values: Sequence[int], addresses: Iterable[int], labels: Iterable[Label] = ()
    ) -> None:
        """Add a sample: a value for each type, and 64-bit addresses of calls, leaf first.

        Raises ContentError.
        """
        check_values(values)
        self._copy_first_rows()
        self._addresses.extend(addresses)
        sample = len(self._stack_start) - 1
        self._stack_start.append(len(self._addresses))
        self._values.extend(values)
        for label in labels:
            self._labels.add(sample, label, self._strings)

    def add_rows(
        self,
        values: Int64s,
        calls: NumberedAddresses,
        ends: Int64s,
        labels: Iterable[tuple[int, Sequence[Label]]] = (),
        numbers: tuple[str, Int64s] | None = None,
    ) -> None:
        """Add many samples.

        ``values``: (n, n_types); ``calls``: the calls of all samples; ``ends``: (n,) where each
        sample's calls end; ``labels``: pairs of a sample's place and its labels, ascending;
        ``numbers``: a key and (n,) numbers, a numeric label that every sample has.
        """
        self._copy_first_rows()
        first = len(self._stack_start) - 1
        rows = _Columns(calls, ends, np.ascontiguousarray(values).reshape(-1))
        if first == 0:
            self._first_rows = rows
        else:
            self._append(rows)
        # Labels must come in the order of samples: a sample's text labels before its number, and
        # both before those of the next sample.
        n_numbered = 0  # samples that have their number
        for place, of_sample in labels:
            if numbers:
                self._add_numbers(first, *numbers, n_numbered, place)
            for label in of_sample:
                self._labels.add(first + place, label, self._strings)
            n_numbered = place
        if numbers:
            self._add_numbers(first, *numbers, n_numbered, len(values))

    def _copy_first_rows(self) -> None:
        """Copy the first rows into the growing columns."""
        if self._first_rows:
            self._append(self._first_rows)
            self._first_rows = None

    def _append(self, rows: _Columns) -> None:
        self._stack_start.frombytes((rows.ends + len(self._addresses)).view(np.uint8).data)
        self._addresses.frombytes(rows.calls.expand().view(np.uint8).data)
        self._values.frombytes(rows.values.view(np.uint8).data)

    def _list_columns(self) -> _Columns:
        """Return the columns of all samples; here ``ends`` begins with 0."""
        if rows := self._first_rows:
            return rows._replace(ends=np.concatenate([np.zeros(1, dtype=np.int64), rows.ends]))
        return _Columns(
            number_addresses(np.frombuffer(self._addresses, dtype=np.uint64)),
            np.array(self._stack_start, dtype=np.int64),
            np.array(self._values, dtype=np.int64),
        )

    def _add_numbers(self, first: int, key: str, numbers: Int64s, begin: int, end: int) -> None:
        if begin < end:
            self._labels.add_numbers(first + begin, key, numbers[begin:end], self._strings)

    def build(
        self,
        mappings: list[process_maps.MappedFile],
        names: AddressNames | None,
        period_type: SampleType,
        period: int,
        duration_ns: int = 0,
        warnings: tuple[str, ...] = (),
    ) -> Profile:
        """Build the profile. ``names``: None = the file has none. Raises ContentError for a period
        or duration that 63 bits cannot hold."""
        check_values((period, duration_ns))
        strings = self._strings
        columns = self._list_columns()
        addresses, stack = columns.calls
        n = len(addresses)
        lines = (names or AddressNames()).find(addresses)
        functions, of_lines = _build_functions(lines, names, strings)
        places = process_maps.place_addresses(addresses, mappings)
        locations = Locations(
            line_start=lines.start.astype(np.int32),
            line_function=of_lines,
            line_number=lines.line,
            line_column=np.zeros(len(of_lines), dtype=np.int64),
            address=addresses,
            mapping=places,
            is_folded=np.zeros(n, dtype=np.bool_),
        )
        n_types = len(self.sample_types)
        values = columns.values.reshape(-1, n_types)
        samples = Samples(
            stack_start=columns.ends,
            stack=stack,
            values=np.ascontiguousarray(values.T),
        )
        tables = (
            functions,
            locations,
            _build_mappings(mappings, strings),
            samples,
            self._labels.build(),
        )
        for table in tables:
            freeze(*(getattr(table, name) for name in table.__slots__))
        return Profile(
            strings.take(),
            *tables,
            sample_types=self.sample_types,
            default_type=choose_default(self.sample_types, ""),
            period_type=period_type,
            period=period,
            duration_ns=duration_ns,
            warnings=warnings,
        )


def _build_functions(
    lines: AddressLines, names: AddressNames | None, strings: Strings
) -> tuple[Functions, Int32s]:
    """Return the table of the different pairs of a line's name and file, in the order of their
    first use, and (n_lines,) the place of each line's pair in it."""
    pairs = lines.name.astype(np.int64) << 32 | lines.file
    different, of_lines = number_addresses(pairs.view(np.uint64))
    texts = names.texts if names else ()
    name, file = (
        strings.column(texts[number] for (number,) in list_rows(column))
        for column in (different >> np.uint64(32), different & np.uint64(0xFFFFFFFF))
    )
    return Functions(name, name, file, np.zeros(len(name), dtype=np.int64)), of_lines


def _build_mappings(mappings: list[process_maps.MappedFile], strings: Strings) -> Mappings:
    return Mappings(
        filename=strings.column(mapping.file for mapping in mappings),
        build_id=strings.column(mapping.build_id for mapping in mappings),
        start=np.array([mapping.start for mapping in mappings], dtype=np.uint64),
        limit=np.array([mapping.limit for mapping in mappings], dtype=np.uint64),
        offset=np.array([mapping.offset for mapping in mappings], dtype=np.uint64),
        flags=np.zeros(len(mappings), dtype=np.int32),
    )
