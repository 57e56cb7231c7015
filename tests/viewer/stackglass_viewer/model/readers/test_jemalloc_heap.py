"""jemalloc's heap profiles; ``jeprof`` reads the same sums of such files."""

from __future__ import annotations

import math

import pytest

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.jemalloc_heap import is_jemalloc_heap, read_jemalloc_heap

TEXT = b"""heap_v2/524288
  t*: 3: 20000 [0: 0]
  t0: 3: 20000 [0: 0]
  t1: 0: 0 [0: 0]
@ 0x101 0x7f0000001235
  t*: 2: 8192 [0: 0]
  t0: 1: 4096 [0: 0]
  t1: 1: 4096 [0: 0]
@
  t*: 1: 11808 [0: 0]

MAPPED_LIBRARIES:
7f0000001000-7f0000005000 r-xp 00001000 fd:00 77 /lib/libc.so.6
"""


def test_the_sums_of_all_threads_are_scaled() -> None:
    assert is_jemalloc_heap(TEXT)
    profile = read_jemalloc_heap(TEXT)
    assert [each.name for each in profile.sample_types] == ["objects", "space"]
    scale = 1 / (1 - math.exp(-4096 / 524288))
    assert profile.samples.values[:, 0].tolist() == [int(2 * scale), int(8192 * scale)]
    assert profile.samples.stack_start.tolist() == [0, 2, 2]
    assert profile.locations.address.tolist() == [0x100, 0x7F0000001234]
    assert profile.locations.mapping.tolist() == [-1, 0]
    assert profile.period == 524288


def test_allocated_memory_is_shown_where_it_is_counted() -> None:
    text = b"heap_v2/1\n t*: 1: 5 [3: 15]\n@ 0x1\n t*: 1: 5 [3: 15]\n"
    profile = read_jemalloc_heap(text)
    assert profile.samples.values[:, 0].tolist() == [3, 15, 1, 5]


@pytest.mark.parametrize("stack", [b"@ 0x1", b"@  0x1 "])  # C reads the first, Python both
def test_allocated_memory_that_is_not_shown_need_not_be_held(stack: bytes) -> None:
    sums = b"t*: 1: 5 [1%b: 1%b]" % (b"0" * 15, b"0" * 15)
    profile = read_jemalloc_heap(b"heap_v2/99999\n t*: 1: 5 [0: 0]\n%b\n %b\n" % (stack, sums))
    assert [each.name for each in profile.sample_types] == ["objects", "space"]
    assert profile.samples.values.shape == (2, 1)


@pytest.mark.parametrize(
    "text",
    [
        *(
            b"heap_v2/1\n",
            b"heap_v2/1\n@ 0x1\n",
            b"heap_v2/1\n t*: 1: 5 [0: 0]\n@ 0x1\n t*: 1: 5 [0",
        ),
        b"heap_v2/%b\n t*: 1: 5 [0: 0]\n@ 0x1\n t*: 1: 5 [0: 0]\n" % (b"9" * 400),
        b"heap_v2/1\n t*: 1: 5 [%b: 0]\n" % (b"9" * 5000),
        b"heap_v2/1\n t*: 1: 5 [0: 0]\n@ 0x1\n t*: 1: %b [0: 0]\n" % (b"9" * 5000),
    ],
)
def test_what_is_cut_off_or_too_large_is_one_error(text: bytes) -> None:
    with pytest.raises(ContentError):
        read_jemalloc_heap(text)
