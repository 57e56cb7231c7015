"""Threads of Chrome's traces: pid and tid as one number, in memory of eight bytes an event.

::

    (pid 7, tid "12")  ──▶  7 << 32 | text number of "12"   a code: small numbers as they are

There may be a thread for each event: objects for each would take ten times the file.
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
_NONE = 1 << 30  # smaller parts are the number itself, larger ones are texts
_MOST_KNOWN = 1 << 12


def find_name(names: dict[Thread, str], thread: Thread) -> str:
    return names.get(thread, str(thread[1]))


class TraceThreads:
    """Those of a trace while it is read. One thread."""

    def __init__(self, samples: FrameSamples, names: dict[Thread, str]) -> None:
        """``names``: of threads that have one, as far as they are read."""
        self.n = 0  # different ones, once events were taken
        self._samples = samples  # their texts are its texts: of each thread it has the label
        self._names = names
        self._known: dict[Thread, int] = {}
        self._codes = array("q")  # of events
        self._by_number = np.empty(0, dtype=np.int64)  # codes

    def add_events(self, threads: list[Thread]) -> None:
        """The threads of the next events. Raises TypeError for what names none."""
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
        """(n,) the threads of events by number, in the order in which they come first; once."""
        codes, numbers = number_by_first(np.frombuffer(self._codes, dtype=np.int64))
        self._codes = array("q")
        self._by_number, self.n = codes, len(codes)
        return numbers

    def add_texts(self, threads: Int32s) -> Int32s:
        """(n,) the places of the names of threads, by number, in the samples' table of texts."""
        add = self._samples.add_text
        names = {self._encode(thread): name for thread, name in self._names.items()}
        texts = array("i")
        for code in map(int, self._by_number[threads]):  # a list of all would take forty bytes each
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
