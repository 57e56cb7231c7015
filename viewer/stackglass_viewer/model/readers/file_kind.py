"""File kinds, recognised by a file's first bytes."""

from __future__ import annotations

import re
from enum import Enum

from stackglass_viewer.model.readers.contention_text import is_contention_text
from stackglass_viewer.model.readers.count_text import is_count_text
from stackglass_viewer.model.readers.heap_text import is_heap_text
from stackglass_viewer.model.readers.jemalloc_heap import is_jemalloc_heap
from stackglass_viewer.model.readers.legacy_cpu import find_word

_LOOK_BYTES = 4096


class FileKind(Enum):
    """What a file is; where it cannot be read, ``refusal`` says so and ``remedy`` what helps."""

    PPROF = ("", "")
    PSTATS = ("", "")
    LEGACY_CPU = ("", "")
    HEAP_TEXT = ("", "")
    JEMALLOC_HEAP = ("", "")
    CONTENTION_TEXT = ("", "")
    COUNT_TEXT = ("", "")
    EMPTY = ("it is empty", "")
    GZIP = ("it is compressed twice", "gunzip it first")
    ZSTD = ("it is compressed with zstd, not gzip", "decompress it first: zstd -d FILE")
    XZ = ("it is compressed with xz, not gzip", "decompress it first: xz -d FILE")
    ZIP = ("it is a zip archive", "unpack it first")
    JSON = ("it is JSON, and profiles in JSON cannot be read yet", "")
    PPROF_TEXT = (
        "it is pprof's old text format, which cannot be read yet",
        "go tool pprof -proto FILE > FILE.pb.gz converts it",
    )
    COLLAPSED = ("it looks like collapsed stacks, which cannot be read yet", "")
    PERF_DATA = (
        "it is perf's own format, which cannot be read",
        "perf script prints it as text; pprof's perf_to_profile converts it",
    )
    GO_TRACE = (
        "it is a Go execution trace, not a profile",
        "go tool trace -pprof=TYPE FILE > FILE.pb.gz makes profiles of it",
    )
    MEMRAY = ("it is memray's own format, which cannot be read", "")
    ELF = ("it is a program, not a profile", "")
    TEXT = ("it is a text file, not a profile", "")
    UNKNOWN = ("it is not a profile in a known format", "")

    def __init__(self, refusal: str, remedy: str) -> None:
        self.refusal = refusal
        self.remedy = remedy

    def __new__(cls, *_args: str) -> FileKind:
        kind = object.__new__(cls)
        kind._value_ = len(cls.__members__)  # without it, the readable ones would be one
        return kind

    @property
    def is_readable(self) -> bool:
        return not self.refusal


_MAGICS = (
    (b"\x1f\x8b", FileKind.GZIP),
    (b"\x28\xb5\x2f\xfd", FileKind.ZSTD),
    (b"\xfd7zXZ\x00", FileKind.XZ),
    (b"PK\x03\x04", FileKind.ZIP),
    (b"PERFILE2", FileKind.PERF_DATA),
    (b"go 1.", FileKind.GO_TRACE),
    (b"memray\x00", FileKind.MEMRAY),
    (b"\x7fELF", FileKind.ELF),
)
_PPROF_TEXT = re.compile(
    rb"\s*(heap profile:|heapz|--- ?(threadz|Thread|heapz|growthz|cpu|symbol))"
)
_COLLAPSED = re.compile(rb"(#[^\n]*\n)*[^\n]+ -?\d+(\.\d+)?\r?\n")

_TEXTS = (
    (is_heap_text, FileKind.HEAP_TEXT),
    (is_jemalloc_heap, FileKind.JEMALLOC_HEAP),
    (is_contention_text, FileKind.CONTENTION_TEXT),
    (is_count_text, FileKind.COUNT_TEXT),
)

# Wire types of pprof's Profile by field number. 0 = varint, 2 = length-delimited; comment (13) is
# repeated, so it may be either.
_VARINT, _BYTES = 0, 2
_WIRE_TYPES = {
    1: {_BYTES},
    2: {_BYTES},
    3: {_BYTES},
    4: {_BYTES},
    5: {_BYTES},
    6: {_BYTES},
    7: {_VARINT},
    8: {_VARINT},
    9: {_VARINT},
    10: {_VARINT},
    11: {_BYTES},
    12: {_VARINT},
    13: {_VARINT, _BYTES},
    14: {_VARINT},
    15: {_VARINT},
}


def is_gzip(content: bytes | bytearray) -> bool:
    """Packed with gzip."""
    return content[:2] == b"\x1f\x8b"


def recognise(content: bytes | bytearray) -> FileKind:
    """What unpacked content is. The beginning of a file is enough."""
    head = bytes(content[:_LOOK_BYTES])
    if not head:
        return FileKind.EMPTY
    for magic, kind in _MAGICS:
        if head.startswith(magic):
            return kind
    if find_word(head):
        return FileKind.LEGACY_CPU
    if _is_pstats(head):
        return FileKind.PSTATS
    if _is_pprof(head):
        return FileKind.PPROF
    return _recognise_text(head)


def _is_pstats(head: bytes) -> bool:
    """Python's marshal of a dict with a tuple as first key; each byte may have a flag (0x80)."""
    return len(head) > 1 and head[0] & 0x7F == ord("{") and head[1] & 0x7F in (ord("("), ord(")"))


def _is_pprof(head: bytes) -> bool:
    """Every field that is seen is one of Profile's, of the type it has there."""
    at = 0
    n_fields = 0
    while at < len(head):
        key, at = _read_varint(head, at)
        if key < 0:
            break  # the head ends within a field
        if key & 7 not in _WIRE_TYPES.get(key >> 3, ()):
            return False
        value, at = _read_varint(head, at)
        if value < 0:
            break
        if key & 7 == _BYTES:
            at += value
        n_fields += 1
    return n_fields > 0


def _read_varint(head: bytes, at: int) -> tuple[int, int]:
    """The number at a place and the place behind it; -1 if it is cut off or too long."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(head):
            return -1, at
        value |= (head[at] & 0x7F) << shift
        at += 1
        if head[at - 1] < 0x80:
            return value, at
    return -1, at


def _recognise_text(head: bytes) -> FileKind:
    for is_kind, kind in _TEXTS:
        if is_kind(head):
            return kind
    if head.lstrip()[:1] in (b"{", b"["):
        return FileKind.JSON
    if _PPROF_TEXT.match(head):
        return FileKind.PPROF_TEXT
    if b"\0" in head:
        return FileKind.UNKNOWN
    if _COLLAPSED.match(head):
        return FileKind.COLLAPSED
    try:
        head[: max(1, len(head) - 4)].decode()
    except UnicodeDecodeError:
        return FileKind.UNKNOWN
    return FileKind.TEXT
