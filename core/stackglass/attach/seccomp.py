"""System call filters (seccomp): what the kernel would do at a call, computed in advance.

A filter is a program in classic BPF over the call's number, the architecture and the six
arguments. A thread may have several; each is run, and the strictest answer counts.
"""

from __future__ import annotations

import os
import struct
from enum import IntEnum

from stackglass.named_tuple import NamedTuple


class Action(IntEnum):
    """What happens to the call. The kernel's values, without their data; strictest first."""

    KILL_PROCESS = -0x80000000
    KILL_THREAD = 0x00000000
    TRAP = 0x00030000  # SIGSYS, which ends a program that does not handle it
    ERRNO = 0x00050000
    NOTIFY = 0x7FC00000  # another process decides
    TRACE = 0x7FF00000  # a tracer decides; without one the call fails
    LOG = 0x7FFC0000
    ALLOW = 0x7FFF0000


class SystemCall(NamedTuple):
    """A system call and its known arguments, the first ones; the others count as addresses."""

    name: str
    arguments: tuple[int, ...] = ()


_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_*
_SOME_ADDRESS = 0x7F5500001000  # for values that no filter can know beforehand
_DATA = struct.Struct("<iIQ6Q")  # struct seccomp_data: number, architecture, address, arguments
_INSTRUCTION = struct.Struct("<HBBI")  # struct sock_filter: code, if true, if false, k
_N_SCRATCH = 16
_DIVISIONS = (0x30, 0x90)  # DIV, MOD
_WORD = 0xFFFFFFFF


class FilterError(ValueError):
    """Bytes that a kernel would not accept as a filter."""


def judge(filters: tuple[bytes, ...], call: SystemCall, machine: str = "") -> Action:
    """What all of a thread's filters together do to ``call``. Raises FilterError.

    A call that ``NUMBERS`` does not have for the machine is ALLOW: the engine does not make it.
    """
    machine = machine or os.uname().machine
    number = NUMBERS[machine].get(call.name)
    if number is None:
        return Action.ALLOW
    arguments = [argument & (1 << 64) - 1 for argument in call.arguments]
    arguments += [_SOME_ADDRESS] * (6 - len(arguments))
    data = _DATA.pack(number, _ARCHITECTURES[machine], _SOME_ADDRESS, *arguments)
    return min((_run(program, data) for program in filters), default=Action.ALLOW)


def _run(program: bytes, data: bytes) -> Action:
    """Interpret one filter. Raises FilterError."""
    instructions = list(_INSTRUCTION.iter_unpack(program))
    accumulator = index = 0
    scratch = [0] * _N_SCRATCH
    at = 0
    try:
        while True:
            code, if_true, if_false, k = instructions[at]
            at += 1
            kind, operand = code & 0x07, index if code & 0x08 else k
            if kind == 0x00:  # LD
                accumulator = _load(code, k, data, scratch)
            elif kind == 0x01:  # LDX
                index = _load(code, k, data, scratch)
            elif kind == 0x02:  # ST
                scratch[k] = accumulator
            elif kind == 0x03:  # STX
                scratch[k] = index
            elif kind == 0x04:  # ALU
                if code & 0xF0 in _DIVISIONS and not operand:
                    return Action.KILL_THREAD  # the kernel ends the filter with the answer 0
                accumulator = _compute(code & 0xF0, accumulator, operand)
            elif kind == 0x05:  # JMP
                at += _jump(code & 0xF0, accumulator, operand, k, if_true, if_false)
            elif kind == 0x06:  # RET
                return _name_action(accumulator if code & 0x18 == 0x10 else k)
            elif code & 0xF8:  # MISC: TXA
                accumulator = index
            else:  # TAX
                index = accumulator
    except (IndexError, struct.error) as error:
        raise FilterError(f"a filter goes beyond its end at instruction {at}") from error


def _load(code: int, k: int, data: bytes, scratch: list[int]) -> int:
    mode = code & 0xE0
    if mode == 0x00:  # IMM
        return k
    if mode == 0x20:  # ABS
        return int(struct.unpack_from("<I", data, k)[0])
    if mode == 0x60:  # MEM
        return scratch[k]
    if mode == 0x80:  # LEN
        return len(data)
    raise FilterError(f"a filter loads in an unknown mode ({code:#x})")


