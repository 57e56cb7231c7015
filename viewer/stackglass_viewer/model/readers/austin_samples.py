"""Builder of profiles from Austin's samples, text or binary. Equal stacks of a thread are one row.

A sample has the time since the sample before it, but no timestamp. Austin samples all threads in
rounds: a thread that is seen again begins the next round, and a round takes as long as the longest
time of its samples.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.profile.profile import Labels, Profile, Samples, SampleType
from stackglass_viewer.model.profile.sample_times import TimedRows, repeat_number
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.prepared_rows import SampleTables
from stackglass_viewer.model.readers.sample_columns import Symbol, check_values

_SAMPLES = SampleType("samples", "count")
_MEMORY = SampleType("memory", "bytes")
_CPU = SampleType("cpu", "nanoseconds")
_WALL = SampleType("wall", "nanoseconds")
_TYPES = {
    "wall": (_SAMPLES, _WALL),
    "cpu": (_SAMPLES, _CPU),
    "memory": (_SAMPLES, _MEMORY),
    "full": (_SAMPLES, _MEMORY, _CPU, _WALL),
}
_SUMS = (_SAMPLES, _MEMORY, _CPU, _WALL)
_NS_PER_US = 1000
INVALID = Symbol("<invalid>", "", 0)
COLLECTOR = Symbol("<gc>", "", 0)
_FREE_FRAMES = 1_000_000  # limit for the frames of all different stacks, with _FRAMES_PER_BYTE
_FRAMES_PER_BYTE = 1
_FREE_TIMES, _BYTES_PER_TIME = 1_000_000, 16  # see `limit_times`
_MOST_US = (2**63 - 1) // _NS_PER_US
_MOST_DIGITS = 15  # of a duration in µs: in ns it has 63 bits
_LABELS = ("process", "thread")


def limit_times(n_bytes: int) -> int:
    """Return the most samples whose times are kept, for a file of ``n_bytes``. If there are more
    samples, no times are kept."""
    return _FREE_TIMES + n_bytes // _BYTES_PER_TIME


class AustinRows(NamedTuple):
    """Columns of the different stacks of threads."""

    threads: Iterable[tuple[str, str]]  # process and thread
    thread: Int32s  # (n,) place in `threads`
    stack_start: Int64s  # (n + 1,) where the row's stack begins in `stack`
    stack: Int32s  # frames of all stacks, leaf first
    sums: Int64s  # (n, 4) samples, memory in bytes, CPU time and time in ns


class SampleTimings(NamedTuple):
    """Columns of all samples in their order."""

    timed_row: Int32s  # (n,) row of `AustinRows`
    begin_us: Int64s  # (n,) begin of the sample's round
    time_us: Int64s  # (n,)
    memory_bytes: Int64s  # (n,)
    is_idle: Int32s | Int64s  # (n,) 0 or 1


def build_profile(
    samples: FrameSamples,
    rows: AustinRows,
    timings: SampleTimings,
    metadata: dict[str, str],
    warnings: tuple[str, ...] = (),
) -> Profile:
    """Build the profile. ``samples`` has the frames. Raises ValueError for an unknown mode,
    ContentError."""
    mode = metadata.get("mode", "wall")
    if mode not in _TYPES:
        raise ValueError(f"unknown mode {mode[:20]!r}")
    types = _TYPES[mode]
    tables = _build_tables(samples, rows, [_SUMS.index(each) for each in types])
    del rows  # frees columns: for short lines, those that stay take most of the memory
    if _WALL in types or _CPU in types:
        samples.add_timed_rows(_time_rows(timings, types))
    del timings
    remarks = [f"{key}: {metadata[key]}" for key in ("austin", "python") if key in metadata]
    return samples.build(
        types,
        duration_ns=_read_duration(metadata.get("duration", "")),
        comments=tuple(remarks),
        warnings=warnings,
        rows=tables,
    )


def _read_duration(text: str) -> int:
    """Return the nanoseconds of a number of microseconds; 0 = it is none, or has too many
    digits."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) * _NS_PER_US if is_number else 0


def _build_tables(samples: FrameSamples, rows: AustinRows, sums: list[int]) -> SampleTables:
    """Return the tables of samples and labels; the values are these ``sums``. Raises
    ContentError."""
    values = np.ascontiguousarray(rows.sums.T[sums])
    if values.size:
        check_values((int(values.min()), int(values.max())))
    names = (samples.add_text(text) for thread in rows.threads for text in thread)
    texts = np.fromiter(names, dtype=np.int32).reshape(-1, len(_LABELS))
    keys = np.array([samples.add_text(key) for key in _LABELS], dtype=np.int32)
    n, n_labels = len(rows.thread), len(rows.thread) * len(_LABELS)
    labels = Labels(
        sample=np.repeat(np.arange(n, dtype=np.int32), len(_LABELS)),
        key=np.tile(keys, n),
        text=texts[rows.thread].reshape(-1),
        number=np.zeros(n_labels, dtype=np.int64),
        unit=np.zeros(n_labels, dtype=np.int32),
    )
    return SampleTables(Samples(rows.stack_start, rows.stack, values), labels)


