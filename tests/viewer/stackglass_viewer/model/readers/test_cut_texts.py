"""Texts that are cut off: they open with a warning, and whole ones without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackglass.threads.go_text import format_counts
from stackglass.threads.report import Report
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.opener import open_content

CUT = ("its last line has no end: is it whole?",)
CORPUS = Path(__file__).parents[4] / "corpus"
GOROUTINES = b"""goroutine 1 [running]:
main.(*Pool).wait(0xc000012345, {0x1, 0x2})
\t/src/pool.go:230 +0x58

goroutine 18 [select]:
main.work(...)
\t/src/main.go:7
created by main.main in goroutine 1
\t/src/main.go:11 +0x99
"""
PERF = b"""app  4711/4712 [003] 12.900039:    1000000 task-clock:u:
\t    7f8fd18d92bc load+0x69c (/usr/lib/libx.so.2)

app  4711/4712 [003] 12.910039:    1000000 task-clock:u:
\t    7f8fd18d92bc load+0x69c (/usr/lib/libx.so.2)
\t    7f8fd18d92ff main+0x69c (/usr/lib/libx.so.2)

"""
PERF_WITHOUT_STACKS = b"app 4711 12.9: cpu-clock: \napp 4711 13.9: cpu-clock: \n"
MASSIF = b"""desc: --massif-out-file=m.out
cmd: ./m
time_unit: i
#-----------
snapshot=0
#-----------
time=1
mem_heap_B=7
mem_heap_extra_B=8
mem_stacks_B=0
heap_tree=peak
n0: 7 (heap allocation functions) malloc
#-----------
snapshot=1
#-----------
time=2
mem_heap_B=0
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=empty
"""
XDEBUG = b"version: 1\ncreator: xdebug 3\n\nevents: Time\nfl=(1) a\nfn=(1) f\n3 17\n"
YAPPI = b"""version: 1
creator: yappi
pid: 7
cmd:  app.py
part: 1

events: Ticks

fl=(0) app.py
fl=(1) app.py
fn=(0) g app.py:4
fn=(1) f app.py:3

fl=(0)
fn=(0)
4 270
cfl=(1)
cfn=(1)
calls=200 0
0 4093

fl=(1)
fn=(1)
3 544"""  # it has no line end
HEAP = b"heap profile: 1: 5 [2: 9] @ heap/2\n1: 5 [2: 9] @ 0x10\n#\t0xf\tf+0x1\ta.go:3\n\n# A = 1\n"
TEXTS = [
    (CORPUS / "go.work.goroutine.debug1.txt").read_bytes(),
    b"--- mutex:\ncycles/second=99\nsampling period=1\n7 1 @ 0x10\n#\t0xf\tf+0x1\ta.go:3\n\n",
    HEAP,
    *(GOROUTINES, PERF, PERF_WITHOUT_STACKS, MASSIF, XDEBUG),
    b"P1;T0:2;a.py:f:1 520\n",
]
NAMES = ["count", "mutex", "heap", "goroutines", "perf", "perf -F", "massif", "xdebug", "austin"]


@pytest.mark.parametrize("text", TEXTS, ids=NAMES)
def test_a_text_cut_within_a_line_is_not_passed_off_as_whole(text: bytes) -> None:
    assert open_content(text, "x").warnings == ()
    assert open_content(text.removesuffix(b"\n").removesuffix(b"\n"), "x").warnings
    n_opened = 0
    for end in range(max(1, len(text) - 200), len(text), 3):
        if text[end - 1 : end] == b"\n":
            continue
        try:
            warnings = open_content(text[:end], "x").warnings
        except ContentError:
            continue
        n_opened += 1
        assert warnings, text[:end]
    assert n_opened


def test_yappi_never_ends_its_last_line() -> None:
    for whole in (YAPPI, YAPPI + b"\n", YAPPI[: YAPPI.index(b"\nfl")]):
        assert open_content(whole, "x").warnings == ()
    for last in (b"\nfl=(1)", b"\nfn=(1)", b"\nfn=(1)\n", b"\nfl=(1", b"app.py:3"):
        cut = YAPPI[: YAPPI.rindex(last) + len(last)]
        assert open_content(cut, "x").warnings == CUT, cut


def test_an_end_within_a_stack_or_before_a_snapshot_is_said() -> None:
    of_stack = ("its last stack has no end: is it whole?",)
    lines = GOROUTINES.splitlines(keepends=True)
    assert open_content(b"".join(lines[:6]), "x").warnings == of_stack
    assert open_content(b"".join(lines[:8]), "x").warnings == of_stack
    assert open_content(b"".join(lines[:7]), "x").warnings == ()
    head = PERF[: PERF.index(b"\n\n") + 2] + PERF[: PERF.index(b"\n") + 1]
    assert open_content(head, "x").warnings == ("its last sample has no end: is it whole?",)
    cut = MASSIF[: MASSIF.index(b"snapshot=1")]
    assert open_content(cut, "x").warnings == ("it ends before a snapshot: is it whole?",)


def test_a_text_that_counts_nothing_has_an_end() -> None:
    text = format_counts(Report(7, "", "", 0, (), (), (), {}), "threadleak").encode()
    assert text == b"threadleak profile: total 0\n"
    assert open_content(text, "x").warnings == ()
