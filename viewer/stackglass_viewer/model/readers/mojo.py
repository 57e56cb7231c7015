"""Reader of Austin's binary format, MOJO.

::

    "MOJ", version
    11 key "app.py\\0"    11 key "main\\0"           strings, and frames that use them, by process
    3 key file function line (end, column, end)
    2 process (interpreter) "thread\\0"             a sample: …
    5 key   5 key   9 520                           … its frames, root first, and its µs
    2 …  5 key  13                                  … 13: the thread's last stack, without native
                                                      leaves, is on the root's side of these

Numbers have six bits and a sign in their first byte, and seven bits in each other byte. Reports of
asyncio tasks (events 14 to 16) are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.austin_samples import (
    COLLECTOR,
    INVALID,
    AustinSamples,
    SampleMetrics,
)
from stackglass_viewer.model.readers.json_damage import describe_damage
from stackglass_viewer.model.readers.sample_columns import Symbol
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress

_METADATA, _STACK, _FRAME, _INVALID, _FRAME_REF, _KERNEL, _GC, _IDLE = range(1, 9)
_TIME, _MEMORY, _STRING, _STRING_REF, _REPEAT, _TASK_STACK, _TASK_WAITER, _TASK_RUNNING = range(
    9, 17
)
_VERSIONS = (1, 2, 3, 4)
_REPORT_EVERY = 4096  # events
_MAX_LINE = 2**31
_MAX_BITS = 70
_DEEPEST = 4096
_Thread = tuple[int, str]


def read_mojo(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError, with the offset of the damage, and what ``progress``
    raises."""
    reading = _Reading(bytes(content))
    try:
        reading.read(progress)
        return reading.build()
    except IndexError:
        raise ContentError("it is truncated: it ends within an event of MOJO") from None
    except (KeyError, ValueError, OverflowError) as error:
        reason = describe_damage(error)[:80]
        raise ContentError(
            f"it is Austin's MOJO, but is damaged at byte {reading.event_at} ({reason})"
        ) from None


