"""A program or library as a process has it mapped, wherever its bytes can still be read.

Read from the file as the process sees it, if that is still the same file. Otherwise (deleted,
replaced, another mount namespace) through the mapping, ``map_files``; otherwise from memory, which
needs the right to trace.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from stackglass.attach.elf import Elf, ElfError
from stackglass.attach.memory_map import Mapping
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.target_memory import TargetMemory


class ObjectFile(NamedTuple):
    """An ELF file and where it lies in the process."""

    elf: Elf
    bias: int  # add to addresses as linked
    content: mmap.mmap | None  # the whole file; None if only its memory can be read

    def find_address(self, name: str) -> int | None:
        """Where a dynamic symbol is in the process."""
        symbol = self.elf.find_symbol(name)
        return None if symbol is None else symbol.address + self.bias


@contextmanager
def open_object(pid: int, mapping: Mapping, proc: Proc = PROC) -> Iterator[ObjectFile]:
    """Open the file behind its first mapping. Raises ElfError, NoSuchProcessError,
    PermissionError."""
    fd = _open_file(pid, mapping, proc)
    if fd is None:
        with TargetMemory(pid, proc=proc) as memory:
            bias = mapping.start - _linked_start(memory, mapping)
            yield ObjectFile(Elf(memory.read, bias, mapping.start), bias, None)
        return
    try:
        size = os.fstat(fd).st_size
        if size == 0:
            raise ElfError("the file is empty")
        content = mmap.mmap(fd, size, prot=mmap.PROT_READ)
    finally:
        os.close(fd)
    with content:
        elf = Elf(lambda offset, size: content[offset : offset + size])
        yield ObjectFile(elf, elf.find_bias(mapping.start, mapping.offset), content)


def _open_file(pid: int, mapping: Mapping, proc: Proc) -> int | None:
    ways = [proc.path(pid, "map_files", f"{mapping.start:x}-{mapping.end:x}")]
    if not mapping.is_deleted:
        ways.insert(0, proc.path(pid, "root") + mapping.path)
    for path in ways:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue  # the next way may do; the last one is memory
        if os.fstat(fd).st_ino == mapping.inode:
            return fd
        os.close(fd)
    return None


def _linked_start(memory: TargetMemory, mapping: Mapping) -> int:
    """The address that the file's first byte was linked for: 0, but for a fixed executable."""
    elf = Elf(memory.read, 0, mapping.start)
    return min((s.address - s.offset for s in elf.segments if s.offset == 0), default=0)
