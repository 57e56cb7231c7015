"""Classic BPF, as the kernel runs it over a system call."""

from __future__ import annotations

import struct

import pytest

from harness.seccomp_filters import ALLOW, DENY, KILL, TRAP, build_filter, list_numbers
from stackglass.attach.seccomp import NUMBERS, Action, FilterError, SystemCall, judge


def assemble(*instructions: tuple[int, int, int, int]) -> bytes:
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in instructions)


def test_no_filter_allows() -> None:
    assert judge((), SystemCall("socket")) is Action.ALLOW


def test_list_of_names() -> None:
    code = build_filter(["read", "socket"], ALLOW, KILL)
    assert judge((code,), SystemCall("socket")) is Action.ALLOW
    assert judge((code,), SystemCall("bind")) is Action.KILL_PROCESS


def test_strictest_of_several_counts() -> None:
    deny = build_filter(["bind"], DENY, ALLOW)
    trap = build_filter(["bind"], TRAP, ALLOW)
    assert judge((deny, trap), SystemCall("bind")) is Action.TRAP
    assert judge((trap, deny), SystemCall("bind")) is Action.TRAP
    assert judge((deny, trap), SystemCall("read")) is Action.ALLOW


def test_argument_decides() -> None:
    """socket is allowed for AF_UNIX alone: low half of the first argument."""
    code = assemble((0x20, 0, 0, 16), (0x15, 0, 1, 1), (0x06, 0, 0, ALLOW), (0x06, 0, 0, DENY))
    assert judge((code,), SystemCall("socket", (1, 1, 0))) is Action.ALLOW
    assert judge((code,), SystemCall("socket", (2, 1, 0))) is Action.ERRNO


def test_upper_half_of_an_argument() -> None:
    code = assemble((0x20, 0, 0, 20), (0x15, 0, 1, 0), (0x06, 0, 0, ALLOW), (0x06, 0, 0, KILL))
    assert judge((code,), SystemCall("mmap", (0,))) is Action.ALLOW
    assert judge((code,), SystemCall("mmap", (1 << 32,))) is Action.KILL_PROCESS


def test_arithmetic_scratch_and_moves() -> None:
    """((40 + 2) * 2 / 3) & 0x1f = 28, by way of X and of a word of scratch."""
    code = assemble(
        (0x00, 0, 0, 40),
        (0x04, 0, 0, 2),
        (0x24, 0, 0, 2),
        (0x34, 0, 0, 3),
        (0x54, 0, 0, 0x1F),
        (0x02, 0, 0, 5),
        (0x61, 0, 0, 5),
        (0x00, 0, 0, 0),
        (0x87, 0, 0, 0),
        (0x15, 0, 1, 28),
        (0x06, 0, 0, ALLOW),
        (0x06, 0, 0, KILL),
    )
    assert judge((code,), SystemCall("read")) is Action.ALLOW


def test_division_by_zero_kills() -> None:
    """By X, which is 0; the kernel refuses a filter that divides by a constant 0."""
    code = assemble((0x00, 0, 0, 5), (0x3C, 0, 0, 0), (0x06, 0, 0, ALLOW))
    assert judge((code,), SystemCall("read")) is Action.KILL_THREAD


def test_unknown_action_kills() -> None:
    assert judge((assemble((0x06, 0, 0, 0x12340000)),), SystemCall("read")) is Action.KILL_PROCESS


def test_end_without_an_answer() -> None:
    with pytest.raises(FilterError):
        judge((assemble((0x00, 0, 0, 1)),), SystemCall("read"))


def test_numbers_are_this_machine_s() -> None:
    numbers = list_numbers()
    mine = NUMBERS["x86_64" if "open" in numbers else "aarch64"]
    assert {name: numbers[name] for name in mine} == mine
