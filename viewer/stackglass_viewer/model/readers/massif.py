"""Reader of massif's format: the heap of a program at its peak.

::

    snapshot=3
    mem_heap_B=8000           a detailed snapshot has a tree of these bytes, from the allocation …
    mem_heap_extra_B=16
    heap_tree=peak
    n2: 8000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
     n0: 4000 0x1091F9: main (app.c:9)
     n1: 4000 0x4892DBC: qsort_r (msort.c:221)
      n0: 4000 0x109250: main (app.c:9)                              … to its callers

Bytes of the allocator and of the stacks have no callers; they become the frames
``<heap administration>`` and ``<stacks>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    ignore_progress,
    list_lines,
)

_TYPES = (SampleType("inuse_space", "bytes"),)
_NODE = re.compile(r"( *)n(\d{1,9}): (\d{1,19}) (.*)")
_PLACED = re.compile(r"0x[0-9A-Fa-f]+: (.+?)(?: \((?:in )?([^()]*?)(?::(\d{1,9}))?\))?")
_BELOW = re.compile(r"in (\d+ places?), .*below massif's threshold.*")
_SIZES = re.compile(r"(mem_heap_B|mem_heap_extra_B|mem_stacks_B|snapshot|time)=(\d{1,19})")
_EXTRA = {"mem_heap_extra_B": "<heap administration>", "mem_stacks_B": "<stacks>"}
_DEEPEST = 4096

_Line = tuple[int, str]  # number, from 1, and text of a line


@dataclass
class _Snapshot:
    """A snapshot with its tree."""

    first_line: int
    sizes: dict[str, int] = field(default_factory=dict)
    is_peak: bool = False
    samples: FrameSamples = field(default_factory=lambda: FrameSamples())

    @property
    def n_bytes(self) -> int:
        return sum(self.sizes.get(key, 0) for key in ("mem_heap_B", *_EXTRA))


def read_massif(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ProfileError, with the line that cannot be read."""
    lines = (
        (number, line.decode(errors="replace"))
        for number, line in enumerate(list_lines(content, progress), 1)
    )
    best: _Snapshot | None = None
    n_snapshots = 0
    heads: dict[str, str] = {}
    snapshot = _Snapshot(0)
    for number, line in lines:
        if line.startswith("#") or not line.strip():
            continue
        if found := _SIZES.fullmatch(line):
            if found[1] == "snapshot":
                n_snapshots += 1
                snapshot = _Snapshot(number)
            snapshot.sizes[found[1]] = int(found[2])
        elif line.startswith("heap_tree="):
            if line != "heap_tree=empty":
                _read_tree(snapshot, line.partition("=")[2], lines, number)
                best = _choose(best, snapshot)
        elif n_snapshots == 0 and ": " in line:
            key, _, text = line.partition(": ")
            heads[key] = text
        else:
            raise ProfileError(f"line {number} is not of massif's format: {line[:60]!r}")
    if best is None:
        raise ProfileError("it has no detailed snapshot, so there is nothing to show")
    return _build(best, n_snapshots, heads)


def _choose(best: _Snapshot | None, other: _Snapshot) -> _Snapshot:
    """Return the peak, or if no snapshot is marked as the peak, the largest one."""
    if best is None or (other.is_peak, other.n_bytes) > (best.is_peak, best.n_bytes):
        return other
    return best


def _read_tree(snapshot: _Snapshot, kind: str, lines: Iterator[_Line], at: int) -> None:
    """Read the lines of a tree. Each line says how many children follow it."""
    if kind not in ("detailed", "peak"):
        raise ProfileError(f"line {at} is not of massif's format: {kind[:60]!r}")
    snapshot.is_peak = kind == "peak"
    left = [1]  # by depth, the number of children still to come
    path: list[int] = []  # frames from the allocation on, after an item for the tree's root
    own: list[int] = []
    places: dict[str, int] = {"": 0}
    while left:
        if left[-1] == 0:
            left.pop()
            if path:
                n_bytes = own.pop()
                if n_bytes:
                    snapshot.samples.add([n_bytes], path[1:])
                path.pop()
            continue
        number, line = next(lines, (0, ""))
        found = _NODE.fullmatch(line)
        if number == 0:
            raise ProfileError("it is truncated: it ends within the tree of a snapshot")
        if found is None or len(found[1]) != len(path):
            raise ProfileError(f"line {number} is not a node of the tree above: {line[:60]!r}")
        left[-1] -= 1
        n_bytes = int(found[3])
        if own:
            own[-1] -= n_bytes
            if own[-1] < 0:
                raise ProfileError(f"line {number} has more than the node above: {line[:60]!r}")
        if len(path) > _DEEPEST:
            raise ProfileError(f"line {number} is of a stack of more than {_DEEPEST} frames")
        name = found[4] if path else ""
        if name not in places:
            places[name] = snapshot.samples.add_frame(_parse_frame(name))
        path.append(places[name])
        own.append(n_bytes)
        left.append(int(found[2]))


def _build(snapshot: _Snapshot, n_snapshots: int, heads: dict[str, str]) -> Profile:
    samples = snapshot.samples
    for key, name in _EXTRA.items():
        if n_bytes := snapshot.sizes.get(key, 0):
            samples.add([n_bytes], [samples.add_frame(Symbol(name, "", 0))])
    peak = ", the peak," if snapshot.is_peak else ""
    unit = heads.get("time_unit", "")
    moment = (
        f"snapshot {snapshot.sizes.get('snapshot', 0)} of {n_snapshots}{peak} "
        f"at {snapshot.sizes.get('time', 0)} {unit}"
    )
    command = heads.get("cmd", "")
    return samples.build(_TYPES, comments=(*([command] if command else []), moment.strip()))


def _parse_frame(text: str) -> Symbol:
    if below := _BELOW.fullmatch(text):
        return Symbol(f"<{below[1]} below the threshold>", "", 0)
    if found := _PLACED.fullmatch(text):
        return Symbol(found[1], found[2] or "", int(found[3] or 0))
    return Symbol(text, "", 0)
