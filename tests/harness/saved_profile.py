"""Pprof files as plain rows, decoded by protobuf."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

from stackglass_viewer.model.proto import profile_pb2


class Row(NamedTuple):
    """One sample: function names root first, labels (text or number), values."""

    stack: list[str]
    labels: dict[str, str]
    numbers: dict[str, int]
    values: list[int]


class SavedProfile:
    """Content of a file. By default, values are samples and CPU nanoseconds, as from ``record``."""

    def __init__(self, content: bytes) -> None:
        self.message = profile_pb2.Profile.FromString(gzip.decompress(content))
        texts = self.message.string_table
        names = {function.id: texts[function.name] for function in self.message.function}
        lines = {
            location.id: [names[line.function_id] for line in location.line]
            for location in self.message.location
        }
        self.rows = [
            Row(
                [name for location in reversed(sample.location_id) for name in lines[location]],
                {texts[label.key]: texts[label.str] for label in sample.label if label.str},
                {texts[label.key]: label.num for label in sample.label if label.num},
                list(sample.value),
            )
            for sample in self.message.sample
        ]

    @classmethod
    def read(cls, path: Path) -> SavedProfile:
        return cls(path.read_bytes())

    @property
    def sample_types(self) -> list[str]:
        """Type and unit of each value: ``inuse_space/bytes``."""
        texts = self.message.string_table
        return [f"{texts[kind.type]}/{texts[kind.unit]}" for kind in self.message.sample_type]

    @property
    def default_type(self) -> str:
        return str(self.message.string_table[self.message.default_sample_type])

    @property
    def comments(self) -> list[str]:
        return [self.message.string_table[comment] for comment in self.message.comment]

    def sum_heap(self, function: str = "") -> tuple[int, ...]:
        """Sum the four values of a heap profile over the stacks that contain a function."""
        found = [
            row.values
            for row in self.rows
            if not function or any(name.rpartition(".")[2] == function for name in row.stack)
        ]
        return tuple(map(sum, zip(*found, strict=True))) if found else (0, 0, 0, 0)

    @property
    def n_samples(self) -> int:
        return sum(row.values[0] for row in self.rows)

    @property
    def cpu_ns(self) -> int:
        return sum(row.values[1] for row in self.rows)

    def cum_ns(self, function: str) -> int:
        """Sum CPU time over the stacks that contain a function, given the last part of its name."""
        return sum(
            row.values[1]
            for row in self.rows
            if any(name.rpartition(".")[2] == function for name in row.stack)
        )
