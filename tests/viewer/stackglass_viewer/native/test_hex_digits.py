"""Addresses in rows of text: read eight digits at a time, and never a byte beyond the text."""

from __future__ import annotations

import ctypes
import mmap
import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackglass_viewer.native import _loops

ROW = re.compile(rb"1 @((?: +0x[0-9a-f]{1,16})*)[ \t-\r]*")
COUNT_ROWS = 0
NO_ACCESS = 0
Read = Callable[[bytes], list[int] | None]


def read_row(content: bytes | memoryview) -> list[int] | None:
    """The addresses of the only row; None = the row is left to Python."""
    columns, _at, _number = _loops.read_address_rows(content, 0, 0, COUNT_ROWS, lambda _: True)
    value, different, address = (
        np.asarray(columns[name]) for name in ("value", "different", "address")
    )
    assert len(different) == len(set(address.tolist())), "an address of no row has a number"
    return [int(each) for each in different[address]] if len(value) else None


def expect(content: bytes) -> list[int] | None:
    found = ROW.fullmatch(content)
    return [int(each, 16) for each in found[1].split()] if found else None


@pytest.fixture(scope="module")
def read_at_end() -> Iterator[Read]:
    """Reads a row that ends with a page of memory; the page behind it cannot be read."""
    pages = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    text = memoryview(pages)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(text))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert libc.mprotect(begin + mmap.PAGESIZE, mmap.PAGESIZE, NO_ACCESS) == 0

    def read(content: bytes) -> list[int] | None:
        row = text[mmap.PAGESIZE - len(content) : mmap.PAGESIZE]
        row[:] = content
        return read_row(row)

    yield read
    assert libc.mprotect(begin + mmap.PAGESIZE, mmap.PAGESIZE, mmap.PROT_READ) == 0


@pytest.mark.parametrize("n_digits", range(1, 20))
def test_numbers_of_each_length_end_with_the_text(n_digits: int, read_at_end: Read) -> None:
    for digits in (b"123456789abcdef0123", b"fedcba9876543210fed", b"0" * 18 + b"7", b"f" * 19):
        for before in (b"", b" 0x1", b" 0x123456789"):
            row = b"1 @" + before + b" 0x" + digits[:n_digits]
            assert (expect(row) is None) == (n_digits > 16)
            assert read_at_end(row) == expect(row)
            assert read_row(row + b" 0x2") == expect(row + b" 0x2")


@pytest.mark.parametrize("place", range(17))
def test_only_lower_case_digits_are_read_at_each_place(place: int, read_at_end: Read) -> None:
    digits = b"9a0f8b1e7c2d6354"
    for byte in set(range(256)) - {ord("\n")}:
        row = b"1 @ 0x" + digits[:place] + bytes([byte]) + digits[place + 1 :]
        assert read_at_end(row) == expect(row)


@pytest.mark.parametrize(
    "stack",
    [
        *(b" 0x", b" 0", b" x10", b" 10", b" 0X10", b" 0xAB", b" 0xaB", b" 0x 0x10", b" 0x10 0x"),
        *(b"0x10", b" 0x100x20", b" 0x10,0x20", b" 0x10\t0x20", b" -0x10", b" 0x-1", b" 0x10 0"),
        *(b"", b" ", b" 0x10 ", b"  0x10   0x20", b" 0x10\t", b" 0x10\r"),
    ],
)
def test_stacks_in_another_form_are_left_to_python(stack: bytes, read_at_end: Read) -> None:
    assert read_at_end(b"1 @" + stack) == expect(b"1 @" + stack)


@given(st.lists(st.text("0123456789abcdef", min_size=1, max_size=16), max_size=9))
def test_stacks_are_the_numbers_that_python_reads(stack: list[str]) -> None:
    row = b"1 @" + "".join(f" 0x{digits}" for digits in stack).encode()
    assert read_row(row) == [int(digits, 16) for digits in stack]
