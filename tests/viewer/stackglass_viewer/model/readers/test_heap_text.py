"""Errors of heap profiles as text; tests/contract compares their numbers with pprof's."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.heap_text import is_heap_text, read_heap_text, unsample

HEADER = b"heap profile: 1: 5 [ 0: 0] @ heap_v2/1024\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEADER + b"1: 5 [0: 0] @ 0x1\n1: 5 [0:", "line 3 is not a sample: '1: 5 \\[0:'"),
        (HEADER + b"hello", "line 2 is not a sample"),
        (HEADER + b"0: 5 [0: 0] @ 0x1", "line 2 is not a sample"),
        (HEADER + b"1: 99999999999999999999 [0: 0] @ 0x1", "63 bits"),
        (HEADER + b"1: 5 [0: 0] @ 0x11112222333344445", "64 bits"),
        (HEADER + b"1: %b [0: 0] @ 0x1" % (b"9" * 5000), "a number of 5000 digits"),
        (HEADER + b"1: %b [0: 0] @ 0x1" % (b"9" * 400), "a number of 400 digits"),
        (HEADER + b"5: -%b [0: 0] @ 0x1" % (b"9" * 50), "63 bits"),
        (HEADER.replace(b"1024", b"9" * 400) + b"1: 5 [0: 0] @ 0x1", "a number of 400 digits"),
        (HEADER.replace(b"0", b"9" * 400) + b"1: 5 [0: 0] @ 0x1", "a number of 400 digits"),
        (b"heap profile: 1: 5 [ 0: 0] @ heapx\n1: 5 [0: 0] @ 0x1", "unknown kind: heapx"),
        (b"heap profile: 1: 5 [ 0: 0] @ heap_v2/999999999999999999999\n1: 5 [0: 0] @", "scaled"),
    ],
)
def test_what_cannot_be_read_is_one_error(text: bytes, says: str) -> None:
    assert is_heap_text(text)
    with pytest.raises(ContentError, match=says):
        read_heap_text(text)


def test_a_negative_size_overflows_nothing() -> None:
    assert unsample(1, -10_000_000, 2) == (0, 0)


def test_the_mean_block_is_a_label() -> None:
    profile = read_heap_text(b"heap profile: 3: 60 [ 9: 90] @ heapprofile\n3: 60 [9: 90] @ 0x1\n")
    assert [each.name for each in profile.sample_types] == [
        *("alloc_objects", "alloc_space", "inuse_objects", "inuse_space")
    ]
    assert profile.samples.values[:, 0].tolist() == [9, 90, 3, 60]
    assert (profile.strings[profile.labels.key[0]], profile.labels.number[0]) == ("bytes", 20)
    assert profile.default_type == 3
