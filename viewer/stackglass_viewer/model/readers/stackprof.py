"""Reader of Ruby's stackprof in JSON (``stackprof --json``), recorded with ``raw: true``.

::

    frames   {"7032": {"name": "Object#work", "file": "app.rb", "line": 3, …}, …}
    raw      2  7032  7048  5    1  7032  1        frames of a stack, root first, and how often
    raw_timestamp_deltas   1010 998 …              µs before each sample

In the mode ``wall``, a sample's time is its delta; in the mode ``cpu`` it is the interval, because
the deltas include waits. A sample in the mode ``object`` stands for ``interval`` allocations.
"""

from __future__ import annotations

from array import array

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.json_damage import DAMAGE, explain_damage
from stackglass_viewer.model.readers.json_pieces import JsonPart, open_document
from stackglass_viewer.model.readers.sample_columns import Symbol, round_values
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_SAMPLES = SampleType("samples", "count")
_NS_PER_US = 1000
_NO_STACKS = "it is a profile of stackprof without stacks"
_REMEDY = "record it with StackProf.run(raw: true)"


def read_stackprof(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, and what ``progress`` raises."""
    try:
        return _read(open_document(content, progress).find_members())
    except DAMAGE as error:
        raise ContentError(explain_damage("a profile of stackprof", error)) from None


def _read(document: dict[str, JsonPart]) -> Profile:
    if "raw" not in document:
        raise ContentError(_NO_STACKS, _REMEDY)
    mode, interval = str(document["mode"].load()), document["interval"].load() or 1
    samples = FrameSamples()
    ids = _read_frames(document["frames"], samples)
    raw = document["raw"].read_rows()
    starts, ends = _find_stacks(raw)
    sizes, counts = ends - starts, raw[ends]
    is_frame = np.repeat(np.arange(len(starts)), sizes)
    places = starts[is_frame] + (np.cumsum(sizes) - 1)[is_frame] - np.arange(len(is_frame))
    stacks = _find_frames(ids, raw[places])  # leaf first
    deltas = (
        document["raw_timestamp_deltas"].read_floats()
        if mode == "wall" and ("raw_timestamp_deltas" in document)
        else None
    )
    types, values = _list_values(mode, float(interval), counts, deltas)
    samples.add_many(np.stack(values, axis=1), sizes, stacks)
    total_us = float(interval) * int(counts.sum()) if deltas is None else float(deltas.sum())
    is_clock = mode in ("wall", "cpu")
    return samples.build(
        types,
        duration_ns=int(round_values(np.array([total_us]), _NS_PER_US)[0]) if is_clock else 0,
        comments=(f"stackprof: {mode}",),
    )


def _read_frames(part: JsonPart, samples: FrameSamples) -> Int64s:
    """Add the frames to ``samples`` and return their (n_frames,) ids."""
    ids = array("q")
    for key, frame in part.list_many_members():
        line = frame.get("line") or 0
        ids.append(int(key))
        samples.add_frame(
            Symbol(
                str(frame.get("name") or "(unknown)"),
                str(frame.get("file") or ""),
                line if isinstance(line, int) and 0 < line < 2**31 else 0,
            )
        )
    return np.array(ids, dtype=np.int64)


def _find_stacks(raw: Int64s) -> tuple[Int64s, Int64s]:
    """Return where the frames of each stack begin, and where its count is. Raises ValueError."""
    starts, ends = array("q"), array("q")
    at = 0
    while at < len(raw):
        n_frames = raw.item(at)
        end = at + 1 + n_frames
        if n_frames < 0 or end >= len(raw):
            raise ValueError(f"a stack of {n_frames} frames at number {at}")
        starts.append(at + 1)
        ends.append(end)
        at = end + 1
    return np.array(starts, dtype=np.int64), np.array(ends, dtype=np.int64)


def _find_frames(ids: Int64s, wanted: Int64s) -> Int32s:
    """Return the numbers of the frames with the ids ``wanted``. Raises KeyError or ValueError."""
    order = np.argsort(ids, kind="stable")
    if not len(ids) and len(wanted):
        raise KeyError(int(wanted[0]))
    found = np.searchsorted(ids[order], wanted).clip(max=max(len(ids) - 1, 0))
    number = order[found].astype(np.int32) if len(wanted) else np.zeros(0, dtype=np.int32)
    is_other = ids[number] != wanted
    if is_other.any():
        raise ValueError(f"there is no frame {wanted[is_other][0]}")
    return number


def _list_values(
    mode: str, interval: float, counts: Int64s, deltas: Float64s | None
) -> tuple[list[SampleType], list[Int64s]]:
    """Return the sample types, and for each type the values of all stacks."""
    if int(counts.min(initial=0)) < 0:
        raise ValueError("a count below 0")
    if mode == "object":
        return [SampleType("objects", "count")], [round_values(counts.astype(np.float64), interval)]
    if mode not in ("wall", "cpu"):
        return [_SAMPLES], [counts]
    times_us = counts * interval
    if deltas is not None:
        ends = np.cumsum(counts)
        if int(ends[-1] if len(ends) else 0) != len(deltas):
            raise ValueError("it has more or fewer times than samples")
        sums = np.concatenate(([0.0], np.cumsum(deltas)))
        times_us = sums[ends] - sums[ends - counts]
    times = round_values(times_us.astype(np.float64), _NS_PER_US)
    return [_SAMPLES, SampleType("time", "nanoseconds")], [counts, times]
