"""Reader of the text that ``perf script`` prints.

::

    my app  4711/4712 [003] 2530.900039:   1000000 task-clock:u:
    \t    7f8fd18d92bc _dl_relocate_object+0x69c (/usr/lib/ld-linux-x86-64.so.2)     the leaf …
    \t           1a34f _dl_sysdep_start+0x7f (/usr/lib/ld-linux-x86-64.so.2)         its caller

    program, process/thread, processor, time: period, event; without ``-g`` the leaf follows here

``-F`` may omit processor, time and period. Each event is a sample type; a sample's value is its
period, or 1 if none is printed.

A loop in C reads the lines and numbers threads, events and places. Each distinct one is parsed
here, once.
"""

from __future__ import annotations

import posixpath
import re
from array import array
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, UInt8s, UInt32s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.sample_times import TimedRows
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.prepared_rows import SingleLabelRows
from stackglass_viewer.model.readers.sample_columns import Symbol, check_values
from stackglass_viewer.model.readers.text_pieces import (
    find_first,
    list_pieces,
    list_texts,
    refuse_long_line,
    report_to,
)
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, warn_of_cut
from stackglass_viewer.native import _loops

_OFFSET = re.compile(rb"\+0x[0-9a-f]{1,16}$")
_COUNT_NS = (b"cpu-clock", b"task-clock")
_DELETED = b" (deleted))"
_UNKNOWN = "[unknown]"
_NO_NAMES, _NO_FILES = frozenset((_UNKNOWN, "")), frozenset((_UNKNOWN, "inlined"))
_COMMAND = b"# cmdline :"
_THREAD = "thread"
_FEW_PLACES = 1 << 14
_CUT = "its last sample has no end: is it whole?"


