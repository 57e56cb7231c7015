"""Profiles with labels, for comparisons with ``go tool pprof``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

Label = tuple[str, str | int, str]
"""Key, value, unit."""


def write_labelled(path: Path, labels: Sequence[Sequence[Label]]) -> Path:
    """Write a sample for each row of ``labels``. Each value is one bit, so that a sum shows which
    samples are in it. Keys are repeated strings, as other writers write them."""
    message = Message(string_table=["", "n", "count", "f"])
    message.sample_type.add(type=1, unit=2)
    message.function.add(id=1, name=3)
    message.location.add(id=1).line.add(function_id=1)

    def number(text: str) -> int:
        message.string_table.append(text)
        return len(message.string_table) - 1 if text else 0

    for row, labels_of_sample in enumerate(labels):
        sample = message.sample.add(location_id=[1], value=[1 << row])
        for key, value, unit in labels_of_sample:
            if isinstance(value, str):
                sample.label.add(key=number(key), str=number(value))
            else:
                sample.label.add(key=number(key), num=value, num_unit=number(unit))
    path.write_bytes(message.SerializeToString())
    return path
