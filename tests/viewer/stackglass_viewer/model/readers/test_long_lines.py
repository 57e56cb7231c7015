"""A line of up to 1 MiB is read in time that grows with it, whatever is in it: a search that goes
back for each letter would take an hour, and this module would run into the time limit of a test."""

from __future__ import annotations

import pytest

from harness.reader_seeds import SEEDS
from harness.trace_check import check_any

N = (1 << 20) - 99
COUNTS = b"work profile: total 3\n1 @ 0x10\n"
JAVA = b"--- heapz 1 ---\nformat = java\nresolution = bytes\n 9 1 @ 0x1\n"
LONG = {
    "heap.digits": b"heap profile: 1: 2 [3: 4] @ heap/1\n" + b"1" * N,
    "contention.digits": b"--- mutex:\n" + b"1" * N,
    "contention.spaces": b"--- mutex:\n1 1" + b" " * N + b"x",
    "comment.tabs": COUNTS + b"#\t0x1\t" + b"\t" * N + b"x",
    "comment.names": COUNTS + b"# 0x1 x" + b"+0x1\t" * (N // 5),
    "comment.plus": COUNTS + b"# 0x1 " + b"+0x1" * (N // 4),
    "cpu.tabs": SEEDS["legacy-cpu"] + b"#\t0x1\ta" + b"\t" * N,
    "cpu.spaces": SEEDS["legacy-cpu"] + b"#\t0x1" + b" " * N + b"x",
    "java.attribute": b"--- heapz 1 ---\nformat = java\n" + b"a" * N,
    "java.spaces": JAVA + b" 0x1 " + b" " * N + b"x",
    "java.brackets": JAVA + b" 0x1 " + b" (:" * (N // 3),
    "java.library": JAVA + b" 0x1 " + b" (" * (N // 2) + b"x)",
    "java.equals": b"--- heapz 1 ---\n" + b"====\n" * 700 + b"x",
    "java.newlines": b"--- heapz 1 ---\n" + b"\n" * 3000 + b"x",
    "threadz.names": b"--- threadz 1 ---\n" + b"--- Thread 1 (name: " * (N // 20),
    "collapsed.brackets": b"a;b 1\n" + b" (" * (N // 2) + b";c 1\n",
    "collapsed.spaces": b"a;b " + b"9" * 17 + b".5" + b" " * N + b"\n",
    "collapsed.two": b"a;b " + b"9" * 17 + b".5" + b" " * N + b"1\n",
    "massif.brackets": SEEDS["massif"].replace(b"load", b" (a" * (N // 3)),
    "trace.brackets": b'[{"ph":"X","ts":1,"dur":1,"name":"' + b"(:" * (N // 2) + b')"}]',
    "hermes.brackets": SEEDS["trace-samples"].replace(b":17:3", b"(:" * (N // 2)),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_line_is_read_at_once(name: str) -> None:
    check_any(LONG[name])


@pytest.mark.parametrize(
    "content",
    [
        b"heap_v2/%b\n t*: 1: 1 [0: 0]\n@ 0x1\n t*: 1%b: 1%b [0: 0]\n"
        % (b"9" * 100, b"0" * 99, b"0" * 99),
        b"heap_v2/1\n t*: 1: 1 [0: 0]\n@ 0x%b\n t*: 1: 1 [0: 0]\n" % (b"f" * 400),
        b"heap profile: 1: 2 [3: 4] @ heap%b/1\n" % (b"x" * 4000),
        b"--- heapz 1 ---\nformat = %b\nresolution = bytes\n" % (b"x" * 4000),
        b"--- mutex:\nsampling period=1%b\n" % (b"0" * 99),
        b"--- mutex:\nms since reset=1%b\n1 1 @\n" % (b"0" * 50),
        b"heap_v2/1%b\n t*: 0: 0 [0: 0]\n" % (b"0" * 60),
        b"heap profile: 1: 2 [3: 4] @ heap_v2/1%b\n" % (b"0" * 60),
    ],
    ids=range(8),
)
def test_a_large_number_is_one_short_line(content: bytes) -> None:
    assert not check_any(content)
