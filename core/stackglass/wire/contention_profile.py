"""The contention of a session as the profiles block, mutex, gil, tasks and stalls.

Values are scaled already, so the period is 1: no reader multiplies them. Equal stacks with equal
labels are one row, whatever lock they are about. Waits that Go's profiles do not have carry the
label ``wait``, which says what was waited for.
"""

from __future__ import annotations

from array import array

from stackglass.named_tuple import NamedTuple
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.contention_recording import ContentionRecording, ContentionRow
from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType

CONTENTIONS = SampleType("contentions", "count")
DELAY = SampleType("delay", "nanoseconds")
PROFILES = {
    "block": ContentionKind.BLOCK,
    "mutex": ContentionKind.MUTEX,
    "gil": ContentionKind.GIL,
    "tasks": ContentionKind.TASK,
    "stalls": ContentionKind.STALL,
}
"""Kinds by the names of their profiles."""
LABEL = "wait"


class FileMarks(NamedTuple):
    """What distinguishes the files of two kinds with equal sample types. pprof merges and subtracts
    only files with the same period type."""

    period_type: SampleType
    comment: str
    doc_url: str = ""


_GO = "https://pkg.go.dev/runtime/pprof#Profile"
_GIL = "https://docs.python.org/3/glossary.html#term-global-interpreter-lock"
_ASYNCIO = "https://docs.python.org/3/library/asyncio-dev.html"


def _mark(name: str, comment: str, doc_url: str = "") -> FileMarks:
    return FileMarks(SampleType(name, "count"), f"{name}: {comment}", doc_url)


MARKS = {
    ContentionKind.BLOCK: _mark("block", "waits for locks, by the stack that waited", _GO),
    ContentionKind.MUTEX: _mark(
        "mutex", "waits for locks, by the stack that released the lock", _GO
    ),
    ContentionKind.GIL: _mark("gil", "waits for the GIL, by the stack that held it", _GIL),
    ContentionKind.OTHER: _mark("other", "other calls that block, by the stack that waited"),
    ContentionKind.TASK: _mark(
        "tasks", "waits of asyncio tasks, by the stack of the task", _ASYNCIO
    ),
    ContentionKind.STALL: _mark(
        "stalls", "time that an event loop was blocked, by the stack that blocked it", _ASYNCIO
    ),
    ContentionKind.IDLE: _mark("idle", "time that an event loop had nothing to do", _ASYNCIO),
}
"""By kind. PAIR has no file of its own."""


def build(
    definitions: ProfileTables,
    contention: ContentionRecording,
    kind: ContentionKind,
    time_unix_ns: int,
    duration_ns: int,
    has_other: bool = False,
) -> ProfileTables:
    """Return the profile of a kind since ``time_unix_ns``, with the names and stacks of
    ``definitions``; ``has_other`` adds the waits for other things than locks.

    Go's files have no duration; with ``duration_ns`` each delay is also a share of wall time.
    """
    rows = contention.list_rows(kind)
    if has_other:
        rows += contention.list_rows(ContentionKind.OTHER)
    marks = MARKS[kind]
    label_sets: dict[LabelSet, int] = {(): 0}
    labels = [label_sets.setdefault(list_labels(definitions, row), len(label_sets)) for row in rows]
    return definitions._replace(
        sample_node=array("I", (row.node for row in rows)),
        sample_labels=array("I", labels),
        sample_values=(
            array("Q", (row.contentions for row in rows)),
            array("Q", (row.delay_ns for row in rows)),
        ),
        label_sets=tuple(label_sets),
        sample_types=(CONTENTIONS, DELAY),
        default_type=DELAY.name,
        period_type=marks.period_type,
        period=1,
        time_unix_ns=time_unix_ns,
        duration_ns=duration_ns,
        comments=(marks.comment,),
        doc_url=marks.doc_url,
    )


def list_labels(tables: ProfileTables, row: ContentionRow) -> LabelSet:
    """Return the row's labels and, as ``wait``, what was waited for; ``tables`` has the strings."""
    return (*row.labels, *(((LABEL, tables.strings[row.primitive]),) if row.primitive else ()))
