"""Plain reader of ``perf script``'s text: the reference for the loop in C.

It reads line by line with patterns; it is slow and takes much memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.sample_columns import Label, Symbol

_HEAD = re.compile(
    rb"\s*(\S.*?)\s+(?:\d+/)?(-?\d+)\s+(?:\[\d+\]\s+)?(?:(?!\d+\s)[\w.]{4,8}\s+)?"
    rb"(?:(\d{1,9})\.(\d{1,9}):\s+)?(?:(\d{1,19})\s+)?(\S+):(\s.*)?"
)
_MAX_HEAD_BYTES = 1024
_MAX_LINE_BYTES = 1 << 20
_MOST_EVENTS = 64
_OFFSET = re.compile(rb"\+0x[0-9a-f]{1,16}$")
_ADDRESS = re.compile(rb"[0-9a-f]{1,16}")
_SOURCE = re.compile(rb".*(:\d{1,9}|\[[0-9a-f]{1,16}\])")
_DELETED = b" (deleted))"
_COMMAND = b"# cmdline :"


class _Sample(NamedTuple):
    thread: str
    time_ns: int  # -1 = not printed
    event: bytes
    period: int | None
    text: bytes  # text after the event
    stack: list[int]

    @property
    def value(self) -> int:
        return 1 if self.period is None else self.period


def read_plainly(content: bytes) -> Profile:
    """Return the profile that the reader should make. Raises ContentError."""
    reading = _Reading()
    for number, line in enumerate(_list_lines(content), 1):
        try:
            reading.read_line(line)
        except ValueError:
            shown = line.strip()[:60].decode(errors="replace")
            raise ContentError(f"line {number} is not of perf script's output: {shown!r}") from None
    return reading.build(content.endswith(b"\n"))


def _list_lines(content: bytes) -> Iterator[bytes]:
    for line in content.removesuffix(b"\n").split(b"\n") if content else []:
        if len(line) > _MAX_LINE_BYTES:
            raise ContentError(f"it has a line of {len(line)} bytes")
        yield line.removesuffix(b"\r")


class _Reading:
    """State of a file that is being read. Texts are numbered in the order of the file: the frames
    of a sample, then its thread."""

    def __init__(self) -> None:
        self._profile = FrameSamples()
        self._frame_of: dict[tuple[bytes, bytes], int] = {}
        self._samples: list[_Sample] = []
        self._is_open = self._has_blank = False
        self._commands: list[str] = []

    def read_line(self, line: bytes) -> None:
        text = line.strip()
        if not text:
            self._has_blank |= self._is_open
            self._close()
        elif line.startswith(b"#"):
            if line.startswith(_COMMAND):
                self._commands.append(line[len(_COMMAND) :].decode(errors="replace").strip())
        elif line.startswith(b"\t"):
            self._read_frame(text)
        elif b": PERF_RECORD_" in line[:_MAX_HEAD_BYTES]:
            self._close()
        elif head := _parse_head(line):
            self._close()
            self._samples.append(head)
            self._is_open = True
            if len({each.event for each in self._samples}) > _MOST_EVENTS:
                raise ContentError(f"it has more than {_MOST_EVENTS} kinds of events")
            if frame := _split_frame(head.text):
                self._add_frame(frame)
        else:
            self._read_frame(text)

    def _read_frame(self, text: bytes) -> None:
        if not self._is_open:
            raise ValueError("it is of no sample")
        if self._samples[-1].stack and _SOURCE.fullmatch(text):
            return
        frame = _split_frame(text)
        if frame is None:
            raise ValueError("it is no frame")
        self._add_frame(frame)

    def _add_frame(self, frame: tuple[bytes, bytes]) -> None:
        if frame not in self._frame_of:
            self._frame_of[frame] = self._profile.add_frame(_parse_symbol(*frame))
        self._samples[-1].stack.append(self._frame_of[frame])

    def _close(self) -> None:
        if self._is_open:
            last = self._samples[-1]
            if last.value >= 1 << 63:
                raise ContentError(f"it has a value that 63 bits cannot hold: {last.value}")
            self._profile.add_text("thread")
            self._profile.add_text(last.thread)
        self._is_open = False

    def build(self, has_end: bool) -> Profile:
        last = self._samples[-1] if self._is_open else None
        self._close()
        events = list(dict.fromkeys(each.event for each in self._samples))
        timed = {each.event for each in self._samples if each.period is not None}
        for each in self._samples:
            values = [1, *(each.value if event == each.event else 0 for event in events)]
            sample = self._profile.add(values, each.stack, [Label("thread", each.thread)])
            if each.time_ns >= 0:
                self._profile.add_time(sample, each.time_ns, each.time_ns, values)
        begins_ns = [each.time_ns for each in self._samples if each.time_ns >= 0]
        return self._profile.build(
            [
                SampleType("samples", "count"),
                *(SampleType(each.decode(errors="replace"), _unit(each, timed)) for each in events),
            ],
            duration_ns=max(self._samples[-1].time_ns - begins_ns[0], 0) if begins_ns else 0,
            comments=tuple(dict.fromkeys(self._commands)),
            warnings=self._warn(last, has_end),
        )

    def _warn(self, last: _Sample | None, has_end: bool) -> tuple[str, ...]:
        if last is not None and (last.stack or self._has_blank) and not last.text:
            return ("its last sample has no end: is it whole?",)
        return () if has_end else ("its last line has no end: is it whole?",)


def _unit(event: bytes, timed: set[bytes]) -> str:
    is_time = event in timed and event.startswith((b"cpu-clock", b"task-clock"))
    return "nanoseconds" if is_time else "count"


def _parse_head(line: bytes) -> _Sample | None:
    is_cut = line[_MAX_HEAD_BYTES : _MAX_HEAD_BYTES + 1].strip()
    found = _HEAD.fullmatch(line[:_MAX_HEAD_BYTES] + (b"\0" if is_cut else b""))
    if found is None:
        return None
    name, thread, seconds, fraction, period, event, _ = found.groups()
    text = line[found.end(6) + 1 :].strip()
    if seconds is None and text and not _split_frame(text):
        return None  # any text with a colon
    return _Sample(
        f"{name.decode(errors='replace')} {thread.decode()}",
        -1 if seconds is None else int(seconds) * 10**9 + int(fraction.ljust(9, b"0")),
        event,
        None if period is None else int(period),
        text,
        [],
    )


def _split_frame(text: bytes) -> tuple[bytes, bytes] | None:
    address, _, rest = text.replace(b"\t", b" ", 1).partition(b" ")
    if not rest.endswith(b")") or not _ADDRESS.fullmatch(address):
        return None
    end = len(rest) - len(_DELETED) if rest.endswith(_DELETED) else len(rest)
    begin = rest.rfind(b"(", 0, end)
    return (_OFFSET.sub(b"", rest[:begin].strip()), rest[begin + 1 : -1]) if begin >= 0 else None


def _parse_symbol(name: bytes, file: bytes) -> Symbol:
    place = "" if file in (b"[unknown]", b"inlined") else file.decode(errors="replace")
    if name in (b"[unknown]", b""):
        base = place.rpartition("/")[2].strip("[]")
        return Symbol(f"[{base}]" if base else "<unknown>", place, 0)
    return Symbol(name.decode(errors="replace"), place, 0)
