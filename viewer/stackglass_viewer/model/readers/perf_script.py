"""Reader of what ``perf script`` prints.

::

    my app  4711/4712 [003] 2530.900039:   1000000 task-clock:u:
    \t    7f8fd18d92bc _dl_relocate_object+0x69c (/usr/lib/ld-linux-x86-64.so.2)     the leaf …
    \t           1a34f _dl_sysdep_start+0x7f (/usr/lib/ld-linux-x86-64.so.2)         its caller

    program, process/thread, processor, time: period, event. Without ``-g`` the leaf is behind it.

``-F`` may leave out processor, time and period. Each event is a sample type, in which a sample has
its period, or 1 where none is printed.
"""

from __future__ import annotations

import posixpath
import re
from typing import NamedTuple

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Label, Symbol
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    ignore_progress,
    list_lines,
)

_HEAD = re.compile(
    rb"\s*(\S.*?)\s+(?:\d+/)?(-?\d+)\s+(?:\[\d+\]\s+)?(?:(?!\d+\s)[\w.]{4,8}\s+)?"
    rb"(?:(\d{1,9})\.(\d{1,9}):\s+)?(?:(\d{1,19})\s+)?(\S+):(\s.*)?"
)
_MAX_HEAD_BYTES = 1024
_OFFSET = re.compile(rb"\+0x[0-9a-f]{1,16}$")
_ADDRESS = re.compile(rb"[0-9a-f]{1,16}")
_SOURCE = re.compile(rb".*(:\d{1,9}|\[[0-9a-f]{1,16}\])")  # below a frame, of -F srcline
_RECORD = b": PERF_RECORD_"
_MOST_EVENTS = 64
_MOST_KNOWN = 1 << 15  # lines: most of a file's are among few
_BYTES_A_KNOWN = 1024  # of a large file: those that are known take a quarter of its size at most
_MAX_KNOWN_BYTES = 512
_COUNT_NS = (b"cpu-clock", b"task-clock")
_DELETED = b" (deleted))"
_UNKNOWN = b"[unknown]"
_COMMAND = b"# cmdline :"


class _Head(NamedTuple):
    """The first line of a sample."""

    thread: str
    time_ns: int  # -1 = not printed
    event: bytes
    period: int | None  # None = not printed
    frame: bytes  # b"" = it is on lines of its own, or there is none


