"""Profile of stacks of addresses, as all formats before protobuf have them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import (
    Functions,
    Labels,
    Locations,
    Mappings,
    Profile,
    Samples,
    SampleType,
)
from stackglass_viewer.model.profile.sample_types import choose_default
from stackglass_viewer.model.readers import process_maps

_MAX_VALUE = 2**63 - 1


class Symbol(NamedTuple):
    """A line of a program. "" and 0 = unknown."""

    name: str
    file: str
    line: int


class Label(NamedTuple):
    """A label of a sample: a text, or with ``text`` None a number."""

    key: str
    text: str | None
    number: int = 0


class AddressSamples:
    """Samples while they are read. One thread."""

    def __init__(self, sample_types: Sequence[SampleType]) -> None:
        self.sample_types = tuple(sample_types)
        self._addresses = array("Q")  # of all stacks
        self._stack_start = array("q", [0])
        self._values = array("q")
        self._strings = _Strings()
        self._labels = _LabelColumns()

    def add(
        self, values: Sequence[int], addresses: Iterable[int], labels: Iterable[Label] = ()
    ) -> None:
        """A sample: a value for each type, addresses of calls up to 64 bits, leaf first.

        Raises ProfileError.
        """
        for value in values:
            if not -_MAX_VALUE <= value <= _MAX_VALUE:
                raise ProfileError(f"it has a value that 63 bits cannot hold: {value}")
        self._addresses.extend(addresses)
        sample = len(self._stack_start) - 1
        self._stack_start.append(len(self._addresses))
        self._values.extend(values)
        for label in labels:
            self._labels.add(sample, label, self._strings)

    def build(
        self,
        mappings: list[process_maps.Mapping],
        symbols: Mapping[int, Sequence[Symbol]],
        period_type: SampleType,
        period: int,
        duration_ns: int = 0,
        warnings: tuple[str, ...] = (),
    ) -> Profile:
        """The profile. ``symbols``: the lines at an address, the innermost inlined one first."""
        strings = self._strings
        every = np.frombuffer(self._addresses, dtype=np.uint64)
        addresses, stack = np.unique(every, return_inverse=True)
        n = len(addresses)
        lines = (
            [symbols.get(address, ()) for address in map(int, addresses)] if symbols else [()] * n
        )
        functions = _number_functions(lines)
        flat = [line for each in lines for line in each]
        places = process_maps.place_addresses(map(int, addresses), mappings)
        locations = Locations(
            line_start=_offsets(map(len, lines)).astype(np.int32),
            line_function=np.array([functions[s.name, s.file] for s in flat], dtype=np.int32),
            line_number=np.array([s.line for s in flat], dtype=np.int64),
            line_column=np.zeros(len(flat), dtype=np.int64),
            address=addresses,
            mapping=np.fromiter(places, dtype=np.int32, count=n),
            is_folded=np.zeros(n, dtype=np.bool_),
        )
        n_types = len(self.sample_types)
        values = np.array(self._values, dtype=np.int64).reshape(-1, n_types)
        samples = Samples(
            stack_start=np.array(self._stack_start, dtype=np.int64),
            stack=stack.astype(np.int32),
            values=np.ascontiguousarray(values.T),
        )
        tables = (
            _build_functions(functions, strings),
            locations,
            _build_mappings(mappings, strings),
            samples,
            self._labels.build(),
        )
        for table in tables:
            freeze(*(getattr(table, name) for name in table.__slots__))
        return Profile(
            tuple(strings.position),
            *tables,
            sample_types=self.sample_types,
            default_type=choose_default(self.sample_types, ""),
            period_type=period_type,
            period=period,
            duration_ns=duration_ns,
            warnings=warnings,
        )


class _Strings:
    """The string table while it grows; string 0 is empty."""

    def __init__(self) -> None:
        self.position = {"": 0}

    def add(self, text: str) -> int:
        return self.position.setdefault(text, len(self.position))

    def column(self, texts: Iterable[str]) -> Int32s:
        return np.array([self.add(text) for text in texts], dtype=np.int32)


class _LabelColumns:
    """The labels while they are read, in columns: objects would take ten times the memory."""

    def __init__(self) -> None:
        self._sample = array("i")
        self._key = array("i")
        self._text = array("i")
        self._number = array("q")

    def add(self, sample: int, label: Label, strings: _Strings) -> None:
        self._sample.append(sample)
        self._key.append(strings.add(label.key))
        self._text.append(-1 if label.text is None else strings.add(label.text))
        self._number.append(label.number)

    def build(self) -> Labels:
        return Labels(
            sample=np.array(self._sample, dtype=np.int32),
            key=np.array(self._key, dtype=np.int32),
            text=np.array(self._text, dtype=np.int32),
            number=np.array(self._number, dtype=np.int64),
            unit=np.zeros(len(self._sample), dtype=np.int32),
        )


def _offsets(sizes: Iterable[int]) -> Int64s:
    return np.concatenate(([0], np.cumsum([*sizes], dtype=np.int64))).astype(np.int64)


def _number_functions(lines: Iterable[Sequence[Symbol]]) -> dict[tuple[str, str], int]:
    functions: dict[tuple[str, str], int] = {}
    for each in lines:
        for symbol in each:
            functions.setdefault((symbol.name, symbol.file), len(functions))
    return functions


def _build_functions(functions: dict[tuple[str, str], int], strings: _Strings) -> Functions:
    names = strings.column(name for name, _ in functions)
    return Functions(
        name=names,
        system_name=names.copy(),
        filename=strings.column(file for _, file in functions),
        start_line=np.zeros(len(functions), dtype=np.int64),
    )


def _build_mappings(mappings: list[process_maps.Mapping], strings: _Strings) -> Mappings:
    return Mappings(
        filename=strings.column(mapping.file for mapping in mappings),
        build_id=strings.column(mapping.build_id for mapping in mappings),
        start=np.array([mapping.start for mapping in mappings], dtype=np.uint64),
        limit=np.array([mapping.limit for mapping in mappings], dtype=np.uint64),
        offset=np.array([mapping.offset for mapping in mappings], dtype=np.uint64),
        flags=np.zeros(len(mappings), dtype=np.int32),
    )
