"""Samples of Austin, of its text and of its binary format: equal stacks of a thread are one.

A sample has the time since the one before it, not when it was. Austin goes from thread to thread
again and again: where one comes a second time another round has begun, and the longest time of a
round is how long that took.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Label, Symbol

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
_NS_A_US = 1000
INVALID = Symbol("<invalid>", "", 0)
COLLECTOR = Symbol("<gc>", "", 0)
_FREE_FRAMES = 1_000_000  # of all different stacks
_FRAMES_A_BYTE = 2
_FREE_TIMES, _BYTES_A_TIME = 1_000_000, 16  # of a file with more samples no times are kept


class Metrics(NamedTuple):
    """What a sample measured."""

    time_us: int
    memory_bytes: int
    is_idle: bool = False


class AustinSamples:
    """Samples while they are read. One thread."""

    def __init__(self, n_bytes: int) -> None:
        """``n_bytes``: of the file, which bounds what may come of it."""
        self._samples = FrameSamples()
        self._threads: dict[tuple[str, str], int] = {}  # by process and thread
        self._rows: dict[bytes, int] = {}  # by thread and stack
        self._sums = array("q")  # of each row: samples, memory, time of a processor, time
        self._n_frames_left = _FREE_FRAMES + _FRAMES_A_BYTE * n_bytes
        self._most_times = _FREE_TIMES + n_bytes // _BYTES_A_TIME
        self._met: set[int] = set()  # threads of this round
        self._now_us = self._round_us = 0  # when it began, and how long it takes
        self._timed = array("i")  # rows, as they were seen
        self._begin_us = array("q")
        self._seen = array("q")  # time, memory, idle

    def add_frame(self, frame: Symbol) -> int:
        """The number of a frame. Each call makes one."""
        return self._samples.add_frame(frame)

    def add(self, process: str, thread: str, stack: Sequence[int], metrics: Metrics) -> None:
        """A sample; numbers of frames, root first. Raises ValueError, OverflowError."""
        number = self._threads.setdefault((process, thread), len(self._threads))
        row = self._rows.setdefault(array("i", (number, *stack)).tobytes(), len(self._rows))
        if row * 4 == len(self._sums):
            self._sums.extend((0, 0, 0, 0))
            self._n_frames_left -= len(stack)
            if self._n_frames_left < 0:
                raise ValueError("its stacks are too many and too deep")
        time_ns = metrics.time_us * _NS_A_US
        cpu_ns = 0 if metrics.is_idle else time_ns
        for column, value in enumerate((1, metrics.memory_bytes, cpu_ns, time_ns)):
            self._sums[row * 4 + column] += value
        self._note_time(number, row, metrics)

    def _note_time(self, thread: int, row: int, metrics: Metrics) -> None:
        if thread in self._met:
            self._now_us += self._round_us
            self._met.clear()
            self._round_us = 0
        self._met.add(thread)
        self._round_us = max(self._round_us, metrics.time_us)
        if len(self._timed) > self._most_times:
            return
        self._timed.append(row)
        self._begin_us.append(self._now_us)
        self._seen.extend((metrics.time_us, metrics.memory_bytes, metrics.is_idle))

    def _add_times(self, columns: list[int]) -> None:
        """A sample says what was there in the time before it."""
        if len(self._timed) > self._most_times:
            return
        for place, (row, begin_us) in enumerate(zip(self._timed, self._begin_us, strict=True)):
            time_us, memory_bytes, is_idle = self._seen[3 * place : 3 * place + 3]
            begin_ns, time_ns = begin_us * _NS_A_US, max(time_us, 0) * _NS_A_US
            every = (1, memory_bytes, 0 if is_idle else time_ns, time_ns)
            values = [every[column] for column in columns]
            self._samples.add_time(row, begin_ns, begin_ns + time_ns, values)

    def build(self, metadata: dict[str, str], warnings: tuple[str, ...] = ()) -> Profile:
        """The profile. Raises ValueError for a mode that is not known, ProfileError."""
        mode = metadata.get("mode", "wall")
        if mode not in _TYPES:
            raise ValueError(f"unknown mode {mode[:20]!r}")
        types = _TYPES[mode]
        columns = [{_SAMPLES: 0, _MEMORY: 1, _CPU: 2, _WALL: 3}[each] for each in types]
        threads = list(self._threads)
        for packed, row in self._rows.items():
            number, *stack = array("i", packed)
            process, thread = threads[number]
            values = [self._sums[row * 4 + column] for column in columns]
            labels = [Label("process", process), Label("thread", thread)]
            self._samples.add(values, stack[::-1], labels)
        if _WALL in types or _CPU in types:
            self._add_times(columns)
        remarks = [f"{key}: {metadata[key]}" for key in ("austin", "python") if key in metadata]
        duration_us = metadata.get("duration", "")
        return self._samples.build(
            types,
            duration_ns=int(duration_us) * _NS_A_US if duration_us[:16].isdecimal() else 0,
            comments=tuple(remarks),
            warnings=warnings,
        )
