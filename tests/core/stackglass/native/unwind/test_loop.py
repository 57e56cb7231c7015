"""Parts of the evaluation loop, found by the jumps to them."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator

import pytest

from harness.compiled import compile_library
from native import _core_testing

PIECE_BYTES = 1 << 14  # of loop.c: the code is read in such pieces
JUMP_BYTES = 6


@pytest.fixture(autouse=True)
def _tables() -> Iterator[None]:
    yield
    assert _core_testing.unwind_close()


def has_part(before: int, n_jumps: int) -> bool:
    path = compile_library(
        "native_stacks/loop_parts.c", "now", f"-DBEFORE={before}", f"-DN_JUMPS={n_jumps}"
    )
    library = ctypes.CDLL(path)
    start, part = (
        ctypes.cast(function, ctypes.c_void_p).value or 0
        for function in (library.loop_start, library.loop_part)
    )
    _core_testing.unwind_build()
    return _core_testing.loop_has_part(start, part, part + 8)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the jumps are x86-64's")
@pytest.mark.parametrize(
    "before",
    [100, *range(PIECE_BYTES - JUMP_BYTES - 2, PIECE_BYTES - JUMP_BYTES + 8)],
)
def test_one_jump_is_counted_once_wherever_it_lies(before: int) -> None:
    """One may be other bytes that look like a jump: two are needed."""
    assert not has_part(before, 1)
    assert has_part(before, 2)
