"""Numbering of the threads in Chrome's traces: pid and tid become one code of eight bytes an event.

::

    (pid 7, tid "12")  ──▶  7 << 32 | 2**30 + 1 + number of the text "12"

Integers below 2**30 are in the code as they are. Each event may be of a different thread,
and an object for each would take ten times the file's size.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.readers.frame_profile import FrameSamples
from stackglass_viewer.model.readers.stays import number_by_first

Thread = tuple[Any, Any]
"""pid and tid as the file has them."""

_PART_BITS = 32
_NONE = 1 << 30  # stands for a missing part; smaller parts are numbers, larger parts are texts
_MOST_KNOWN = 1 << 12


def find_name(names: dict[Thread, str], thread: Thread) -> str:
    """Return the name of a thread; if it has none, its tid."""
    return names.get(thread, str(thread[1]))


class TraceThreads:
    """The threads of a trace's events. Used by one thread."""

    def __init__(self, samples: FrameSamples, names: dict[Thread, str]) -> None:
        """``names``: names of threads, which the caller fills while it reads the trace."""
        self.n = 0  # number of different threads, set by `take_events`
        self._samples = samples  # its strings hold the texts of pids and tids
        self._names = names
        self._known: dict[Thread, int] = {}
        self._codes = array("q")  # code of each event's thread
        self._by_number = np.empty(0, dtype=np.int64)  # code of each thread

    def add_events(self, threads: list[Thread]) -> None:
        """Add the threads of the next events. Raises TypeError for an unhashable pid or tid."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        known, encode = self._known, self._encode
        self._codes.extend(
            [
                known[each] if each in known else known.setdefault(each, encode(each))
                for each in threads
            ]
        )

    def take_events(self) -> Int32s:
        """Return (n,) the thread numbers of all events, in order of first appearance. To be called
        once."""
        codes, numbers = number_by_first(np.frombuffer(self._codes, dtype=np.int64))
        self._codes = array("q")
        self._by_number, self.n = codes, len(codes)
        return numbers

    def add_texts(self, threads: Int32s) -> Int32s:
        """Add the names of threads to the samples' strings. Returns (n,) the strings' numbers."""
        add = self._samples.add_text
        names = {self._encode(thread): name for thread, name in self._names.items()}
        texts = array("i")
        # A list of all codes would take forty bytes for each.
        for code in map(int, self._by_number[threads]):
            texts.append(add(names[code]) if code in names else self._add_tid(code))
        return np.frombuffer(texts, dtype=np.int32)

    def _add_tid(self, code: int) -> int:
        part = code & (1 << _PART_BITS) - 1
        if part > _NONE:
            return part - _NONE - 1
        return self._samples.add_text(str(None if part == _NONE else part))

    def _encode(self, thread: Thread) -> int:
        pid, tid = map(self._encode_part, thread)
        return pid << _PART_BITS | tid

    def _encode_part(self, part: Any) -> int:
        if type(part) is int and 0 <= part < _NONE:
            return part
        if part is None:
            return _NONE
        hash(part)  # raises TypeError
        return _NONE + 1 + self._samples.add_text(str(part))