class _Reading:
    """State of reading a file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 3  # after "MOJ"
        self.event_at = 0  # begin of the current event
        self._version = 0
        self._metadata: dict[str, str] = {}
        self._strings: dict[tuple[int, int], str] = {}  # by process and key
        self._frames: dict[tuple[int, int], int] = {}
        self._marks: dict[Symbol, int] = {}  # frames without a key: kernel, collector, invalid
        self._native: set[int] = set()  # frames that are not Python's
        self._samples = AustinSamples(len(content))
        self._before: dict[_Thread, list[int]] = {}
        self._process, self._thread = 0, ""
        self._has_begun = False
        self._stack: list[int] | None = None  # None = outside a sample
        self._time_us, self._memory_bytes, self._is_idle = 0, 0, False
        self._n_task_frames = 0  # frames of the current task still to come

    def read(self, progress: Progress) -> None:
        """Read the whole file and report progress. Raises IndexError if it is cut off, KeyError,
        ValueError, OverflowError."""
        self._version = self._read_number()
        if self._version not in _VERSIONS:
            raise ValueError(f"unknown version {self._version}")
        for number in count():
            if self._at >= len(self._content):
                break
            if number % _REPORT_EVERY == 0:
                progress(self._at / len(self._content))
            self.event_at = self._at
            event = self._content[self._at]
            self._at += 1
            self._read_event(event)
        self._close()

    def build(self) -> Profile:
        """Build the profile. Raises ValueError."""
        return self._samples.build(self._metadata)

    def _read_event(self, event: int) -> None:
        read = _EVENTS.get(event)
        if read is None:
            raise ValueError(f"unknown event {event}")
        read(self)

    def _read_metadata(self) -> None:
        key = self._read_text()
        self._metadata[key] = self._read_text()

    def _read_string(self) -> None:
        key = self._read_number()
        self._strings[self._process, key] = self._read_text()

    def _read_frame_ref(self) -> None:
        self._add_frame(self._frames[self._process, self._read_number()])

    def _read_kernel_frame(self) -> None:
        self._add_frame(self._find_mark(Symbol(self._read_text(), "[kernel]", 0)))

    def _read_idle(self) -> None:
        self._is_idle = True

    def _read_time(self) -> None:
        self._time_us = self._read_number()

    def _read_memory(self) -> None:
        self._memory_bytes = self._read_number()

    def _begin_task(self) -> None:
        self._read_numbers(2)
        self._n_task_frames = self._read_number()

    def _begin_sample(self) -> None:
        self._close()
        process = self._read_number()
        if not self._has_begun:  # austinp 3 writes strings and frames of the first sample before it
            self._strings = {(process, key): text for (_, key), text in self._strings.items()}
            self._frames = {(process, key): frame for (_, key), frame in self._frames.items()}
            self._has_begun = True
        self._process = process
        interpreter = f"{self._read_number()}:" if self._version >= 3 else ""
        self._thread = interpreter + self._read_text()
        self._stack = []
        self._time_us, self._memory_bytes, self._is_idle = 0, 0, False

    def _read_frame(self) -> None:
        key, file_key, name_key, line = (self._read_number() for _ in range(4))
        if self._version > 1:
            self._read_numbers(3)
        file, name = self._find_text(file_key), self._find_text(name_key)
        frame = self._samples.add_frame(Symbol(name, file, line if 0 <= line < _MAX_LINE else 0))
        self._frames[self._process, key] = frame
        if not file.endswith(".py") and not (file.startswith("<") and file.endswith(">")):
            self._native.add(frame)

    def _find_mark(self, frame: Symbol) -> int:
        if frame not in self._marks:
            self._marks[frame] = self._samples.add_frame(frame)
        return self._marks[frame]

    def _find_text(self, key: int) -> str:
        return "<unknown>" if key == 1 else self._strings[self._process, key]

    def _add_frame(self, frame: int) -> None:
        if self._n_task_frames > 0:
            self._n_task_frames -= 1
        elif self._stack is None:
            raise ValueError("a frame outside a sample")
        else:
            self._stack.append(frame)
            if len(self._stack) > _DEEPEST:
                raise ValueError(f"a stack of more than {_DEEPEST} frames")

    def _repeat(self) -> None:
        """Put the frames of the thread's last sample, without its native leaves, on the root's side
        of the frames read so far."""
        if self._stack is None:
            raise ValueError("a frame outside a sample")
        before = list(self._before.get((self._process, self._thread), ()))
        while before and before[-1] in self._native:
            before.pop()
        self._stack = before + self._stack
        if len(self._stack) > _DEEPEST:
            raise ValueError(f"a stack of more than {_DEEPEST} frames")

    def _close(self) -> None:
        if self._stack is None:
            return
        metrics = SampleMetrics(self._time_us, self._memory_bytes, self._is_idle)
        self._samples.add(str(self._process), self._thread, self._stack, metrics)
        self._before[self._process, self._thread] = self._stack
        self._stack = None

    def _read_number(self) -> int:
        first = byte = self._content[self._at]
        self._at += 1
        value, bits = byte & 0x3F, 6
        while byte & 0x80:
            byte = self._content[self._at]
            self._at += 1
            value |= (byte & 0x7F) << bits
            bits += 7
            if bits > _MAX_BITS:
                raise ValueError("a number of more than 64 bits")
        return -value if first & 0x40 else value

    def _read_numbers(self, n: int) -> None:
        for _ in range(n):
            self._read_number()

    def _read_text(self) -> str:
        end = self._content.find(b"\0", self._at)
        if end < 0:
            raise IndexError
        text = self._content[self._at : end].decode(errors="replace")
        self._at = end + 1
        return text


_EVENTS: Mapping[int, Callable[[_Reading], None]] = {
    _METADATA: _Reading._read_metadata,
    _STACK: _Reading._begin_sample,
    _FRAME: _Reading._read_frame,
    _INVALID: lambda reading: reading._add_frame(reading._find_mark(INVALID)),
    _FRAME_REF: _Reading._read_frame_ref,
    _KERNEL: _Reading._read_kernel_frame,
    _GC: lambda reading: reading._add_frame(reading._find_mark(COLLECTOR)),
    _IDLE: _Reading._read_idle,
    _TIME: _Reading._read_time,
    _MEMORY: _Reading._read_memory,
    _STRING: _Reading._read_string,
    _STRING_REF: lambda reading: reading._read_numbers(1),
    _REPEAT: _Reading._repeat,
    _TASK_STACK: _Reading._begin_task,
    _TASK_WAITER: lambda reading: reading._read_numbers(2),
    _TASK_RUNNING: lambda reading: reading._read_numbers(1),
}
