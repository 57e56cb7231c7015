"""The binary CPU profile that Go wrote before pprof had a schema, and that gperftools still writes.

It consists of words in the size and byte order of the machine that wrote it::

    0  3  0  period_us  0      header
    n  d  pc1 … pcd            d frames, leaf first, seen n times; may repeat
    0  1  0                    end
    text                       the memory map

A frame is only a program counter, and Python code has none. So each location gets a made-up
address, and the text names the location's function and line, in lines that start with ``#``, which
every reader skips. The interpreter is named without its folder: a reader that found the file would
look these addresses up in it, and show names of unrelated C functions.
"""

from __future__ import annotations

import posixpath
import struct
from collections.abc import Iterator
from typing import Final

from stackglass.terminal_text import clean
from stackglass.wire.pprof import ProfileTables

FIRST_ADDRESS = 0x10_0000
ADDRESS_STEP = 16
_WORD: Final = "Q"
_NS_PER_US = 1000


def encode(tables: ProfileTables, word: str = "<" + _WORD) -> bytes:
    """Return a CPU profile in little-endian 64-bit words, or in words of the struct format
    ``word``.

    The first sample type must count samples. The period becomes whole microseconds, at least 1.
    """
    period_us = max(tables.period // _NS_PER_US, 1)
    words = [0, 3, 0, period_us, 0]
    counts = memoryview(tables.sample_values[0].tobytes()).cast(_WORD)
    nodes = memoryview(tables.sample_node.tobytes()).cast("I")
    parents = memoryview(tables.node_parent.tobytes()).cast("I")
    locations = memoryview(tables.node_location.tobytes()).cast("I")
    for node, count in zip(nodes, counts):
        # Readers subtract 1 from every address but the leaf's, because a return address is that
        # of the instruction after the call.
        addresses = [
            _address(location) + (depth > 0)
            for depth, location in enumerate(_walk(node, parents, locations))
        ]
        if count and addresses:
            words += [count, len(addresses), *addresses]
    words += [0, 1, 0]
    return struct.pack(f"{word[0]}{len(words)}{word[1]}", *words) + _describe(tables).encode()


def _walk(node: int, parents: memoryview, locations: memoryview) -> Iterator[int]:
    """Yield the locations of a stack, leaf first; node 0 is the empty stack."""
    while node:
        yield locations[node]
        node = parents[node]


def _address(location: int) -> int:
    return FIRST_ADDRESS + location * ADDRESS_STEP


def _describe(tables: ProfileTables) -> str:
    functions = list(tables.location_function)
    names, files = list(tables.function_name), list(tables.function_filename)
    end = _address(len(functions)) + ADDRESS_STEP
    executable = clean(posixpath.basename(tables.executable)) or "python"
    lines = [f"{FIRST_ADDRESS:08x}-{end:08x} r-xp 00000000 00:00 1 {executable}"]
    for location, (function, line) in enumerate(zip(functions, tables.location_line)):
        name = clean(tables.strings[names[function]])
        file = clean(tables.strings[files[function]])
        lines.append(f"#\t{_address(location):#x}\t{name}\t{file}:{line}")
    return "\n".join(lines) + "\n"
