"""When a thread may be used, and how its registers are set: the tables of both processors.

The layouts are those of the kernel's struct user_regs_struct and struct user_pt_regs. Neither
test needs the processor in question.
"""

from __future__ import annotations

import struct

import pytest

from native import _core_testing as core
from stackglass.attach.injection import list_ranges
from stackglass.attach.memory_map import parse_maps

LIBC, LOADER, ELSEWHERE = 0x7000_0000, 0x7100_0000, 0x5000_0000
RANGES = ((LIBC, LIBC + 0x1000, True), (LOADER, LOADER + 0x1000, False))
X86 = [
    *("r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8", "rax", "rcx", "rdx"),
    *("rsi", "rdi", "orig_rax", "rip", "cs", "eflags", "rsp", "ss", "fs_base", "gs_base"),
    *("ds", "es", "fs", "gs"),
]
ARM = [f"x{n}" for n in range(31)] + ["sp", "pc", "pstate"]
NO_CALL = 2**64 - 1
FUTEX_WAIT, FUTEX_WAIT_BITSET, PRIVATE, REALTIME = 0, 9, 128, 256
SVC = b"\x01\x00\x00\xd4"
NOP = b"\x1f\x20\x03\xd5"


def pack(names: list[str], **values: int) -> bytes:
    return struct.pack(f"<{len(names)}Q", *(values.get(name, 0) for name in names))


def unpack(names: list[str], registers: bytes) -> dict[str, int]:
    return dict(zip(names, struct.unpack(f"<{len(names)}Q", registers), strict=True))


def may_use_x86(at: int, call: int = NO_CALL, operation: int = 0) -> bool:
    registers = pack(X86, rip=at, orig_rax=call, rsi=operation)
    return core.may_inject("x86_64", registers, b"\0\0\0\0", RANGES)


def may_use_arm(at: int, call: int, operation: int = 0, code: bytes = SVC + NOP) -> bool:
    registers = pack(ARM, pc=at, x8=call, x1=operation)
    return core.may_inject("aarch64", registers, code, RANGES)


def test_outside_the_c_library_a_thread_may_be_used() -> None:
    assert may_use_x86(ELSEWHERE)
    assert may_use_arm(ELSEWHERE, call=222)


def test_inside_it_may_hold_a_lock() -> None:
    assert not may_use_x86(LIBC)
    assert not may_use_x86(LIBC + 0xFFF)
    assert may_use_x86(LIBC + 0x1000)
    assert not may_use_x86(LOADER)


WAITS = {
    "read": 0,
    "write": 1,
    "poll": 7,
    "select": 23,
    "nanosleep": 35,
    "accept": 43,
    "recvfrom": 45,
    "wait4": 61,
    "restart_syscall": 219,
    "clock_nanosleep": 230,
    "epoll_wait": 232,
    "pselect6": 270,
    "ppoll": 271,
    "epoll_pwait": 281,
}
BRIEF = {"stat": 4, "fstat": 5, "clock_gettime": 228, "newfstatat": 262, "statx": 332}


@pytest.mark.parametrize("call", [*WAITS.values(), *BRIEF.values()], ids=[*WAITS, *BRIEF])
def test_these_calls_are_made_without_it(call: int) -> None:
    assert may_use_x86(LIBC, call)
    assert not may_use_x86(LOADER, call)  # the loader reads files with its lock held


@pytest.mark.parametrize(
    "call", [9, 11, 12, 56, 257], ids=["mmap", "munmap", "brk", "clone", "openat"]
)
def test_other_calls_may_be_made_with_it(call: int) -> None:
    assert not may_use_x86(LIBC, call)


@pytest.mark.parametrize(
    ("operation", "may"),
    [
        (FUTEX_WAIT_BITSET | PRIVATE, True),
        (FUTEX_WAIT_BITSET | PRIVATE | REALTIME, True),
        (FUTEX_WAIT | PRIVATE, False),
        (FUTEX_WAIT, False),
    ],
)
def test_a_semaphore_is_no_malloc_lock(operation: int, may: bool) -> None:
    assert may_use_x86(LIBC, 202, operation) is may
    assert may_use_arm(LIBC, 98, operation) is may


def test_aarch64_is_in_a_call_only_at_its_instruction() -> None:
    ppoll = 73
    assert may_use_arm(LIBC, ppoll, code=SVC + NOP)  # has come back
    assert may_use_arm(LIBC, ppoll, code=NOP + SVC)  # is to be restarted
    assert not may_use_arm(LIBC, ppoll, code=NOP + NOP)  # x8 holds something else


