"""The system call that a thread was in, from its registers and the code around."""

from __future__ import annotations

import platform
import subprocess

import pytest

from native import _core_testing
from stackglass.symbols.symboliser import Symboliser

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="x86-64's instruction")

SYSCALL = b"\x0f\x05"
PADDING = b"\x90" * 16


def load(number: int) -> bytes:
    return b"\xb8" + number.to_bytes(4, "little")  # mov $number, %eax


def name(address: int | None) -> str:
    if address is None:
        return ""
    low = address & 0xFFFFFFFF
    return Symboliser(0).name("", f"memory-{address - low:x}", low).text


def find(before: bytes, back: int = 0, rax: int = 0, instruction: bytes = SYSCALL) -> str:
    """``back``: how far before the next instruction the thread stands."""
    code = PADDING + before + instruction + PADDING
    behind = len(PADDING + before + instruction)
    return name(_core_testing.unwind_system_call(code, behind - back, behind, rax))


def test_a_call_that_returns_has_the_number_that_was_loaded() -> None:
    assert find(load(1)) == "kernel: write"
    assert find(b"\x31\xc0") == "kernel: read"  # xor %eax, %eax
    assert find(load(262)) == "kernel: newfstatat"
    assert find(load(449)) == "kernel: futex_waitv"


def test_a_call_that_begins_again_has_its_number_in_a_register() -> None:
    assert find(b"\x90\x90", back=2, rax=202) == "kernel: futex"


def push(*words: int) -> bytes:
    return b"".join(word.to_bytes(8, "little") for word in words)


def test_a_number_on_the_stack_is_read_there() -> None:
    """glibc 2.41 and later, a program without threads: mov 0x10(%rsp), %rax; syscall."""
    code = PADDING + b"\x48\x8b\x44\x24\x10" + SYSCALL + PADDING
    behind = code.index(SYSCALL) + len(SYSCALL)
    for number, text in ((0, "read"), (7, "poll"), (232, "epoll_wait")):
        found = _core_testing.unwind_system_call(code, behind, behind, 0, push(9, 9, number, 9))
        assert name(found) == f"kernel: {text}"
    found = _core_testing.unwind_system_call(code, behind, behind, 0, push(9, 9, 1 << 40, 9))
    assert name(found) == "kernel: [system call]"


def make_cancellable(load: bytes = b"\x48\x8b\x74\x24\x10") -> tuple[bytes, int, int]:
    """glibc 2.41 and later, a program with threads: the code, where its caller goes on, and behind
    the instruction."""
    moves = bytes.fromhex("4989fb 4889f0 4889d7 4c895c2408".replace(" ", ""))
    function = PADDING + moves + SYSCALL + b"\xc3"
    caller = PADDING + PADDING + load + b"\x49\x89\xc0" + b"\xe8"
    returns = len(function) + len(caller) + 4
    distance = len(PADDING) - returns
    code = function + caller + distance.to_bytes(4, "little", signed=True) + PADDING
    return code, returns, function.index(SYSCALL) + len(SYSCALL)


def test_a_number_that_the_caller_loads_from_its_stack_is_read_there() -> None:
    code, returns, behind = make_cancellable()
    stack = push(9, 9, 45, 9)  # the caller's 0x10(%rsp)
    found = _core_testing.unwind_system_call(code, behind, behind, 0, stack, returns)
    assert name(found) == "kernel: recvfrom"


def test_a_number_from_elsewhere_is_not_guessed() -> None:
    stack = push(9, 9, 45, 9)
    code, returns, behind = make_cancellable(b"\x90" * 5)
    found = _core_testing.unwind_system_call(code, behind, behind, 0, stack, returns)
    assert name(found) == "kernel: [system call]"
    code, returns, behind = make_cancellable()
    other = code[: returns - 4] + b"\0\0\0\0" + code[returns:]  # another function was called
    found = _core_testing.unwind_system_call(other, behind, behind, 0, stack, returns)
    assert name(found) == "kernel: [system call]"


def test_numbers_without_a_name_are_shown() -> None:
    assert find(b"\x90\x90") == "kernel: [system call]"
    assert find(load(400)) == "kernel: [system call 400]"
    assert find(load(1 << 20)) == "kernel: [system call]"


def test_other_code_is_no_call() -> None:
    assert find(load(1), instruction=b"\x90\x90") == ""
    assert find(load(1), back=1) == ""
    assert find(load(1), back=4) == ""


def test_the_names_are_those_of_the_kernels_header() -> None:
    source = "#include <sys/syscall.h>\n"
    run = subprocess.run(
        ["cc", "-E", "-dM", "-"], input=source, check=True, capture_output=True, text=True
    )
    rows = [line.split() for line in run.stdout.splitlines() if "#define __NR_" in line]
    known = {int(row[2]): row[1].replace("__NR_", "") for row in rows if row[2].isdecimal()}
    assert len(known) > 300
    first = 1 << 62
    shown = {number: name(first + (number + 1) * 16) for number in known if number < 450}
    assert shown == {number: f"kernel: {known[number]}" for number in shown}