def _compute(operation: int, left: int, right: int) -> int:
    result = {
        0x00: lambda: left + right,  # ADD
        0x10: lambda: left - right,  # SUB
        0x20: lambda: left * right,  # MUL
        0x30: lambda: left // right,  # DIV
        0x40: lambda: left | right,  # OR
        0x50: lambda: left & right,  # AND
        0x60: lambda: left << (right & 31),  # LSH
        0x70: lambda: left >> (right & 31),  # RSH
        0x80: lambda: -left,  # NEG
        0x90: lambda: left % right,  # MOD
        0xA0: lambda: left ^ right,  # XOR
    }.get(operation)
    if result is None:
        raise FilterError(f"a filter has an unknown arithmetic operation ({operation:#x})")
    return result() & _WORD


def _jump(operation: int, left: int, right: int, k: int, if_true: int, if_false: int) -> int:
    if operation == 0x00:  # always
        return k
    tests = {  # JEQ, JGT, JGE, JSET
        0x10: left == right,
        0x20: left > right,
        0x30: left >= right,
        0x40: left & right != 0,
    }
    if operation not in tests:
        raise FilterError(f"a filter has an unknown jump condition ({operation:#x})")
    return if_true if tests[operation] else if_false


def _name_action(value: int) -> Action:
    action = value & 0xFFFF0000
    signed = action - (1 << 32) if action & 1 << 31 else action
    try:
        return Action(signed)
    except ValueError:
        return Action.KILL_PROCESS  # what the kernel does with an action that it does not know


def _parse_numbers(text: str) -> dict[str, int]:
    words = text.split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2])}


NUMBERS = {
    "x86_64": _parse_numbers(
        """
        read 0 write 1 close 3 fstat 5 poll 7 lseek 8 mmap 9 mprotect 10 munmap 11 brk 12
        rt_sigaction 13 rt_sigprocmask 14 rt_sigreturn 15 ioctl 16 pread64 17 sched_yield 24
        madvise 28 getpid 39 socket 41 connect 42 sendto 44 recvfrom 45 bind 49 listen 50
        getsockopt 55 clone 56 exit 60 fcntl 72 getcwd 79 unlink 87 fchmod 91 getrusage 98
        getuid 102 geteuid 107 sched_setscheduler 144 sched_getscheduler 145 prctl 157 gettid 186
        futex 202 sched_setaffinity 203 sched_getaffinity 204 getdents64 217 restart_syscall 219
        timer_create 222 timer_settime 223 timer_delete 226 clock_gettime 228 openat 257
        newfstatat 262 unshare 272 set_robust_list 273
        accept4 288 pipe2 293 rt_tgsigqueueinfo 297 perf_event_open 298 prlimit64 302
        process_vm_readv 310 process_vm_writev 311 getrandom 318 rseq 334 clone3 435
        close_range 436
        """
    ),
    "aarch64": _parse_numbers(
        """
        getcwd 17 fcntl 25 ioctl 29 unlinkat 35 fchmod 52 openat 56 close 57 pipe2 59
        getdents64 61 lseek 62 read 63 write 64 pread64 67 ppoll 73 newfstatat 79 fstat 80
        exit 93 unshare 97 futex 98 set_robust_list 99 timer_create 107 timer_settime 110
        timer_delete 111 clock_gettime 113 sched_setscheduler 119 sched_getscheduler 120
        sched_setaffinity 122 sched_getaffinity 123 sched_yield 124 restart_syscall 128
        rt_sigaction 134 rt_sigprocmask 135 rt_sigreturn 139 getrusage 165 prctl 167 getpid 172
        getuid 174 geteuid 175 gettid 178 socket 198 bind 200
        listen 201 connect 203 sendto 206 recvfrom 207 getsockopt 209 brk 214 munmap 215
        clone 220 mmap 222 mprotect 226 madvise 233 rt_tgsigqueueinfo 240 perf_event_open
        241 accept4 242 prlimit64 261 process_vm_readv 270 process_vm_writev 271 getrandom
        278 rseq 293 clone3 435 close_range 436
        """
    ),
}
"""Numbers of the system calls that are judged, by machine and name."""
