"""Profiles of Java programs as text; tests/contract compares pprof's own files."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.legacy_java import is_java_text, read_java_text

HEAP = b"--- heapz 1 ---\nformat = java\nresolution = bytes\n"
WAITS = b"--- contentionz 1 ---\nformat = java\nresolution=microseconds\nsampling period = 100\n"


def test_waits_are_multiplied_by_the_period_and_keep_their_unit() -> None:
    text = WAITS + b"ms since reset = 7\n 14 2 @ 0x1 0x2\n\n 0x1 a (A.java:3)\n 0x2 b (B.java:-1)\n"
    assert is_java_text(text)
    profile = read_java_text(text)
    assert [each.unit for each in profile.sample_types] == ["count", "microseconds"]
    assert profile.samples.values.tolist() == [[200], [1400]]
    assert profile.duration_ns == 7_000_000
    assert profile.locations.line_number.tolist() == [3, 0]


def test_a_heap_stands_for_what_was_not_sampled_and_has_no_frames_of_allocators() -> None:
    profile = read_java_text(
        HEAP + b" 1048576 1 @ 0x1 0x2\n 0x1 malloc (libc.so)\n 0x2 load (A.java:3)\n"
    )
    assert profile.samples.values.tolist() == [[1], [1212696]]
    assert profile.samples.stack.tolist() == [1]
    assert profile.labels.number.tolist() == [1048576]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAP + b" 7 0 @ 0x1\n", "line 4 has no count"),
        (HEAP.replace(b"java", b"cpp"), "its format is 'cpp'"),
        (WAITS.replace(b"100", b"few"), "line 4 gives no number"),
        (WAITS.replace(b"100", b"007"), "line 4 gives no number"),
        (WAITS.replace(b"100", b"1" * 5000), "line 4 gives no number"),
        (b"--- heapz 2 ---\n", "not a profile of a Java program"),
    ],
)
def test_what_cannot_be_read_is_one_error(text: bytes, says: str) -> None:
    with pytest.raises(ContentError, match=says):
        read_java_text(text)


def test_a_contention_profile_of_another_program_is_none_of_java() -> None:
    assert not is_java_text(b"--- contentionz 1 ---\ncycles/second = 9\n 1 1 @ 0x1\nformat=x\n")


def test_empty_lines_before_the_first_do_not_hide_the_samples() -> None:
    text = b"\n \n" + HEAP + b" 4096 2 @ 0x1\n"
    assert is_java_text(text)
    assert len(read_java_text(text).samples.stack) == 1


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    for text in (b" %d 1 @ 0x1\n", b" 9 %d @ 0x1\n"):
        for head in (HEAP, WAITS):
            with pytest.raises(ContentError):
                read_java_text(head + text % (10**4200))
            with pytest.raises(ContentError):
                read_java_text(head + text.replace(b"%d", b"9" * 5000))
