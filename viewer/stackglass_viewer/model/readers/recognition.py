"""Recognition of a file's kind by its first bytes, never by its name."""

from __future__ import annotations

from stackglass_viewer.model.readers.file_kind import FileKind
from stackglass_viewer.model.readers.json_recognition import recognise_json
from stackglass_viewer.model.readers.legacy_cpu import find_word_type
from stackglass_viewer.model.readers.otlp_layout import is_framed_otlp, is_otlp, is_packed_otlp
from stackglass_viewer.model.readers.text_recognition import has_stacks, recognise_text
from stackglass_viewer.model.readers.text_rows import MOST_LINE_BYTES

_HEAD_BYTES = 4096
_MAGICS = (
    (b"\x1f\x8b", FileKind.GZIP),
    (b"\x28\xb5\x2f\xfd", FileKind.ZSTD),
    (b"\xfd7zXZ\x00", FileKind.XZ),
    (b"BZh", FileKind.BZIP2),
    (b"PK\x03\x04", FileKind.ZIP),
    (b"PERFILE2", FileKind.PERF_DATA),
    (b"SIMPLEPERF\x01", FileKind.SIMPLEPERF),
    (b"*version\n", FileKind.ART_TRACE),
    *((b"SLOW" + bytes((0xF0 | version, 0)), FileKind.ART_TRACE) for version in (1, 2, 3)),
    (b"stackglass ", FileKind.MEMORY_TRACE),
    (b"go 1.", FileKind.GO_TRACE),
    (b"memray\x00", FileKind.MEMRAY),
    (b"TACH", FileKind.TACHYON),
    (b"HCAT", FileKind.TACHYON),
    (b"MOJ", FileKind.MOJO),
    (b"FLR\x00", FileKind.FLIGHT_RECORDING),
    (b"gmon", FileKind.GMON),
    (b"Nettrace", FileKind.NETTRACE),
    (b"SQLite format 3\x00", FileKind.SQLITE),
    (b"\x7fELF", FileKind.ELF),
    (b"\x80\x02cyappi\n", FileKind.YAPPI),
)
_LZ4 = b"\x04\x22\x4d\x18"
_PICKLES = (*(bytes((0x80, version, 0x95)) for version in (4, 5)), b"\x80\x02c", b"\x80\x03c")

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_CONTROL_BYTES = frozenset({*range(32), 127} - set(b"\t\n\v\f\r\x1b"))

# Wire types of pprof's Profile by field number. 0 = varint, 2 = length-delimited; comment (13) is a
# repeated number, so it may be either. Other fields are skipped: a newer version may have them.
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
_FIXED_BYTES = {1: 8, 5: 4}  # by wire type
_ANY_TYPES = {_VARINT, _BYTES, *_FIXED_BYTES}


def is_gzip(content: bytes | bytearray) -> bool:
    """Whether the content is compressed with gzip."""
    return content[:2] == b"\x1f\x8b"


def is_zstd(content: bytes | bytearray) -> bool:
    """Whether the content is compressed with zstd."""
    return content[:4] == b"\x28\xb5\x2f\xfd"


def recognise(content: bytes | bytearray) -> FileKind:
    """Return the kind of unpacked content. The first bytes of a file are enough: 64 KiB for
    JSON."""
    head = bytes(content[:_HEAD_BYTES])
    if not head:
        return FileKind.EMPTY
    for magic, kind in _MAGICS:
        if head.startswith(magic):
            return kind
    if head.startswith(_LZ4):  # LZ4 stores the first bytes of a file as they are
        return FileKind.MEMRAY if b"memray" in head[:32] else FileKind.LZ4
    if head.startswith(_PICKLES):
        return FileKind.PICKLE
    if find_word_type(head):
        return FileKind.LEGACY_CPU
    if _is_pstats(head):
        return FileKind.PSTATS
    if _has_control_bytes(head):
        if is_otlp(head):
            return FileKind.OTLP
        if is_packed_otlp(head):
            return FileKind.OTLP_PACKED
        if is_framed_otlp(head):
            return FileKind.OTLP_MESSAGES
        if _is_pprof(head):
            return FileKind.PPROF
    if head.startswith(_UTF16) and head.count(0) > len(head) // 4:
        return FileKind.UTF16
    found = recognise_json(content) or recognise_text(head)
    if found is FileKind.TEXT and has_stacks(_end_line(content)):
        return FileKind.COLLAPSED
    return found


def _end_line(content: bytes | bytearray) -> bytes:
    """Return the first whole lines, the last of which may end far behind the head: a stack of long
    names is a long line. The last line of a file may lack its line break, which is added."""
    most = _HEAD_BYTES + MOST_LINE_BYTES
    end = content.find(b"\n", _HEAD_BYTES, most)
    return bytes(content[: end if end >= 0 else most]) + b"\n"


def _is_pstats(head: bytes) -> bool:
    """Whether the content is Python's marshal of a dict whose first key is a tuple, or of an empty
    dict, from a profiler that was never enabled. Each type byte may have the flag 0x80."""
    if len(head) < 2 or head[0] & 0x7F != ord("{"):
        return False
    return head[1] & 0x7F in (ord("("), ord(")")) or head[1:] == b"0"


def _is_pprof(head: bytes) -> bool:
    """Whether there are fields of pprof's Profile, and all of them have the right wire type."""
    at = 0
    n_known = 0
    while at < len(head):
        key, at = _read_varint(head, at)
        if key < 0:
            break  # the head ends within a field
        number, wire_type = key >> 3, key & 7
        if number == 0 or wire_type not in _WIRE_TYPES.get(number, _ANY_TYPES):
            return False
        if wire_type in _FIXED_BYTES:
            at += _FIXED_BYTES[wire_type]
            continue
        value, at = _read_varint(head, at)
        if value < 0:
            break
        if wire_type == _BYTES:
            at += value
        n_known += number in _WIRE_TYPES
    return n_known > 0


def _has_control_bytes(head: bytes) -> bool:
    """Whether there are bytes that text does not have; every protobuf message has some."""
    return not _CONTROL_BYTES.isdisjoint(head)


def _read_varint(head: bytes, at: int) -> tuple[int, int]:
    """Return the varint at ``at`` and the offset after it; -1 = it is cut off or too long."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(head):
            return -1, at
        value |= (head[at] & 0x7F) << shift
        at += 1
        if head[at - 1] < 0x80:
            return value, at
    return -1, at
