"""Seccomp filters for targets: classic BPF made from names of system calls."""

from __future__ import annotations

import errno
import functools
import os
import re
import struct
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

ALLOW = 0x7FFF0000
KILL = 0x80000000  # kills the process
TRAP = 0x00030000
DENY = 0x00050000 | errno.EPERM
MISSING = 0x00050000 | errno.ENOSYS
NO_MEMORY = 0x00050000 | errno.ENOMEM
AT_LIMIT = 0x00050000 | errno.EAGAIN

_LOAD, _EQUAL, _ABOVE, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x54, 0x06
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def build_filter(
    listed: Iterable[str], action: int, others: int, special: Mapping[str, int] | None = None
) -> bytes:
    """Build an array of struct sock_filter: ``action`` for ``listed`` calls, ``others`` for all
    others; ``special`` has actions by name, which come first.

    Names that this machine does not have are skipped, as by libseccomp.
    """
    numbers = list_numbers()
    actions = {name: action for name in listed}
    actions.update(special or {})
    program = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _ARCHITECTURES[os.uname().machine]),
        (_RETURN, 0, 0, KILL),
        (_LOAD, 0, 0, 0),
    ]
    for name, chosen in actions.items():
        if name in numbers:
            program += [(_EQUAL, 0, 1, numbers[name]), (_RETURN, 0, 0, chosen)]
    program.append((_RETURN, 0, 0, others))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)


@functools.cache
def list_numbers() -> dict[str, int]:
    """Return the numbers of system calls by name, from the C compiler's headers."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or f"{os.uname().machine}-linux-gnu"
    names = ("unistd_64.h", "unistd.h")
    for folder in (Path("/usr/include", multiarch, "asm"), Path("/usr/include/asm")):
        for name in names:
            if (folder / name).is_file():
                text = (folder / name).read_text()
                found = re.findall(r"#define __NR_(\w+) (\d+)", text)
                if found:
                    return {call: int(number) for call, number in found}
    raise FileNotFoundError("asm/unistd.h: the kernel's headers for C programs are not installed")


class Condition(NamedTuple):
    """Condition on a system call's argument: its low 32 bits contain all of ``bits``, and are from
    ``least`` to ``most``."""

    argument: int
    bits: int = 0
    least: int = 0
    most: int = 0xFFFFFFFF


def build_conditional_filter(name: str, action: int, conditions: Iterable[Condition]) -> bytes:
    """Build an array of struct sock_filter: ``action`` for the call ``name`` if all conditions
    hold; everything else is allowed."""
    tests = []
    for condition in conditions:
        tests += [
            (_LOAD, 16 + 8 * condition.argument),
            (_AND, condition.bits),
            (_EQUAL, condition.bits),
            (_LOAD, 16 + 8 * condition.argument),
            (_AT_LEAST, condition.least),
            (_ABOVE, condition.most),
        ]
    checks = [(_LOAD, 0), (_EQUAL, list_numbers()[name]), *tests]
    program = []
    for at, (code, value) in enumerate(checks):
        to_end = len(checks) - at  # jump over the remaining checks and the action
        jumps = {_EQUAL: (0, to_end), _AT_LEAST: (0, to_end), _ABOVE: (to_end, 0)}
        program.append((code, *jumps.get(code, (0, 0)), value))
    program += [(_RETURN, 0, 0, action), (_RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in program)
