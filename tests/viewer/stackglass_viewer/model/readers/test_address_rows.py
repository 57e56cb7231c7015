"""Rows that the loop in C reads beside the same rows taken one by one: same profiles, same errors,
in every format that has them. tests/contract compares the latter with pprof."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.deep_values import list_values
from harness.reader_seeds import SEEDS
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.address_rows import RowForm, RowReader, number_addresses
from stackglass_viewer.model.readers.contention_text import read_contention_text
from stackglass_viewer.model.readers.count_text import read_count_text
from stackglass_viewer.model.readers.heap_text import read_heap_text
from stackglass_viewer.model.readers.jemalloc_heap import read_jemalloc_heap
from stackglass_viewer.model.readers.legacy_java import read_java_text
from stackglass_viewer.model.readers.text_rows import Row, list_lines
from stackglass_viewer.native import _loops

CORPUS = Path(__file__).resolve().parents[4] / "corpus"
Reader = Callable[[bytes], Profile]
HEADS: dict[bytes, Reader] = {
    b"heap profile: 1: 5 [ 0: 0] @ heap_v2/1024\n": read_heap_text,
    b"heap profile: 1: 5 [ 2: 9] @ heap/2048\n": read_heap_text,
    b"heap profile: 1: 5 [ 2: 9] @ heap_v2/1\n": read_heap_text,
    b"heap profile: 1: 5 [ 2: 9] @ heap_v2/999999999999999999\n": read_heap_text,
    b"heap profile: 1: 5 [ 2: 9] @ heap_v2/99999999999999999999\n": read_heap_text,
    b"heap profile: 1: 5 [ 2: 9] @ heapprofile\n": read_heap_text,
    b"heap profile: 1: 5 [ 1: 5] @ growthz\n": read_heap_text,
    b"--- contention:\n": read_contention_text,
    b"--- mutex:\ncycles/second=2300000000\nsampling period=100\n": read_contention_text,
    b"--- mutex:\ncycles/second=1\nsampling period=99999999999\n": read_contention_text,
    b"--- mutex:\nsampling period=99999999999999999999\n": read_contention_text,
    b"--- mutex:\nsampling period=-3\n": read_contention_text,
    b"goroutine profile: total 8\n": read_count_text,
    b"heap_v2/524288\n  t*: 1: 9 [0: 0]\n  t0: 1: 9 [0: 0]\n": read_jemalloc_heap,
    b"heap_v2/512\n  t*: 1: 9 [2: 9]\n": read_jemalloc_heap,
    b"heap_v2/999999999999999999\n  t*: 1: 9 [2: 9]\n": read_jemalloc_heap,
    b"--- heapz 1 ---\nformat = java\nresolution = bytes\n": read_java_text,
    b"--- contentionz 1 ---\nformat = java\nsampling period = 100\n": read_java_text,
    b"--- contentionz 1 ---\nsampling period = 99999999999\nformat = java\n": read_java_text,
    b"--- contentionz 1 ---\nresolution = microseconds\n": read_java_text,
}
HEAP, GO, CONTENTION, COUNT, JEMALLOC, JAVA = (
    next(head for head in HEADS if mark in head)
    for mark in (b"heap_v2/1024", b"heap/2048", b"contention", b"goroutine", b"t0", b"bytes")
)
LONG_PERIOD = b"--- contentionz 1 ---\nsampling period = 99999999999\nformat = java\n"
NUMBERS = st.one_of(
    st.integers(0, 99),
    st.integers(0, 10**19),
    st.sampled_from([0, 0, 10**18 - 1, 10**18, 2**53, 2**53 + 1, 2**63, -1]),
)
ADDRESSES = st.one_of(
    st.sampled_from([0x10, 0x11, 0x20, 0x30, 0x40]).map(hex),
    st.integers(0, 2**64 + 9).map(hex),
    st.sampled_from(["0x0", "0x1", "0x010", "0x", "0xAB", "16", "0x" + "f" * 16, "0x0" + "f" * 16]),
)
STACKS = st.lists(ADDRESSES, max_size=4).map(lambda each: "".join(f" {one}" for one in each))
SPACES = st.sampled_from(["", " ", " ", "  ", "\t"])
FRAMES = st.builds(
    "#{}{}\t{}{}\tapp.py:{}".format,
    st.sampled_from(["\t", " ", ""]),
    ADDRESSES,
    st.sampled_from(["app.load", "app.save", "runtime.goexit", "n\xff"]),
    st.sampled_from(["", "+0x1f", "+0xg"]),
    st.sampled_from([1, 12, 10**18, "x"]),
)
ROWS = st.one_of(
    st.builds("{}: {} [{}: {}] @{}".format, NUMBERS, NUMBERS, NUMBERS, NUMBERS, STACKS),
    st.builds("{0}:{5}{1}{5}[{5}{2}:{5}{3}]{5}@{4}".format, *([NUMBERS] * 4), STACKS, SPACES),
    st.builds("{}{}{} @{}".format, NUMBERS, SPACES, NUMBERS, STACKS),
    st.builds("{3}{0}{3}{1}{3}@{2}".format, NUMBERS, NUMBERS, STACKS, SPACES),
    st.builds("{} @{}".format, NUMBERS, STACKS),
    st.builds("@{}\n  t*: {}: {} [{}: 0]\n  t1: 1: 9 [0: 0]".format, STACKS, *([NUMBERS] * 3)),
    st.builds("@{}".format, STACKS),
    FRAMES,
    st.sampled_from(
        [
            *('# labels: {"a":"b"}', '# labels: {"a":1,"b":"c"}', "# labels: {", "# labels: {}"),
            *(" 0x10 a.b (A.java:3)", "0x20 malloc (libc.so)", "0x30 c (d"),
            *("#", "# comment", "", "\0", "  t3: 1: 2 [0: 0]", "t4: x", "t*: 1: 2 [0: 0]"),
            *("---", "--- Memory map: ---", "MAPPED_LIBRARIES:", "t5: MAPPED_LIBRARIES:"),
            *("discarded samples = 3", "00400000-00500000 r-xp 00001000 08:01 77 /bin/prog"),
        ]
    ),
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\n \x0b"])


@st.composite
def contents(draw: st.DrawFn) -> tuple[bytes, Reader]:
    head = draw(st.sampled_from(sorted(HEADS)))
    repeated = draw(st.lists(st.tuples(ROWS, ENDS), max_size=4))
    rows = [*draw(st.lists(st.tuples(ROWS, ENDS), max_size=12)), *repeated, *repeated]
    return head + "".join(map("".join, rows)).encode("latin-1"), HEADS[head]


def read(reader: Reader, content: bytes) -> object:
    try:
        return list_values(reader(content))
    except ContentError as error:
        return str(error)


def read_one_by_one(reader: Reader, content: bytes) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowReader, "read", lambda _self, form: NONE[form])
        return read(reader, content)


NONE = {form: RowReader(b"").read(form) for form in RowForm}


def compare(content: bytes, reader: Reader) -> None:
    assert read(reader, content) == read_one_by_one(reader, content)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(contents())
@example((HEAP + b"0: 0 [0: 0] @ 0x1\n3: 60 [9: 90] @\n", read_heap_text))
@example((HEAP + b"1: 9007199254740993 [1: 9007199254740993] @ 0x1\n", read_heap_text))
@example((HEAP + b'1: 5 [0: 0] @ 0x1\n\n\n# labels: {"a":"b"}\n1: 5 [0: 0] @ 0x2', read_heap_text))
@example((GO + b"2: 8 [3: 9] @ 0x10 0x20 0x10\n#\t0x10\tf\ta:1\n#\t0x10\tf\ta:1\n", read_heap_text))
@example((GO + b"2: 8 [3: 9] @ 0x10 0x20 0x30\n#\t0x1f\tf\ta:1\n" * 2, read_heap_text))
@example((COUNT + b"1 @ 0x0\n#\t0x0\tf\ta:1\n2 @ 0x1\n#\t0x1\tg\tb:2\n", read_count_text))
@example((COUNT + b"1 @ 0x10\n#\t0x30\tf\ta:1\n2 @ 0x31 0x30\n", read_count_text))
@example((COUNT + b"3 @ 0x1\n3  @ 0x2\n", read_count_text))
@example(
    (
        COUNT + b"1 @ 0x10\n#\t0xf\tf\ta:1\n#\t0xf\tg\ta:2\n2 @ 0x10\n#\t0xf\th\tb:2\n",
        read_count_text,
    )
)
@example((CONTENTION + b"12 @ 0x1\n", read_contention_text))
@example((JEMALLOC + b"@ 0x1 0x2\n  t*: 1: 9 [0: 0]\n  t*: 2: 9 [0: 0]\n", read_jemalloc_heap))
@example((JAVA + b" 9 1 @ 0x1\n 9 1 @  0x1 0x2\n#\n 9 1 @ 0x3\n 0x1 f (A:3)\n", read_java_text))
@example((JAVA + b" 9 1 @ 0x1\n\t9 1 @ 0x1\n 0x1 f (A:3)\n", read_java_text))
@example((JAVA + b" 9 1 @ 0x1\n 9 1 @\n 0x1 f (A:3)\n", read_java_text))
@example((JAVA + b" 9 1 @ 0x1\n 9 0 @ 0x1\n", read_java_text))
@example((LONG_PERIOD + b" 92233722 92233721 @ 0x10\n", read_java_text))
@example((JEMALLOC + b"@ 0x1\n# x\n  t*: 1: 9 [0: 0]\n@ 0x2\n", read_jemalloc_heap))
def test_made_rows_read_as_one_by_one(made: tuple[bytes, Reader]) -> None:
    compare(*made)


@pytest.mark.parametrize("path", ["gperftools.nat.0013.heap", "go.work.goroutine.debug1.txt"])
def test_real_rows_read_as_one_by_one(path: str) -> None:
    content = (CORPUS / path).read_bytes()
    compare(content, read_heap_text if path.endswith("heap") else read_count_text)
    reader = RowReader(content)
    assert reader.take()
    n_rows = len(reader.read(RowForm.HEAP if path.endswith("heap") else RowForm.COUNT))
    assert n_rows == content.count(b" @ 0x"), "rows in their plain form are left to Python"


@pytest.mark.parametrize("head", sorted(HEADS))
@pytest.mark.parametrize(
    "line", [b"#" * (1 << 20), b"# labels: {" + b" " * (1 << 20), b"x" * 2**21]
)
def test_a_line_that_is_too_long_is_refused_where_it_comes(head: bytes, line: bytes) -> None:
    rows = b"1: 5 [0: 0] @ 0x1\n5 1 @ 0x1\n5 @ 0x1\n@ 0x5\n  t*: 1: 5 [0: 0]\n"
    for begin in range(5):
        row = rows.splitlines(keepends=True)[begin]
        row += b"  t*: 1: 5 [0: 0]\n" if row.startswith(b"@") else b""
        compare(head + row + line, HEADS[head])
        compare(head + row * 2 + line, HEADS[head])
        compare(head + row * 2 + line + b"\n" + row, HEADS[head])


def test_a_row_has_up_to_ten_thousand_comments() -> None:
    comments = b"".join(b"#\t0x%x\tf%d\ta.py:1\n" % (each, each) for each in range(10_002))
    stack = b"1 @ 0x%x 0x%x\n"
    compare(COUNT + stack % (9_998, 10_001) + comments + stack % (10_001, 10_002), read_count_text)


def split_rows(content: bytes) -> list[Row]:
    rows: list[Row] = []
    for number, line in enumerate(list_lines(content), 1):
        text = line.strip()
        if not text.startswith(b"#"):
            rows += [Row(number, text, [])] if text else []
        elif rows and (text.startswith(b"# labels: ") or text[1:].strip().startswith(b"0x")):
            rows[-1].comments.append(text)
    return rows


@pytest.mark.parametrize("name", ["heap", "contention", "count", "jemalloc"])
def test_rows_taken_are_those_of_all_lines(name: str) -> None:
    for content in [each for seed, each in SEEDS.items() if name in seed]:
        assert [*RowReader(content)] == split_rows(content)


def test_reading_can_be_cancelled() -> None:
    def stop(share: float) -> None:
        assert 0 < share < 1
        raise CancelledError

    with pytest.raises(CancelledError):
        read_count_text(COUNT + b"1 @ 0x10\n" * 300_000, stop)


def test_addresses_are_numbered_by_their_first_use() -> None:
    rng = np.random.default_rng(3)
    addresses = rng.integers(0, 9000, 40_000, dtype=np.uint64) * np.uint64(2**50)
    different, numbers = number_addresses(addresses)
    assert [*dict.fromkeys(addresses.tolist())] == different.tolist()
    assert (different[numbers] == addresses).all()
    assert [each.tolist() for each in number_addresses(addresses[:0])] == [[], []]


def test_where_no_row_is_plain_the_loop_is_seldom_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """To call it before each row in vain took most of the time; a plain row is soon found."""
    calls: list[int] = []
    read_rows = _loops.read_address_rows

    def note_call(content: bytes, at: int, *rest: Any) -> Any:
        calls.append(at)
        return read_rows(content, at, *rest)

    monkeypatch.setattr(_loops, "read_address_rows", note_call)
    odd, plain = b"1 @  0x10\n" * 1000, b"2 @ 0x10\n" * 1000
    content = b"goroutine profile: total 8\n" + odd.replace(b"1 @", b"0" * 20 + b"1 @") + plain
    profile = read_count_text(content.replace(b"@  ", b"@ "))
    assert int(profile.samples.values.sum()) == 3000
    assert len(calls) < 30
    assert len(content) - calls[-1] > len(plain) - 64 * 9
