"""Import tables of this process, read from memory; with the standard library of 3.9 only.

The entries of functions that allocate are read. An entry that is resolved at the first call changes
then, to the value of the other entries of that name.
"""

from __future__ import annotations

import ctypes
import struct

NAMES = {
    *("malloc", "calloc", "realloc", "free", "reallocarray", "posix_memalign", "aligned_alloc"),
    "pthread_create",
    *("memalign", "mmap", "mmap64", "munmap"),
    *("PyMem_RawMalloc", "PyMem_RawCalloc", "PyMem_RawRealloc", "PyMem_RawFree"),
}
PT_LOAD, PT_DYNAMIC = 1, 2
DT_PLTRELSZ, DT_STRTAB, DT_SYMTAB, DT_RELA, DT_RELASZ, DT_JMPREL = 2, 5, 6, 7, 8, 23
KINDS = {1, 6, 7, 257, 1025, 1026}  # a plain address, GLOB_DAT and JUMP_SLOT of two processors
HEADER = struct.Struct("=IIQQQQQQ")  # Elf64_Phdr
ADDEND = struct.Struct("=QQq")  # Elf64_Rela
SYMBOL_BYTES = 24


class Info(ctypes.Structure):
    _fields_ = [
        ("address", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("headers", ctypes.c_void_p),
        ("n_headers", ctypes.c_uint16),
    ]


def list_libraries() -> list:
    """List (address, name, [program header]) of each library."""
    found = []
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Info), ctypes.c_size_t, ctypes.c_void_p)

    def visit(info, size, context):
        one = info.contents
        headers = ctypes.string_at(one.headers, one.n_headers * HEADER.size)
        found.append((one.address, (one.name or b"").decode(), list(HEADER.iter_unpack(headers))))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(kind(visit), None)
    return found


def read_word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def read_dynamic(where: int, headers: list) -> dict:
    ends = [header[3] + header[6] for header in headers if header[0] == PT_LOAD]
    dynamic = {}
    for header in headers:
        at = where + header[3]
        while header[0] == PT_DYNAMIC and read_word(at):
            tag, value = read_word(at), read_word(at + 8)
            is_place = tag in (DT_STRTAB, DT_SYMTAB, DT_RELA, DT_JMPREL)
            dynamic[tag] = value + where if is_place and value < max(ends) else value
            at += 16
    return dynamic


def read_import_slots() -> dict:
    """Return {"library function +offset": the entry's value}."""
    return {name: read_word(place) for name, place in find_import_slots().items()}


def find_import_slots() -> dict:
    """Return {"library function +offset": the entry's address}."""
    slots = {}
    for where, name, headers in list_libraries():
        dynamic = read_dynamic(where, headers)
        if "vdso" in name or DT_SYMTAB not in dynamic:
            continue
        for table, size in ((DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)):
            raw = ctypes.string_at(dynamic.get(table, 0), dynamic.get(size, 0))
            for offset, info, addend in ADDEND.iter_unpack(raw):
                if info & 0xFFFFFFFF not in KINDS or addend:
                    continue
                symbol = dynamic[DT_SYMTAB] + (info >> 32) * SYMBOL_BYTES
                text = ctypes.string_at(
                    dynamic[DT_STRTAB] + ctypes.c_uint32.from_address(symbol).value
                ).decode()
                if text in NAMES:
                    slots[f"{name} {text} +{offset:#x}"] = where + offset
    return slots


def list_changes(before: dict, after: dict) -> list:
    """List entries of both that differ, except for functions that were resolved meanwhile."""
    known = {(slot.split()[-2], value) for slot, value in before.items()}
    return [
        slot
        for slot, value in sorted(before.items())
        if slot in after and after[slot] != value and (slot.split()[-2], after[slot]) not in known
    ]


def list_led_into(part_of_path: str) -> list:
    """List entries of other libraries that point into the library with this path."""
    ranges = [
        (where + header[3], where + header[3] + header[6])
        for where, name, headers in list_libraries()
        if part_of_path in name
        for header in headers
        if header[0] == PT_LOAD
    ]
    return [
        slot
        for slot, value in sorted(read_import_slots().items())
        if part_of_path not in slot and any(start <= value < end for start, end in ranges)
    ]
