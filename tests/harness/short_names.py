"""Files with many distinct names of three bytes, for `test_memory`; and pprof's oldest formats.

Such a name takes 44 or 52 bytes as a Python string. There are just so many names that hash tables
grow once more.
"""

from __future__ import annotations

import string
import struct
from itertools import islice, product

from harness.memory_files import BASE, field, varint

_LETTERS = string.ascii_letters.encode() + b"!$%&^_`|~?"
_EVENTS = b"events: " + b" ".join(b"e%d" % each for each in range(32)) + b"\n"
_MANY = 1 << 17
_HEAD = b"goroutine 1 [a]:\n"
_MASSIF = b"desc: x\ncmd: x\ntime_unit: i\nsnapshot=0\nheap_tree=peak\nn%d: 9999999 (heap)\n"
_JAVA = b"--- heapz 1 ---\nformat = java\nresolution = bytes\n 1 1 @ 0x1\n"
_HEAP = b"heap profile: 1: 1 [1: 2] @ heapprofile\n"
_JEMALLOC = b"heap_v2/1\n t*: 0: 0 [1: 1]\n"


def list_names(n: int) -> list[bytes]:
    """List the first names of three bytes: ASCII, then with letters of two bytes."""
    wide = (chr(each).encode() for each in range(0xC0, 0x800))
    ascii_names = (bytes(each) for each in product(_LETTERS, repeat=3))
    wide_names = (letter + bytes([other]) for letter in wide for other in _LETTERS)
    return [*islice(ascii_names, n), *islice(wide_names, max(n - len(_LETTERS) ** 3, 0))]


def make_comments(names: list[bytes]) -> bytes:
    """Make a pprof file with a comment for each name."""
    texts = b"".join(field(6, name) for name in names)
    return BASE + texts + field(13, b"".join(varint(3 + k) for k in range(len(names))))


def join_stacks(names: list[bytes], begin: bytes = b"") -> bytes:
    """Join names to lines with stacks of 64 names."""
    stacks = (b";".join(names[k : k + 64]) for k in range(0, len(names), 64))
    return b"".join(begin + stack + b" 1\n" for stack in stacks)


def make_texts() -> dict[str, bytes]:
    """Make a text of each format, of half a million to four million bytes."""
    names = list_names(_MANY + 500)
    return {
        "collapsed": join_stacks(list_names((1 << 18) + 500)),
        "collapsed.bad": join_stacks([b"\xff" + name for name in names]),
        "austin": join_stacks(names, b"P7;T1;"),
        "austin.rows": b"".join(b"P7;T1;%b 1\n" % name for name in names),
        "austin.threads": b"".join(b"P7;T%d;a 1\n" % k for k in range(_MANY)),
        "callgrind": b"events: Ir\n" + b"".join(b"fn=%b\n1 5\n" % name for name in names),
        "callgrind.free": b"events: Ir\n" + b"".join(b"fn=%b\n" % name for name in names),
        "callgrind.edges": b"events: e f\nfn=a\n"
        + b"".join(b"cfn=%b\ncalls=1\n1\n" % name for name in names),
        "callgrind.events": _EVENTS + b"".join(b"fn=%b\n" % name for name in names[:50_000]),
        "callgrind.calls": _EVENTS + b"fn=a\ncfn=b\n" + b"calls=1 1\n1\n" * 100_000,
        "perf": b"a 1 1.5: 9 c:\n" + b"".join(b"\t1 %b (a)\n" % name for name in names) + b"\n",
        "goroutines": _HEAD + b"".join(b"%b()\n\ta:1\n" % name for name in names),
        "goroutines.odd": _HEAD + b"".join(b"%b()\n\ta:1 x\n" % name for name in names),
        "goroutines.one": b"".join(_HEAD + b"%b()\n\ta:1\n\n" % name for name in names),
        "threads": b'thread 1 "a" [b]:\n' + b"".join(b"%b()\n\ta:1\n" % name for name in names),
        "comments": make_comments(list_names((1 << 18) + 500)),
        "massif": _MASSIF % len(names) + b"".join(b" n0: 1 %b\n" % name for name in names),
        "counts": b"a profile: total 3\n"
        + b"".join(b"1 @ 0x%x\n#\t0x%x\t%b\ta:1\n" % (k, k, x) for k, x in enumerate(names)),
        "counts.labels": b"a profile: total 3\n"
        + b"".join(b'1 @\n# labels: {"a":"%b"}\n' % name for name in names),
        "java.places": _JAVA + b"".join(b"0x%x a%d\n" % (k, k) for k in range(_MANY)),
        "heap.odd": _HEAP + b"-1:1[1:1] @\n" * _MANY,
        "jemalloc": _JEMALLOC + b"".join(b"@ 0x%x\nt*:1:1[1:1]\n" % k for k in range(_MANY)),
        "jemalloc.odd": _JEMALLOC + b"t*:1:1[1:1]\n" * _MANY,
    }


def make_binaries() -> dict[str, bytes]:
    """Make CPU profiles from before protobuf, with as many samples, symbols or maps as fit."""
    places = range(1, _MANY)

    def pack(words: str, kind: int, addresses: range, text: bytes = b"") -> bytes:
        packed = struct.Struct(words[0] + "3" + words[1]).pack
        samples = b"".join(packed(1, 1, address) for address in addresses)
        head = struct.pack(words[0] + "5" + words[1], 0, 3, kind, 1, 0)
        return head + samples + packed(0, 1, 0) + text

    return {
        "cpu": pack("<I", 0, places),
        "cpu.64": pack(">Q", 0, places[: _MANY // 2]),
        "cpu.java": pack("<I", 1, places, b"".join(b"0x%x a%d\n" % (k, k) for k in places)),
        "cpu.names": pack(
            *("<I", 0, places), b"".join(b"#\t0x%x\ta%d\tb:1\n" % (k, k) for k in places)
        ),
        "cpu.lines": pack("<I", 0, range(0), b"\n" * 2_000_000),
    }