def read_perf_script(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole text. Raises ContentError, with the line that cannot be read."""
    lines = _loops.read_perf_lines(content, report_to(progress))
    _refuse_faults(content, lines)
    samples = FrameSamples()
    frames, texts = _add_texts(content, lines, samples)
    stack = np.asarray(lines.pop("stack"))
    if not _is_range(frames):
        stack = frames[stack]
    time_ns, event, period = (np.asarray(lines[name]) for name in ("time_ns", "event", "period"))
    events = list(list_pieces(content, lines["event_start"], lines["event_length"]))
    values = _list_values(event, period, len(events))
    _add_times(samples, time_ns, values)
    key = samples.add_text(_THREAD) if len(texts) else 0
    commands = list_pieces(content, lines["command_start"], lines["command_length"])
    return samples.build(
        [
            SampleType("samples", "count"),
            *(
                _describe_event(each, bool((period[event == number] >= 0).any()))
                for number, each in enumerate(events)
            ),
        ],
        duration_ns=_find_duration(time_ns),
        comments=tuple(dict.fromkeys(map(_parse_command, commands))),
        warnings=(_CUT,) if lines["is_cut"] else warn_of_cut(content),
        rows=SingleLabelRows(np.asarray(lines["stack_start"]), stack, values, key, texts),
    )


def _refuse_faults(content: bytes | bytearray, lines: dict[str, Any]) -> None:
    """Raise ContentError if the loop in C did not read the whole text."""
    fault, number = lines["fault"], lines["fault_number"]
    if fault == "line":
        line = bytes(content[lines["fault_begin"] : lines["fault_end"]])
        shown = line.strip()[:60].decode(errors="replace")
        raise ContentError(f"line {number} is not of perf script's output: {shown!r}")
    if fault == "events":
        raise ContentError(f"it has more than {number} kinds of events")
    if fault == "value":
        check_values([number])
    if fault == "length":
        refuse_long_line(number)


def _add_texts(
    content: bytes | bytearray, lines: dict[str, Any], samples: FrameSamples
) -> tuple[Int32s, Int32s]:
    """Add frames and texts to ``samples``. Returns (n_places,) the frame of each place, and (n,)
    the number of the text that is each sample's label. Strings are added in the order of the
    samples: the places of a sample, then its thread."""
    thread = np.asarray(lines["thread"])
    threads = list_pieces(content, lines["thread_start"], lines["thread_length"])
    places = _Places(content, lines, samples)
    n_before = np.searchsorted(np.asarray(lines["place_sample"]), find_first(thread), side="right")
    texts = array("i")
    for n, words in zip(n_before.tolist(), threads, strict=True):
        places.add_up_to(n)
        samples.add_text(_THREAD)
        texts.append(samples.add_text(_parse_thread(words)))
    places.add_up_to(len(places.has_tab))
    return np.array(places.frames, dtype=np.int32), np.array(texts, dtype=np.int32)[thread]


class _Places:
    """Adds the frames of places, in their order. Used by one thread."""

    def __init__(
        self, content: bytes | bytearray, lines: dict[str, Any], samples: FrameSamples
    ) -> None:
        self._content, self._samples = content, samples
        keys = ("name_start", "name_length", "file_start", "file_length")
        self._columns = [np.asarray(lines[key]) for key in keys]
        self.has_tab: UInt8s = np.asarray(lines["place_has_tab"])
        self._are_plain = not self.has_tab.any()
        self.frames = array("i")  # by place that was added
        # Places in plain form are distinct already.
        self._number_of: dict[tuple[bytes, bytes], int] = {}

    def add_up_to(self, end: int) -> None:
        """Add the places before ``end`` that are not added yet."""
        while (first := len(self.frames)) < end:
            part = slice(first, min(end, first + _FEW_PLACES))
            if self._are_plain:
                self._add_plain(*(each[part] for each in self._columns))
            else:
                self._add(part)

    def _add_plain(
        self, name_start: UInt32s, name_length: Int32s, file_start: UInt32s, file_length: Int32s
    ) -> None:
        names = list_texts(self._content, name_start, name_length)
        files = list_texts(self._content, file_start, file_length)
        if not _NO_NAMES.isdisjoint(names) or not _NO_FILES.isdisjoint(files):
            symbols = list(map(_make_symbol, names, files))
            names, files = [each.name for each in symbols], [each.file for each in symbols]
        self.frames.extend(self._samples.add_frames(names, files))

    def _add(self, part: slice) -> None:
        name_start, name_length, file_start, file_length = (each[part] for each in self._columns)
        for name, file, is_whole in zip(
            list_pieces(self._content, name_start, name_length),
            list_pieces(self._content, file_start, file_length),
            self.has_tab[part].tolist(),
            strict=True,
        ):
            place = _split_frame(name) if is_whole else (name, file)
            if place not in self._number_of:
                texts = (each.decode(errors="replace") for each in place)
                self._number_of[place] = self._samples.add_frame(_make_symbol(*texts))
            self.frames.append(self._number_of[place])


def _is_range(numbers: Int32s) -> bool:
    return bool((numbers == np.arange(len(numbers))).all())


def _list_values(event: Int32s, period: Int64s, n_events: int) -> Int64s:
    """Return the values, (1 + n_events, n): the first row counts samples."""
    values = np.zeros((1 + n_events, len(event)), dtype=np.int64)
    values[0] = 1
    values[event + 1, np.arange(len(event))] = np.where(period < 0, 1, period)
    return values


def _add_times(samples: FrameSamples, time_ns: Int64s, values: Int64s) -> None:
    is_timed = time_ns >= 0
    if is_timed.all():
        numbers, columns = np.arange(len(time_ns), dtype=np.int32), values
    else:
        numbers = np.flatnonzero(is_timed).astype(np.int32)
        time_ns, columns = time_ns[numbers], values[:, numbers]
    samples.add_timed_rows(TimedRows(numbers, time_ns, time_ns, tuple(columns)))


def _find_duration(time_ns: Int64s) -> int:
    """Return the time from the first timed sample to the last sample; 0 if the last has no time."""
    timed = np.flatnonzero(time_ns >= 0)
    return max(int(time_ns[-1]) - int(time_ns[timed[0]]), 0) if len(timed) else 0


def _parse_thread(words: bytes) -> str:
    """Return ``my app 4712`` for ``my app  4711/4712``."""
    name, thread = words.rsplit(None, 1)
    return f"{name.decode(errors='replace')} {thread.rpartition(b'/')[2].decode()}"


def _parse_command(line: bytes) -> str:
    return line[len(_COMMAND) :].decode(errors="replace").strip()


def _split_frame(text: bytes) -> tuple[bytes, bytes]:
    """Return name and mapped file of ``7f8f name+0x69c (file)`` with a tab in it. simpleperf, the
    perf of Android, writes a tab after the address."""
    rest = text.replace(b"\t", b" ", 1).partition(b" ")[2]
    end = len(rest) - len(_DELETED) if rest.endswith(_DELETED) else len(rest)
    begin = rest.rfind(b"(", 0, end)
    return _OFFSET.sub(b"", rest[:begin].strip()), rest[begin + 1 : -1]


def _make_symbol(name: str, file: str) -> Symbol:
    """Return the symbol of a place. Without a name, it gets the name of its mapped file."""
    place = "" if file in _NO_FILES else file
    if name in _NO_NAMES:
        base = posixpath.basename(place).strip("[]")
        return Symbol(f"[{base}]" if base else "<unknown>", place, 0)
    return Symbol(name, place, 0)


def _describe_event(event: bytes, has_period: bool) -> SampleType:
    """Return the sample type of an event. Without periods, its unit is count."""
    is_time = has_period and event.startswith(_COUNT_NS)
    return SampleType(event.decode(errors="replace"), "nanoseconds" if is_time else "count")
