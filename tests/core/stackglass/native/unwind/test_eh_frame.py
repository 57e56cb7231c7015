"""Rows of an .eh_frame of known bytes, and of bytes that are wrong."""

from __future__ import annotations

import random

import pytest

from native import _core_testing

ADDRESS = 0x10_0000
START = 0x4000
N_BYTES = 0x100

# z with R: pointers are 4 bytes, absolute; code factor 1, data factor -8, return address in 16.
CIE_HEAD = b"\x00\x00\x00\x00" + b"\x01" + b"zR\x00" + b"\x01\x78\x10" + b"\x01\x03"
CIE_CODE = b"\x0c\x07\x08" + b"\x90\x01"  # CFA = rsp + 8; the return address at CFA - 8

FP_FRAME = b"\x41\x0e\x10\x86\x02" + b"\x43\x0d\x06"  # push %rbp; mov %rsp, %rbp
AT_ENTRY = ("sp", 0, 8, 0, "same", 0)


def pad(content: bytes) -> bytes:
    content += bytes(-len(content) % 8)
    return len(content).to_bytes(4, "little") + content


def make(code: bytes) -> tuple[bytes, int]:
    """A CIE and an FDE with this program, and where the FDE begins."""
    cie = pad(CIE_HEAD + CIE_CODE)
    back = (len(cie) + 4).to_bytes(4, "little")
    span = START.to_bytes(4, "little") + N_BYTES.to_bytes(4, "little")
    return cie + pad(back + span + b"\x00" + code), ADDRESS + len(cie)


@pytest.mark.parametrize(
    ("code", "rules"),
    [
        (b"", [(START, AT_ENTRY)]),
        (
            FP_FRAME,
            [
                (START, AT_ENTRY),
                (START + 1, ("sp", 0, 16, 0, "at cfa", -16)),
                (START + 4, ("fp", 0, 16, 0, "at cfa", -16)),
            ],
        ),
        # remember; CFA + 0x40 at once; restored 2 bytes on
        (
            b"\x0a\x0e\x40\x42\x0b",
            [(START, ("sp", 0, 0x40, 0, "same", 0)), (START + 2, AT_ENTRY)],
        ),
        # the return address is undefined: the thread's first function
        (b"\x07\x10", [(START, ("outermost", 0, 0, 0, "same", 0))]),
        # CFA = r10 + 0
        (b"\x0c\x0a\x00", [(START, ("register", 10, 0, 0, "same", 0))]),
        # an instruction that does not exist: nothing is known from there on
        (
            b"\x44\x0e\x20\x44\x3f",
            [
                (START, AT_ENTRY),
                (START + 4, ("sp", 0, 32, 0, "same", 0)),
                (START + 8, ("unknown", 0, 0, 0, "same", 0)),
            ],
        ),
    ],
    ids=["empty", "frame pointer", "remembered", "first", "register", "unknown instruction"],
)
def test_rules_of_a_function(code: bytes, rules: list[tuple[int, object]]) -> None:
    content, entry = make(code)
    read = _core_testing.unwind_read(content, ADDRESS, entry)
    assert read is not None
    start, end, found = read
    assert (start, end) == (START, START + N_BYTES)
    kept = [row for at, row in enumerate(found) if not at or row[1] != found[at - 1][1]]
    assert kept == rules


def test_a_copy_may_end_anywhere() -> None:
    content, entry = make(FP_FRAME)
    for n_bytes in range(len(content)):
        assert _core_testing.unwind_read(content[:n_bytes], ADDRESS, entry) is None
    for outside in (0, ADDRESS - 1, ADDRESS + len(content), 2**64 - 1):
        assert _core_testing.unwind_read(content, ADDRESS, outside) is None


def test_any_byte_may_be_wrong() -> None:
    """Rules stay inside the function, and no number leads a reader outside."""
    numbers = random.Random(4)
    content, entry = make(FP_FRAME + b"\x0f\x05\x77\x08\x06\x23\x10\x02\x20\x2e\x10\x0a\x0b")
    for _ in range(20_000):
        damaged = bytearray(content)
        for _ in range(numbers.randint(1, 4)):
            damaged[numbers.randrange(len(damaged))] = numbers.randrange(256)
        read = _core_testing.unwind_read(bytes(damaged), ADDRESS, entry)
        if read is not None:
            start, end, rules = read
            assert all(start <= place < end for place, _ in rules)
