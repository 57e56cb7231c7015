"""Object file: an ELF program or library that a process has mapped, wherever it can still be read.

It is read from the file as the process sees it, if that is still the same file; otherwise (deleted,
replaced, another mount namespace) through the mapping, ``map_files``; otherwise from memory, which
needs the right to trace.

The file is read, not mapped: if it is truncated meanwhile, as by an upgrade in place, reads end
early, but a mapping would end this process by SIGBUS.
"""

from __future__ import annotations

import os

from stackglass.attach.elf import Elf, ElfError
from stackglass.attach.memory_map import Mapping
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.target_memory import TargetMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class ObjectFile:
    """An ELF file and where it lies in the process. A context manager."""

    __slots__ = ("_close", "bias", "elf", "size_bytes")

    def __init__(
        self, elf: Elf, bias: int, size_bytes: int | None, close: Callable[[], None]
    ) -> None:
        self.elf = elf
        self.bias = bias  # add to addresses as linked
        self.size_bytes = size_bytes  # of the file; None if only its memory can be read
        self._close = close

    def __enter__(self) -> ObjectFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def find_address(self, name: str) -> int | None:
        """The address of a dynamic symbol in the process; None if the file does not define it."""
        symbol = self.elf.find_symbol(name)
        return None if symbol is None else symbol.address + self.bias


def open_object(pid: int, mapping: Mapping, proc: Proc = PROC) -> ObjectFile:
    """Open the file of ``mapping``, which is its first one. Raises ElfError, NoSuchProcessError,
    PermissionError."""
    fd = _open_file(pid, mapping, proc)
    if fd is None:
        return _open_memory(pid, mapping, proc)
    try:
        size_bytes = os.fstat(fd).st_size
        elf = Elf(lambda offset, size: _read(fd, size_bytes, offset, size))
        bias = elf.find_bias(mapping.start, mapping.offset)
    except BaseException:
        os.close(fd)
        raise
    return ObjectFile(elf, bias, size_bytes, lambda: os.close(fd))


def _read(fd: int, size_bytes: int, offset: int, size: int) -> bytes:
    """As many bytes at ``offset`` of the file as there are, at most ``size``. Raises ElfError."""
    size = min(size, size_bytes - offset)
    try:
        return os.pread(fd, size, offset) if size > 0 else b""
    except OSError as error:
        raise ElfError(f"the file cannot be read: {error.strerror}") from error


def _open_memory(pid: int, mapping: Mapping, proc: Proc) -> ObjectFile:
    memory = TargetMemory(pid, proc=proc)
    try:
        bias = mapping.start - _linked_start(memory, mapping)
        elf = Elf(memory.read, bias, mapping.start)
    except BaseException:
        memory.close()
        raise
    return ObjectFile(elf, bias, None, memory.close)


def _open_file(pid: int, mapping: Mapping, proc: Proc) -> int | None:
    """A descriptor of the mapped file; None if it cannot be opened, or is another file by now."""
    paths = [proc.path(pid, "map_files", f"{mapping.start:x}-{mapping.end:x}")]
    if not mapping.is_deleted:
        paths.insert(0, proc.path(pid, "root") + mapping.path)
    for path in paths:
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue  # the other path may work; the caller's last resort is memory
        if os.fstat(fd).st_ino == mapping.inode:
            return fd
        os.close(fd)
    return None


def _linked_start(memory: TargetMemory, mapping: Mapping) -> int:
    """The address for which the file's first byte was linked: 0, except in a fixed executable."""
    elf = Elf(memory.read, 0, mapping.start)
    return min((s.address - s.offset for s in elf.segments if s.offset == 0), default=0)
