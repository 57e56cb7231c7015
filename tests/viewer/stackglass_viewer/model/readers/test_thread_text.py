"""Threads of C++ servers as text; tests/contract compares pprof's own files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from harness.deep_values import list_values
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.readers.address_rows import RowReader
from stackglass_viewer.model.readers.thread_text import is_thread_text, read_thread_text

THREAD = b"--- Thread 7f01 (name: main/12) stack: ---\n"
SAME = b"--- Thread 7f02 (name: worker/13) stack: ---\n  [same as previous thread]\n"


def test_a_thread_with_the_stack_of_the_one_before_counts_there() -> None:
    text = b"--- threadz 1 ---\n\n" + THREAD + b"  PC: 0x10: f\n  0x21: main\n" + SAME + SAME
    assert is_thread_text(text)
    profile = read_thread_text(text)
    assert profile.samples.values.tolist() == [[3]]
    assert profile.locations.address.tolist() == [0x10, 0x20]


def test_a_leaf_that_stands_twice_counts_once() -> None:
    profile = read_thread_text(THREAD + b"0x10 0x10 0x21\n--- Memory map: ---\n0-40 /usr/bin/x\n")
    assert profile.locations.address.tolist() == [0x10, 0x20]
    assert [profile.strings[i] for i in profile.mappings.filename] == ["/usr/bin/x"]


def test_threads_without_a_stack_end_the_list() -> None:
    text = THREAD + b"0x10\n---- no stack trace for 3 threads\nanything\n"
    assert read_thread_text(text).samples.values.tolist() == [[1]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"--- threadz 1 ---\n--- other ---\n", "line 2 is not a sample"),
        (THREAD + b"0x1ffffffffffffffff\n", "more than 64 bits"),
    ],
)
def test_what_cannot_be_read_is_one_error(text: bytes, says: str) -> None:
    with pytest.raises(ContentError, match=says):
        read_thread_text(text)


HEADERS = st.builds(
    "--- Thread {} (name: {}) stack: ---".format,
    st.sampled_from(["7f", "AB", "", "x"]),
    st.sampled_from(["a/1", "a b/2", "a", "/", "a:b/3", "MAPPED_LIBRARIES:/4", "x/y/5"]),
)
ADDRESSES = st.sampled_from(
    [
        *("0x10", "0x00bc8f1c", "0x0", "0x1", "0x" + "f" * 16, "0x0" + "f" * 16),
        *("0x1" + "0" * 16, "0x", "0xg", "0X10", "00x20", "0x0x3"),
    ]
)
ROWS = st.builds(
    "  {} {}: {}".format,
    st.sampled_from(["PC:", "   ", "0", ""]),
    ADDRESSES,
    st.sampled_from(["main", "f(arg *)", "operator 0x30", "[same as previous thread]"]),
)
OTHERS = [
    *("0x10 0x10 0x21", "0x0 0x0", "# 0x5", "", " ", "---", "--- x", "0", "0x", "\xff"),
    *("--- Memory map: ---", "---- no stack trace for 3 threads", "0-40 /usr/bin/x"),
]
LINES = st.one_of(
    st.sampled_from([THREAD, THREAD, SAME]).map(bytes.decode),
    *(HEADERS, ROWS, st.sampled_from(OTHERS)),
)
ENDS = st.sampled_from(["\n", "\n", "\r\n", " \n", "\n\n", ""])


def read(content: bytes) -> object:
    try:
        return list_values(read_thread_text(content))
    except ContentError as error:
        return str(error)


def compare(content: bytes) -> None:
    found = read(content)
    no_stacks = RowReader(b"").read_threads()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowReader, "read_threads", lambda _self: no_stacks)
        assert read(content) == found


@settings(max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(LINES, ENDS), max_size=16))
@example([("--- Thread 1 (name: a/1) stack: ---", "\n"), ("0x5", "\n"), (SAME.decode(), "")])
@example([(THREAD.decode(), ""), ("0x5", "\n"), (THREAD.decode(), ""), ("0x0 0x0", "")])
def test_made_threads_read_as_one_by_one(lines: list[tuple[str, str]]) -> None:
    content = "".join(map("".join, lines)).encode("latin-1")
    compare(content)
    compare(b"--- threadz 1 ---\n\n# x\n" + content)


@pytest.mark.parametrize("line", [b"#" * (1 << 20), b"x" * 2**21, b"--- Thread " + b"1" * 2**20])
def test_a_line_that_is_too_long_is_refused_where_it_comes(line: bytes) -> None:
    stack = b"  PC: 0x10: f\n  0x21: main\n"
    for before in (b"", THREAD, THREAD + stack, THREAD + stack + SAME, THREAD + stack + THREAD):
        compare(before + line)
        compare(before + line + b"\n" + THREAD + stack)


def test_real_threads_are_read_in_plain_form() -> None:
    paths = sorted((Path(__file__).resolve().parents[4] / "corpus").glob("*thread*"))
    texts = [path.read_bytes() for path in paths if path.is_file()]
    for content in [text for text in texts if is_thread_text(text[:4096])]:
        compare(content)


def test_reading_can_be_cancelled() -> None:
    def stop(share: float) -> None:
        assert 0 < share < 1
        raise CancelledError

    with pytest.raises(CancelledError):
        read_thread_text((THREAD + b"0x10\n") * 100_000, stop)