def test_a_call_on_x86_64() -> None:
    before = pack(X86, rax=5, orig_rax=35, eflags=0x746, rsp=0x100, r15=9, fs_base=0x77)
    after, slot = core.call_registers("x86_64", before, 0xF00, 1, 2, 0x9008)
    found = unpack(X86, after)
    assert (found["rip"], found["rdi"], found["rsi"]) == (0xF00, 1, 2)
    # At a function's first instruction the stack is 8 off a multiple of 16.
    assert found["rsp"] == slot == 0x8FF8
    assert found["orig_rax"] == NO_CALL  # no call is restarted inside the engine's
    assert found["eflags"] == 0x246  # no direction flag, no single step
    assert (found["r15"], found["fs_base"]) == (9, 0x77)


def test_a_call_on_aarch64() -> None:
    before = pack(ARM, x0=7, x8=73, x30=0x1234, sp=0x100, x19=9, pstate=0x60000C00)
    after, slot = core.call_registers("aarch64", before, 0xF00, 1, 2, 0x9008)
    found = unpack(ARM, after)
    assert slot == 0  # the return address is in a register
    assert (found["pc"], found["x0"], found["x1"]) == (0xF00, 1, 2)
    assert (found["x30"], found["sp"]) == (0, 0x9000)
    assert found["pstate"] == 0x60000000
    assert (found["x8"], found["x19"]) == (73, 9)


def test_a_system_call_on_x86_64() -> None:
    before = pack(X86, orig_rax=35, r15=9)
    found = unpack(X86, core.system_call_registers("x86_64", before, 0xF00, 9, 64))
    assert (found["rip"], found["rax"], found["orig_rax"]) == (0xF00, 9, NO_CALL)
    arguments = [found[name] for name in ("rdi", "rsi", "rdx", "r10", "r8", "r9")]
    assert arguments == [64, 1, 2, 3, 4, 5]
    assert found["r15"] == 9


def test_a_system_call_on_aarch64() -> None:
    found = unpack(ARM, core.system_call_registers("aarch64", pack(ARM, x19=9), 0xF00, 222, 64))
    assert (found["pc"], found["x8"]) == (0xF00, 222)
    assert [found[f"x{n}"] for n in range(6)] == [64, 1, 2, 3, 4, 5]
    assert found["x19"] == 9


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="no such machine"):
        core.may_inject("vax", b"", b"", ())
    with pytest.raises(ValueError, match="bytes of registers"):
        core.may_inject("x86_64", b"short", b"", ())
    with pytest.raises(ValueError, match="two instructions"):
        core.may_inject("x86_64", pack(X86), b"", ())


def test_ranges_are_the_code_that_locks() -> None:
    maps = parse_maps(
        """\
1000-2000 r-xp 00000000 fe:00 1   /usr/bin/python3.11
2000-3000 r--p 00000000 fe:00 2   /lib/libc.so.6
3000-4000 r-xp 00001000 fe:00 2   /lib/libc.so.6
4000-5000 r-xp 00000000 fe:00 3   /lib64/ld-linux-x86-64.so.2
5000-6000 r-xp 00000000 fe:00 4   /lib/libm.so.6
6000-7000 r-xp 00000000 fe:00 5   /usr/lib/libjemalloc.so.2
7000-8000 r-xp 00000000 fe:00 6   /lib/libgcc_s.so.1
8000-9000 r-xp 00000000 fe:00 7   /lib/libstdc++.so.6.0.30
9000-a000 r-xp 00000000 fe:00 8   /x/_tracemalloc.cpython-311-x86_64-linux-gnu.so
a000-b000 r-xp 00000000 fe:00 9   /lib/libc-2.31.so
b000-c000 r-xp 00000000 fe:00 10  /lib/libpthread-2.31.so
c000-d000 r-xp 00000000 00:00 0   [vdso]
"""
    )
    assert list_ranges(maps) == (
        (0x3000, 0x4000, True),
        (0x4000, 0x5000, False),
        (0x6000, 0x7000, False),
        (0x7000, 0x8000, False),
        (0x8000, 0x9000, False),
        (0xA000, 0xB000, True),
        (0xB000, 0xC000, True),
        (0xC000, 0xD000, False),
    )
