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
``<heap administration>`` and ``<stacks>``. A loop in C reads the trees.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_pieces import LineReader, list_texts, number_texts
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, warn_of_cut
from stackglass_viewer.native import _loops

_TYPES = (SampleType("inuse_space", "bytes"),)
_PLACED = re.compile(r"0x[0-9A-Fa-f]+: (.+?)(?: \((?:in )?([^()]*?)(?::(\d{1,9}))?\))?")
_BELOW = re.compile(r"in (\d+ places?), .*below massif's threshold.*")
_SIZES = re.compile(r"(mem_heap_B|mem_heap_extra_B|mem_stacks_B|snapshot|time)=(\d{1,19})")
_EXTRA = {"mem_heap_extra_B": "<heap administration>", "mem_stacks_B": "<stacks>"}
_RULE = b"\n#-----------\n"
_FAULTS = (  # by enum sg_massif_fault
    "",
    "it is truncated: it ends within the tree of a snapshot",
    "line {number} is not a node of the tree above: {line}",
    "line {number} has more than the node above: {line}",
    "line {number} is of a stack of more than 4096 frames",
    "it has a value that 63 bits cannot hold: {value}",
    "it has a line of {value} bytes",
)


@dataclass
class _Snapshot:
    """A snapshot with its tree."""

    sizes: dict[str, int] = field(default_factory=dict)
    is_peak: bool = False
    is_whole: bool = True
    tree: dict[str, Any] = field(default_factory=dict)  # columns of `read_massif_tree`

    @property
    def n_bytes(self) -> int:
        return sum(self.sizes.get(key, 0) for key in ("mem_heap_B", *_EXTRA))


def read_massif(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, with the line that cannot be read."""
    lines = LineReader(content, progress)
    best: _Snapshot | None = None
    n_snapshots = 0
    heads: dict[str, str] = {}
    snapshot = _Snapshot()
    while taken := lines.take_line():
        number, text = taken
        line = text.decode(errors="replace")
        if line.startswith("#") or not line.strip():
            continue
        if found := _SIZES.fullmatch(line):
            if found[1] == "snapshot":
                n_snapshots += 1
                snapshot = _Snapshot(is_whole=False)
            snapshot.sizes[found[1]] = int(found[2])
        elif line.startswith("heap_tree="):
            snapshot.is_whole = True
            if line != "heap_tree=empty":
                snapshot = _read_tree(snapshot, line.partition("=")[2], lines, number)
                best = _choose(best, snapshot)
        elif n_snapshots == 0 and ": " in line:
            key, _, text_of_key = line.partition(": ")
            heads[key] = text_of_key
        else:
            raise ContentError(f"line {number} is not of massif's format: {line[:60]!r}")
    if not snapshot.is_whole:
        raise ContentError("it is truncated: it ends within a snapshot")
    if best is None:
        raise ContentError("it has no detailed snapshot, so there is nothing to show")
    return _build(content, best, n_snapshots, heads)


def _choose(best: _Snapshot | None, other: _Snapshot) -> _Snapshot:
    """Return the peak, or if no snapshot is marked as the peak, the largest one."""
    if best is None or (other.is_peak, other.n_bytes) > (best.is_peak, best.n_bytes):
        return other
    return best


def _read_tree(snapshot: _Snapshot, kind: str, lines: LineReader, at: int) -> _Snapshot:
    """Return the snapshot with its tree, which is read from the next lines."""
    if kind not in ("detailed", "peak"):
        raise ContentError(f"line {at} is not of massif's format: {kind[:60]!r}")
    tree = lines.run(_loops.read_massif_tree)
    fault, value = tree.pop("fault")
    if fault:
        number, text = lines.take_line() or (0, b"")
        raise ContentError(
            _FAULTS[fault].format(
                number=number, line=repr(text.decode(errors="replace")[:60]), value=value
            )
        )
    return replace(snapshot, is_peak=kind == "peak", tree=tree)


def _build(
    content: bytes | bytearray, snapshot: _Snapshot, n_snapshots: int, heads: dict[str, str]
) -> Profile:
    samples, tree = FrameSamples(), snapshot.tree
    texts = list_texts(content, tree["frame_start"], tree["frame_length"])
    frames = number_texts(texts, lambda text: samples.add_frame(_parse_frame(text)))
    stack = np.asarray(tree["stack"])
    if samples.n_frames < len(frames):
        stack = frames[stack]
    sizes = np.diff(np.asarray(tree["stack_start"]))
    samples.add_many(np.asarray(tree["value"]).reshape(-1, 1), sizes, stack)
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
    return samples.build(
        _TYPES,
        comments=(*([command] if command else []), moment.strip()),
        warnings=_warn_of_end(content),
    )


def _warn_of_end(content: bytes | bytearray) -> tuple[str, ...]:
    """Return a warning if the last line has no end, or is the rule above a snapshot."""
    if content.endswith(_RULE):
        return ("it ends before a snapshot: is it whole?",)
    return warn_of_cut(content)


def _parse_frame(text: str) -> Symbol:
    if below := _BELOW.fullmatch(text):
        return Symbol(f"<{below[1]} below the threshold>", "", 0)
    if found := _PLACED.fullmatch(text):
        return Symbol(found[1], found[2] or "", int(found[3] or 0))
    return Symbol(text, "", 0)
