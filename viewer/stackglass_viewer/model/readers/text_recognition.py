"""Recognition of text formats by the first lines of a file."""

from __future__ import annotations

import re

from stackglass_viewer.model.readers.contention_text import is_contention_text
from stackglass_viewer.model.readers.count_text import is_count_text
from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.goroutine_dump import is_goroutine_dump
from stackglass_viewer.model.readers.heap_text import is_heap_text
from stackglass_viewer.model.readers.jemalloc_heap import is_jemalloc_heap
from stackglass_viewer.model.readers.legacy_java import is_java_text
from stackglass_viewer.model.readers.thread_dump import is_thread_dump
from stackglass_viewer.model.readers.thread_text import is_thread_text

COLLAPSED_MARK = "# collapsed stacks"
"""The first line of a file of stacks that could be taken for a file of another kind."""

_MARKED = re.compile(COLLAPSED_MARK.encode() + rb"\r?\n")
_TESTS = (
    (is_heap_text, FileKind.HEAP_TEXT),
    (is_jemalloc_heap, FileKind.JEMALLOC_HEAP),
    (is_java_text, FileKind.JAVA_TEXT),
    (is_contention_text, FileKind.CONTENTION_TEXT),
    (is_thread_text, FileKind.THREAD_TEXT),
    (is_goroutine_dump, FileKind.GOROUTINE_DUMP),
    (is_thread_dump, FileKind.THREAD_DUMP),
    (is_count_text, FileKind.COUNT_TEXT),
)
_BEGINNINGS = (
    (
        re.compile(rb"\s*(heap profile:|heapz|--- ?(threadz|Thread|heapz|growthz|cpu|symbol))"),
        FileKind.PPROF_TEXT,
    ),
    (re.compile(rb"\s*(# callgrind format|version: \d+\ncreator: )"), FileKind.CALLGRIND),
    (re.compile(rb"(?:[^\n]*\n){0,20}events: [^\n]*\n(?s:.*\n)?fn=\(?"), FileKind.CALLGRIND),
    (re.compile(rb"desc: [^\n]*\ncmd: [^\n]*\ntime_unit: "), FileKind.MASSIF),
    (re.compile(rb"# austin: |P\d+;T[\w:]+;"), FileKind.AUSTIN),
    (
        re.compile(rb"(#[^\n]*\n|\n)*[^\n]+\s\d+(/\d+)?\s+(\[\d+\]\s+)?\d+\.\d+:\s+[^\n]*:"),
        FileKind.PERF_SCRIPT,
    ),
    (  # without a time, a frame must follow
        re.compile(
            rb"(#[^\n]*\n|\n)*[^\n]+\s\d+(/\d+)?\s+(\[\d+\]\s+)?(\d+\s+)?\S+:\s*\n?"
            rb"\s*[0-9a-f]+ [^\n]*\([^\n]*\)\r?\n"
        ),
        FileKind.PERF_SCRIPT,
    ),
    (re.compile(rb"\s*\d+ function calls( \(\d+ primitive calls\))? in "), FileKind.STATS_TEXT),
)
_MARKUP = ((b"<svg", FileKind.SVG), (b"<html", FileKind.HTML), (b"<!doctype html", FileKind.HTML))
_COLLAPSED_LINE = re.compile(rb"(?:[^\s].*)? -?\d+(\.\d+)?( -?\d+(\.\d+)?)?")


def recognise_text(head: bytes) -> FileKind:
    """Return the kind of a text file. ``head``: the first bytes of a file of no other kind. UNKNOWN
    = it is not text."""
    if _MARKED.match(head):
        return FileKind.COLLAPSED
    for is_kind, kind in _TESTS:
        if is_kind(head):
            return kind
    if b"\0" in head:
        return FileKind.UNKNOWN
    for beginning, kind in _BEGINNINGS:
        if beginning.match(head):
            return kind
    if head.lstrip().startswith(b"<"):
        lower = head.lower()
        found = [(lower.index(mark), kind.value, kind) for mark, kind in _MARKUP if mark in lower]
        if found:
            return min(found)[2]
    if has_stacks(head):
        return FileKind.COLLAPSED
    try:
        head[: max(1, len(head) - 4)].decode()
    except UnicodeDecodeError:
        return FileKind.UNKNOWN
    return FileKind.TEXT


def has_stacks(head: bytes) -> bool:
    """Whether a text is collapsed stacks: every whole line is ``frame;frame count``, and a line has
    more than one frame."""
    lines = head.splitlines()
    if not head.endswith(b"\n") and len(lines) > 1:
        lines.pop()  # the last line may be cut
    stacks = [line.rstrip() for line in lines if line.strip() and not line.startswith(b"#")]
    has_callers = any(b";" in line for line in stacks)
    return has_callers and all(_COLLAPSED_LINE.fullmatch(line) for line in stacks)
