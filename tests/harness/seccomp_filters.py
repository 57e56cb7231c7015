"""Seccomp filters for targets: classic BPF out of names of system calls."""

from __future__ import annotations

import errno
import functools
import os
import re
import struct
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path

ALLOW = 0x7FFF0000
KILL = 0x80000000  # the process
TRAP = 0x00030000
DENY = 0x00050000 | errno.EPERM
MISSING = 0x00050000 | errno.ENOSYS

_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def build_filter(
    listed: Iterable[str], action: int, others: int, special: Mapping[str, int] | None = None
) -> bytes:
    """An array of struct sock_filter: ``action`` for what is ``listed``, ``special`` first.

    Names that this machine does not have are passed over, as by libseccomp.
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
    """By name, as the C compiler's headers have them."""
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
