"""Annotations of Go's execution traces: regions, tasks and logs of ``runtime/trace``.

A region belongs to a goroutine, and goroutines move between threads. So each goroutine with a
region or a log has a lane of its own. A task has no lane, since it may begin and end in different
goroutines.

Within the batches of a thread, a goroutine runs from the event that starts it to the next such
event. At the begin of each generation, a status event says which goroutine a thread is running.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import UInt64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.memory_trace.events import EventKind
from stackglass_viewer.model.memory_trace.go_batches import read_varint
from stackglass_viewer.model.memory_trace.source import FIRST_GOROUTINE
from stackglass_viewer.model.session.file_parts import Parts

_GO_CREATE_SYSCALL, _GO_START, _GO_DESTROY, _GO_DESTROY_SYSCALL = 15, 16, 17, 18
_GO_STATUS, _GO_SWITCH, _GO_SWITCH_DESTROY, _GO_STATUS_STACK = 25, 45, 46, 48
_TASK_BEGIN, _TASK_END, _REGION_BEGIN, _REGION_END, _LOG = 40, 41, 42, 43, 44
_STARTS = (_GO_CREATE_SYSCALL, _GO_START, _GO_SWITCH, _GO_SWITCH_DESTROY)
_STATUSES = (_GO_STATUS, _GO_STATUS_STACK)
_DESTROYS = (_GO_DESTROY, _GO_DESTROY_SYSCALL, _GO_SWITCH_DESTROY)
_NOTES = (_TASK_BEGIN, _TASK_END, _REGION_BEGIN, _REGION_END, _LOG)
CODES = (*_STARTS, *_STATUSES, _GO_DESTROY, _GO_DESTROY_SYSCALL, *_NOTES)
"""Codes of the events that ``Annotations.add`` takes."""
_RUNNING, _IN_SYSCALL = 2, 3
_STRING = 5
_KINDS = {
    _TASK_BEGIN: EventKind.TASK_BEGIN,
    _TASK_END: EventKind.TASK_END,
    _REGION_BEGIN: EventKind.REGION_BEGIN,
    _REGION_END: EventKind.REGION_END,
    _LOG: EventKind.LOG,
}
MOST = 1 << 20
"""Most annotations that are kept of a trace, and most ends of goroutines of a generation."""


class Annotation(NamedTuple):
    """An annotation, with the fields of the trace's columns."""

    ticks: int
    kind: EventKind
    tid: int  # lane of a goroutine; 0 = a task
    number: int  # number of the task
    name: int  # string: name of the region or task, or text of the log; 0 = none
    key: int  # string: category of the log


class _Part(NamedTuple):
    """Events of one batch, in their order."""

    tid: int
    begin_ticks: int
    code: npt.NDArray[np.uint8]
    ticks: UInt64s
    first: UInt64s
    second: UInt64s
    third: UInt64s
    goroutine: UInt64s  # of each event; 0 = the last goroutine of the thread's previous batch
    last: int  # goroutine at the end of the batch; 0 = the last one of the previous batch