def read_perf_script(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Raises ProfileError, with the line that cannot be read."""
    n_known = max(_MOST_KNOWN, len(content) // _BYTES_A_KNOWN)
    reading = _Reading(_list_events(content, progress), n_known)
    for number, line in enumerate(list_lines(content, progress), 1):
        try:
            reading.read_line(line)
        except ValueError:
            shown = line.strip()[:60].decode(errors="replace")
            raise ProfileError(f"line {number} is not of perf script's output: {shown!r}") from None
    return reading.build()


def _list_events(content: bytes | bytearray, progress: Progress) -> list[bytes]:
    """In the order of the file. Raises ProfileError."""
    heads = (_parse_head(line) for line in list_lines(content, progress) if line[:1] not in b"\t#")
    events = list(dict.fromkeys(head.event for head in heads if head is not None))
    if len(events) > _MOST_EVENTS:
        raise ProfileError(f"it has more than {_MOST_EVENTS} kinds of events")
    return events


class _Reading:
    """The file as far as it is read."""

    def __init__(self, events: list[bytes], n_known: int) -> None:
        self._n_known = n_known  # lines of frames, at most
        self._column = {event: number for number, event in enumerate(events, 1)}
        self._with_period: set[bytes] = set()  # events
        self._samples = FrameSamples()
        self._places: dict[bytes, int] = {}
        self._known: dict[bytes, int] = {}  # whole lines of frames, some of them
        self._head: _Head | None = None  # of the sample that the lines are of now
        self._stack: list[int] = []
        self._first_ns, self._last_ns = -1, -1
        self._commands: dict[str, None] = {}  # each once: files may be several, joined

    def read_line(self, line: bytes) -> None:
        """Raises ValueError."""
        if line in self._known and self._head is not None:
            self._stack.append(self._known[line])
            return
        text = line.strip()
        if not text:
            self._close()
        elif line.startswith(b"#"):
            if line.startswith(_COMMAND):
                command = line[len(_COMMAND) :].decode(errors="replace").strip()
                self._commands[command] = None
        elif _RECORD in line[:_MAX_HEAD_BYTES] and line[:1] != b"\t":
            self._close()  # what was mapped, of --show-mmap-events
        elif line[:1] != b"\t" and (head := _parse_head(line)):
            self._close()
            self._head = head
            self._first_ns = head.time_ns if self._first_ns < 0 else self._first_ns
            self._last_ns = head.time_ns
            if _split_frame(head.frame):  # else what a tracepoint has to say
                self._stack.append(self._find_place(head.frame))
        elif self._head is None:
            raise ValueError("it is of no sample")
        elif not (self._stack and _SOURCE.fullmatch(text)):
            place = self._find_place(text)
            self._stack.append(place)
            if line.startswith(b"\t") and len(line) < _MAX_KNOWN_BYTES:
                if len(self._known) >= self._n_known:
                    self._known.clear()
                self._known[line] = place

    def _find_place(self, text: bytes) -> int:
        frame = _split_frame(text)
        if frame is None:
            raise ValueError("it is no frame")
        key = b"\n".join(frame)
        if key not in self._places:
            self._places[key] = self._samples.add_frame(_parse_symbol(*frame))
        return self._places[key]

    def _close(self) -> None:
        """The sample has ended."""
        if self._head is not None:
            values = [0] * (1 + len(self._column))
            values[0] = 1
            period = self._head.period
            values[self._column[self._head.event]] = 1 if period is None else period
            if period is not None:
                self._with_period.add(self._head.event)
            label = Label("thread", self._head.thread)
            sample = self._samples.add(values, self._stack, [label])
            if self._head.time_ns >= 0:
                self._samples.add_time(sample, self._head.time_ns, self._head.time_ns, values)
        self._head, self._stack = None, []

    def build(self) -> Profile:
        """The profile, of a whole file."""
        is_cut = self._head is not None and not self._head.frame and bool(self._stack)
        self._close()
        return self._samples.build(
            [
                SampleType("samples", "count"),
                *(_describe_event(each, each in self._with_period) for each in self._column),
            ],
            duration_ns=max(self._last_ns - self._first_ns, 0),
            comments=tuple(self._commands),
            warnings=("its last sample has no end: is it whole?",) if is_cut else (),
        )


def _parse_head(line: bytes) -> _Head | None:
    """None = it is no first line of a sample."""
    found = _HEAD.fullmatch(line[:_MAX_HEAD_BYTES])
    if found is None:
        return None
    name, thread, seconds, fraction, period, event, rest = found.groups()
    frame = (rest or b"").strip()
    if seconds is None and frame and not _split_frame(frame):
        return None  # any text with a colon
    return _Head(
        f"{name.decode(errors='replace')} {thread.decode()}",
        -1 if seconds is None else int(seconds) * 10**9 + int(fraction.ljust(9, b"0")),
        event,
        None if period is None else int(period),
        frame,
    )


def _split_frame(text: bytes) -> tuple[bytes, bytes] | None:
    """Name and mapped file of ``7f8f name+0x69c (file)``; None = it is no frame. simpleperf, the
    perf of Android, puts a tab behind the address."""
    address, _, rest = text.replace(b"\t", b" ", 1).partition(b" ")
    if not rest.endswith(b")") or not _ADDRESS.fullmatch(address):
        return None
    end = len(rest) - len(_DELETED) if rest.endswith(_DELETED) else len(rest)
    begin = rest.rfind(b"(", 0, end)
    return (_OFFSET.sub(b"", rest[:begin].strip()), rest[begin + 1 : -1]) if begin >= 0 else None


def _parse_symbol(name: bytes, file: bytes) -> Symbol:
    """A place without a name is its mapped file's, as elsewhere."""
    place = "" if file in (_UNKNOWN, b"inlined") else file.decode(errors="replace")
    if name in (_UNKNOWN, b""):
        base = posixpath.basename(place).strip("[]")
        return Symbol(f"[{base}]" if base else "<unknown>", place, 0)
    return Symbol(name.decode(errors="replace"), place, 0)


def _describe_event(event: bytes, has_period: bool) -> SampleType:
    """Without periods samples are counted."""
    is_time = has_period and event.startswith(_COUNT_NS)
    return SampleType(event.decode(errors="replace"), "nanoseconds" if is_time else "count")
