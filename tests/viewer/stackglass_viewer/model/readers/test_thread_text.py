"""Threads of C++ servers as text; tests/contract compares pprof's own files."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.errors import ProfileError
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
    with pytest.raises(ProfileError, match=says):
        read_thread_text(text)
