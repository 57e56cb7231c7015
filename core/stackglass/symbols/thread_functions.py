"""Functions that a library passes to ``pthread_create``, from machine code without symbols.

::

    lea rdx, [rip + distance]     the third argument: the thread's function
    …                             nothing else is put into rdx
    call pthread_create           through a stub, or the global offset table

No other frame of a thread that Python does not know says what the thread is for.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from stackglass.symbols.elf_file import ElfFile, ElfFileError
from stackglass.symbols.static_data import StaticData

_SHT_SYMTAB = 2
_START = "pthread_create"
_JUMP = re.compile(rb"\xff\x25")
_CALL = re.compile(rb"[\xe8\xe9]|\xff[\x15\x25]")
_LEA_RDX = b"\x48\x8d\x15"
_LEA_BYTES = 7
_NEAR_BYTES = 48  # between both instructions
_STUB_HEADS = (0, 1, 4, 5)  # bnd, endbr64 or both before the stub's jump
# Instructions that may put something else into rdx: a call, a copy, a load, a constant. A pattern
# too many loses a name; a pattern too few gives a wrong name.
_REWRITES = re.compile(
    rb"\xe8|\xff[\x10-\x17\xd0-\xd7]|[\x89\x31\x33][\xc2\xca\xd2\xda\xe2\xea\xf2\xfa]"
    rb"|[\x8b\x8d][\x10-\x17\x50-\x57\x90-\x97\xd0-\xd7]|\xba|\x5a"
)


def read_thread_names(elf: ElfFile) -> dict[int, str]:
    """Return names such as ``[thread function 0x1a40]``, by the functions' addresses as linked.

    A file with a full symbol table needs none of these names.
    """
    if any(section.kind == _SHT_SYMTAB for section in elf.sections):
        return {}
    try:
        return {each: f"[thread function {each:#x}]" for each in _find_functions(StaticData(elf))}
    except ElfFileError:
        return {}  # damaged or very large


def _find_functions(data: StaticData) -> Iterator[int]:
    slots = {address for address, symbol in data.slots.items() if symbol == _START}
    blocks = list(data.list_code()) if slots else []
    stubs = {
        start + match.start()
        for start, code in blocks
        for match in _JUMP.finditer(code)
        if _find_target(start, code, match.start() + 2) in slots
    }
    heads = {stub - head for stub in stubs for head in _STUB_HEADS}
    for start, code in blocks:
        for match in _CALL.finditer(code):
            known = slots if len(match[0]) == 2 else heads
            if _find_target(start, code, match.end()) in known:
                function = _find_argument(start, code, match.start())
                if function is not None and data.is_code(function):
                    yield function


def _find_target(start: int, code: bytes, at: int) -> int | None:
    """Return the address that an operand relative to the program counter refers to; the operand
    ends its instruction."""
    if at + 4 > len(code):
        return None
    return start + at + 4 + int(struct.unpack_from("<i", code, at)[0])


def _find_argument(start: int, code: bytes, call: int) -> int | None:
    """Return the function whose address is in rdx at a call; None = not known."""
    at = code.rfind(_LEA_RDX, max(call - _NEAR_BYTES, 0), call)
    if at < 0 or at + _LEA_BYTES > call or _REWRITES.search(code, at + _LEA_BYTES, call):
        return None
    return _find_target(start, code, at + len(_LEA_RDX))