class Annotations:
    """Collects a trace's annotations, generation by generation. Not thread-safe."""

    def __init__(self, strings: dict[str, int]) -> None:
        self._strings = strings  # numbers of the trace's strings; new strings are added
        self._lanes: dict[int, int] = {}  # by goroutine
        self._open: dict[int, list[tuple[int, int]]] = {}  # regions by lane: task, name
        self._parts: list[_Part] = []
        self._n_ends = 0  # ends of goroutines in this generation
        self.n_kept = 0
        self.n_left_out = 0

    def add(
        self, tid: int, begin_ticks: int, columns: Mapping[str, npt.NDArray[np.uint64]]
    ) -> None:
        """Add the events of a batch that have one of the ``CODES``."""
        code = columns["kind"].astype(np.uint8)
        first, second, third = columns["first"], columns["second"], columns["third"]
        is_here = np.isin(code, _STATUSES) & (second == tid)
        is_here &= (third == _RUNNING) | (third == _IN_SYSCALL)
        starts = np.flatnonzero(np.isin(code, _STARTS) | is_here)
        kept = self._choose(np.isin(code, _NOTES), np.isin(code, _DESTROYS))
        # side="left": a switch that destroys a goroutine is an event of that goroutine.
        at = np.searchsorted(starts, kept, side="left") - 1
        ids = first[starts]
        goroutine = np.where(at >= 0, ids[np.maximum(at, 0)], 0) if len(ids) else at * 0
        if not len(kept) and not len(ids):
            return
        chosen = (code[kept], columns["ticks"][kept], first[kept], second[kept], third[kept])
        last = int(ids[-1]) if len(ids) else 0
        self._parts.append(_Part(tid, begin_ticks, *chosen, goroutine.astype(np.uint64), last))

    def finish_generation(
        self, content: Parts, tables: Iterable[tuple[int, int]]
    ) -> list[Annotation]:
        """Return the generation's annotations by time. ``tables``: begin and end of each of its
        tables of strings. Raises ContentError.
        """
        parts, self._parts, self._n_ends = self._parts, [], 0
        rows = self._list_rows(parts)
        if not rows:
            return []
        texts = _read_strings(content, tables)
        return [found for row in rows for found in self._make(row, texts)]

    def _choose(
        self, is_note: npt.NDArray[np.bool_], is_end: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.intp]:
        """Return the rows of annotations and of ends of goroutines to keep, up to ``MOST``."""
        notes, ends = np.flatnonzero(is_note), np.flatnonzero(is_end)
        room = MOST - self.n_kept
        self.n_left_out += max(len(notes) - room, 0)
        notes, ends = notes[:room], ends[: MOST - self._n_ends]
        self.n_kept += len(notes)
        self._n_ends += len(ends)
        return np.union1d(notes, ends)

    @property
    def lane_names(self) -> dict[int, str]:
        """The names of the goroutines' lanes."""
        return {lane: f"goroutine {number}" for number, lane in self._lanes.items()}

    def _list_rows(self, parts: list[_Part]) -> list[tuple[int, ...]]:
        """Return ticks, code, goroutine and arguments of each event. Ends of goroutines without a
        lane are left out."""
        running: dict[int, int] = {}
        owned = []
        for part in sorted(parts, key=lambda part: (part.tid, part.begin_ticks)):
            before = np.uint64(running.get(part.tid, 0))
            owned.append((part, np.where(part.goroutine == 0, before, part.goroutine)))
            running[part.tid] = part.last or int(before)
        annotated = {*self._lanes}
        for part, goroutine in owned:
            annotated.update(goroutine[np.isin(part.code, _NOTES)].tolist())
        known = np.array(sorted(annotated), dtype=np.uint64)
        rows: list[tuple[int, ...]] = []
        for part, goroutine in owned:
            is_wanted = np.isin(part.code, _NOTES) | np.isin(goroutine, known)
            columns = (part.ticks, part.code, goroutine, part.first, part.second, part.third)
            rows += zip(*(column[is_wanted].tolist() for column in columns), strict=True)
        return sorted(rows, key=lambda row: row[0])

    def _make(self, row: tuple[int, ...], texts: Mapping[int, str]) -> Iterable[Annotation]:
        """Yield the annotations of a row of ``_list_rows``."""
        ticks, code, goroutine, first, second, third = row
        if code in _DESTROYS:
            yield from self._end(ticks, self._lanes.get(goroutine, 0))
            return
        kind = _KINDS[code]
        if code in (_TASK_BEGIN, _TASK_END):
            name = self._intern(texts.get(third, "")) if code == _TASK_BEGIN else 0
            yield Annotation(ticks, kind, 0, first, name, 0)
            return
        lane = self._find_lane(goroutine)
        key, name = 0, self._intern(texts.get(second, ""))
        if code == _LOG:
            key, name = name, self._intern(texts.get(third, ""))
        elif code == _REGION_BEGIN:
            self._open.setdefault(lane, []).append((first, name))
        elif (opened := self._open.get(lane)) and (first, name) in opened:
            del opened[len(opened) - 1 - opened[::-1].index((first, name))]
        else:
            return  # the region began before the trace
        yield Annotation(ticks, kind, lane, first, name, key)

    def _end(self, ticks: int, lane: int) -> Iterable[Annotation]:
        """End the regions that a goroutine left open when it ended."""
        for task, name in reversed(self._open.pop(lane, [])):
            yield Annotation(ticks, EventKind.REGION_END, lane, task, name, 0)

    def _find_lane(self, goroutine: int) -> int:
        lane = self._lanes.get(goroutine)
        if lane is None:
            lane = self._lanes[goroutine] = FIRST_GOROUTINE + len(self._lanes)
        return lane

    def _intern(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))


def _read_strings(content: Parts, tables: Iterable[tuple[int, int]]) -> dict[int, str]:
    """Return the strings of a generation by ID. Raises ContentError."""
    texts = {}
    for begin, end in tables:
        at, view = 0, content[begin:end]
        try:
            while at < len(view):
                if view[at] != _STRING:
                    raise ContentError("it is damaged: a table of strings has other content")
                number, at = read_varint(view, at + 1)
                length, at = read_varint(view, at)
                if at + length > len(view):
                    raise IndexError
                texts[number] = bytes(view[at : at + length]).decode("utf-8", "replace")
                at += length
        except IndexError:
            raise ContentError("it is damaged: a table of strings is cut off") from None
    return texts