def _time_rows(timings: SampleTimings, types: Sequence[SampleType]) -> TimedRows:
    """Place the samples in time: each takes its time from the begin of its round. Raises
    ContentError."""
    time_ns = np.maximum(timings.time_us, 0)
    is_late = timings.begin_us > _MOST_US - time_ns
    if is_late.any():
        first = is_late.argmax()
        begin_us = int(timings.begin_us[first])
        check_values((begin_us * _NS_PER_US, (begin_us + int(time_ns[first])) * _NS_PER_US))
    time_ns *= _NS_PER_US
    begin_ns = timings.begin_us * _NS_PER_US
    columns: dict[SampleType, Callable[[], Int64s]] = {
        _SAMPLES: lambda: repeat_number(1, len(time_ns)),
        _MEMORY: lambda: np.ascontiguousarray(timings.memory_bytes),
        _CPU: lambda: np.where(timings.is_idle, 0, time_ns),
        _WALL: lambda: time_ns,
    }
    values = tuple(columns[each]() for each in types)
    return TimedRows(timings.timed_row, begin_ns, begin_ns + time_ns, values)


class SampleMetrics(NamedTuple):
    """Metrics of a sample."""

    time_us: int
    memory_bytes: int
    is_idle: bool = False


class AustinSamples:
    """Collects samples that are read one by one. Used by one thread."""

    def __init__(self, n_bytes: int) -> None:
        """``n_bytes``: the file's size, which limits how many frames and times are kept."""
        self._samples = FrameSamples()
        self._threads: dict[tuple[str, str], int] = {}  # by process and thread
        self._rows: dict[bytes, int] = {}  # by thread and stack
        self._sums = array("q")  # of each row, as in `AustinRows`
        self._n_frames_left = _FREE_FRAMES + _FRAMES_PER_BYTE * n_bytes
        self._most_times = limit_times(n_bytes)
        self._met: set[int] = set()  # threads of the current round
        self._now_us = self._round_us = 0  # begin and length of the current round
        self._timed = array("i")  # rows of all samples, in their order
        # Begin of the round, time, memory and idle flag of all samples. They share one array:
        # several arrays that grow in turns leave holes in the heap, larger than the arrays.
        self._seen = array("q")

    def add_frame(self, frame: Symbol) -> int:
        """Add a frame, even if an equal one exists, and return its number."""
        return self._samples.add_frame(frame)

    def add(self, process: str, thread: str, stack: Sequence[int], metrics: SampleMetrics) -> None:
        """Add a sample. ``stack`` has numbers of frames, root first. Raises ValueError,
        OverflowError."""
        number = self._threads.setdefault((process, thread), len(self._threads))
        row = self._rows.setdefault(array("i", (number, *stack)).tobytes(), len(self._rows))
        if row * len(_SUMS) == len(self._sums):
            self._sums.extend([0] * len(_SUMS))
            self._n_frames_left -= len(stack)
            if self._n_frames_left < 0:
                raise ValueError("its stacks are too many and too deep")
        time_ns = metrics.time_us * _NS_PER_US
        cpu_ns = 0 if metrics.is_idle else time_ns
        for column, value in enumerate((1, metrics.memory_bytes, cpu_ns, time_ns)):
            self._sums[row * len(_SUMS) + column] += value
        self._note_time(number, row, metrics)

    def _note_time(self, thread: int, row: int, metrics: SampleMetrics) -> None:
        if thread in self._met:
            self._now_us += self._round_us
            self._met.clear()
            self._round_us = 0
        self._met.add(thread)
        self._round_us = max(self._round_us, metrics.time_us)
        if len(self._timed) > self._most_times:
            return
        self._timed.append(row)
        self._seen.extend((self._now_us, metrics.time_us, metrics.memory_bytes, metrics.is_idle))

    def build(self, metadata: dict[str, str]) -> Profile:
        """Build the profile. Raises ValueError for an unknown mode, ContentError."""
        n_timed = 0 if len(self._timed) > self._most_times else len(self._timed)
        sums = np.frombuffer(self._sums, dtype=np.int64).reshape(-1, len(_SUMS))
        rows = AustinRows(tuple(self._threads), *self._unpack_rows(), sums)
        seen = np.frombuffer(self._seen, dtype=np.int64).reshape(-1, 4)[:n_timed]
        timed = np.frombuffer(self._timed, dtype=np.int32)[:n_timed]
        timings = SampleTimings(timed, *seen.T)
        return build_profile(self._samples, rows, timings, metadata)

    def _unpack_rows(self) -> tuple[Int32s, Int64s, Int32s]:
        """Return (n,) numbers of threads, (n + 1,) where stacks begin, and all stacks, leaf
        first."""
        n = len(self._rows)
        sizes = np.fromiter(map(len, self._rows), np.int64, n) // array("i").itemsize - 1
        starts = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        threads, stacks = np.empty(n, dtype=np.int32), np.empty(int(starts[-1]), dtype=np.int32)
        for row, packed in enumerate(self._rows):
            numbers = np.frombuffer(packed, dtype=np.int32)
            threads[row] = numbers[0]
            stacks[starts[row] : starts[row + 1]] = numbers[:0:-1]
        return threads, starts, stacks
