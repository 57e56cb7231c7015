"""Synthetic profiles with everything that reports treat specially.

Each value is one bit, so that a sum shows which samples are in it.
"""

from __future__ import annotations

from pathlib import Path

from stackglass_viewer.model.proto.profile_pb2 import Profile as Message

LABELS: list[list[tuple[str, str | int, str]]] = [
    [],
    [("bytes", 0, "")],  # no label: a zero without a unit
    [("bytes", 1024, "bytes"), ("route", "/a", "")],
    [("bytes", -2048, "")],
    [("wait", 0, "ms"), ("size", 3, "")],
    [("wait", 1500, ""), ("size", 3, "widgets")],
    [("route", "/a", ""), ("state", "b", ""), ("state", "a", "")],  # two values of a key
    [("route", "/b", ""), ("state", 5, "")],  # a key with texts and numbers
    [("route", "", ""), ("request", 4096, "")],
]


def write_inlined(path: Path) -> None:
    """Write inlined calls, recursion, libraries, addresses without names, labels, empty stacks."""
    files = ["/src/app//a.py", "/proc/self/cwd/b.py", "/usr/lib/lib.so"]
    names = ["", "n", "count", "a", "b", "c", "x(int)", *files, "k", "1"]
    message = Message(string_table=names)
    message.sample_type.add(type=1, unit=2)
    message.mapping.add(id=1, filename=9, memory_start=1, memory_limit=9000)
    for number, (name, file) in enumerate([(3, 7), (4, 8), (5, 7), (6, 0), (0, 8)], 1):
        message.function.add(id=number, name=name, filename=file)
    for number, lines in enumerate(
        [[1], [2], [3], [2, 1], [3, 2, 1], [4], [4, 2], [5, 2], [2, 2]], 1
    ):
        location = message.location.add(id=number, address=number, mapping_id=int(number == 6))
        for line in lines:
            location.line.add(function_id=line, line=number % 4, column=number % 3)
    message.location.add(id=10, address=10, mapping_id=1)
    message.location.add(id=11, address=11)
    stacks = [
        *([1], [2, 1], [3, 2, 1], [2, 3, 2, 1], [4], [5], [3, 4, 1], [6, 1], [7, 1], [8, 1], []),
        *([9, 1], [10, 2, 1], [11, 3, 1], [10], [11], [6, 10], [2, 10, 3], [5, 5, 7], [1, 11, 5]),
    ]
    for number, stack in enumerate(stacks):
        sample = message.sample.add(location_id=stack, value=[1 << number])
        if number % 3 == 0:
            sample.label.add(key=10, str=11)
    path.write_bytes(message.SerializeToString())


def write_labelled(path: Path) -> None:
    """Write the same with a count before each value, ``LABELS`` in turn, and a zero sample."""
    write_inlined(path)
    message = Message.FromString(path.read_bytes())

    def number(text: str) -> int:
        message.string_table.append(text)
        return len(message.string_table) - 1 if text else 0

    message.sample_type.add(type=number("space"), unit=number("bytes"))
    for row, sample in enumerate(message.sample):
        sample.value[:] = [row % 4, sample.value[0]]
        for key, value, unit in LABELS[row % len(LABELS)]:
            if isinstance(value, str):
                sample.label.add(key=number(key), str=number(value))
            else:
                sample.label.add(key=number(key), num=value, num_unit=number(unit))
    message.sample.add(location_id=[1], value=[0, 0]).label.add(
        key=number("route"), str=number("/c")
    )
    path.write_bytes(message.SerializeToString())
