"""Stacks in the form of Go's text profiles: a row of addresses, then a line for each frame.

::

    … @ 0x100010 0x100020
    #	0x100010	app.load+0x0	app.py:12
    #	0x100020	app.main+0x0	app.py:40

Python's frames have no addresses. So each location, even in machine code, gets a made-up address,
as in the binary CPU profile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from stackglass.terminal_text import clean
from stackglass.wire.legacy_cpu import ADDRESS_STEP, FIRST_ADDRESS
from stackglass.wire.pprof import LabelSet, ProfileTables

MOST_FRAMES = 100
"""A deeper stack is printed without its middle: half of this number of frames at each end."""


def elide(frames: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield two lines for each frame, and one in place of the middle of a very deep stack."""
    n_left_out = len(frames) - MOST_FRAMES
    half = MOST_FRAMES // 2
    for i, (name, place) in enumerate(frames):
        if n_left_out > 0 and i == half:
            yield f"...{n_left_out} frames elided..."
        if n_left_out <= 0 or i < half or i >= half + n_left_out:
            yield f"{name}(...)"
            yield f"\t{place}"


class TextStacks:
    """The stacks of a profile's tables, by node. Immutable."""

    __slots__ = ("_frames", "_locations", "_parents")

    def __init__(self, tables: ProfileTables) -> None:
        self._frames = list(_describe_locations(tables))
        self._parents = memoryview(tables.node_parent.tobytes()).cast("I")
        self._locations = memoryview(tables.node_location.tobytes()).cast("I")

    def describe(self, values: str, node: int, labels: LabelSet = ()) -> list[str]:
        """Return the lines of one row: values and addresses; labels, if it has any; the frames,
        leaf first; an empty line."""
        stack = list(self._walk(node))
        addresses = " ".join(f"{_address(location):#x}" for location in stack)
        return [
            f"{values} @ {addresses}".rstrip(),
            *_describe_labels(labels),
            *(f"#\t{_address(location):#x}\t{self._frames[location]}" for location in stack),
            "",
        ]

    def list_frames(self, node: int) -> Iterator[tuple[str, str]]:
        """Yield function and ``file:line`` of each frame, leaf first."""
        for location in self._walk(node):
            name, place = self._frames[location].split("+0x0\t", 1)
            yield name, place

    def _walk(self, node: int) -> Iterator[int]:
        """Yield the locations of a stack, leaf first; node 0 is the empty stack."""
        while node:
            yield self._locations[node]
            node = self._parents[node]


def _describe_labels(labels: LabelSet) -> Iterator[str]:
    pairs = ", ".join(f"{json.dumps(key)}:{json.dumps(str(value))}" for key, value in labels)
    if pairs:
        yield f"# labels: {{{pairs}}}"


def _address(location: int) -> int:
    return FIRST_ADDRESS + location * ADDRESS_STEP


def _describe_locations(tables: ProfileTables) -> Iterator[str]:
    functions = list(tables.location_function)
    names, files = list(tables.function_name), list(tables.function_filename)
    for function, line in zip(functions, tables.location_line):
        name = clean(tables.strings[names[function]])
        file = clean(tables.strings[files[function]])
        yield f"{name}+0x0\t{file}:{line}"
