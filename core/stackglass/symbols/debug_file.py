"""Separate symbols of a stripped file: its debug file, and the packed table that some distributions
leave in the file."""

from __future__ import annotations

import lzma
import os
import struct
import zlib
from collections.abc import Iterator

from stackglass.symbols.debuginfod import find_cached
from stackglass.symbols.elf_file import ElfFile, ElfFileError, read_text
from stackglass.symbols.open_file import OpenFile

_DEBUG_FOLDER = "/usr/lib/debug"
_MAX_LINK_BYTES = 4096
_MAX_PACKED_BYTES = 16 << 20
_MAX_UNPACKED_BYTES = 64 << 20
_MAX_DEBUG_FILE_BYTES = 1 << 30
_CHUNK_BYTES = 1 << 20


def open_debug_file(elf: ElfFile, path: str, root: str = "") -> ElfFile | None:
    """Return the file with the symbols of ``elf``, which is at ``path`` below ``root``; None = no
    file is proven to be of this build."""
    build_id = elf.build_id
    if len(build_id) > 2:
        name = f"{root}{_DEBUG_FOLDER}/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
        for candidate in (name, find_cached(build_id)):
            found = _open(candidate)
            if found is not None and found.build_id == build_id:
                return found
    link, checksum = _read_link(elf)
    for candidate in _list_candidates(root, path, link):
        found = _open(candidate)
        if found is None:
            continue
        is_same = found.build_id == build_id if build_id else _sum(candidate) == checksum
        if is_same:
            return found
    return None


def find_damaged(elf: ElfFile, path: str, root: str = "") -> str:
    """Return the path of a debug file of ``elf`` that is no ELF file, or is cut off; "" = there is
    none."""
    build_id = elf.build_id
    candidates = list(_list_candidates(root, path, _read_link(elf)[0]))
    if len(build_id) > 2:
        candidates.append(f"{root}{_DEBUG_FOLDER}/.build-id/{build_id[:2]}/{build_id[2:]}.debug")
        candidates.append(find_cached(build_id))
    for candidate in candidates:
        try:
            ElfFile(OpenFile(candidate).read)
        except ElfFileError:
            return candidate
        except OSError:
            continue  # it does not exist, or is another user's
    return ""


def open_alternative(elf: ElfFile, root: str = "") -> ElfFile | None:
    """Return the file with parts that several debug files share (``.gnu_debugaltlink``); None =
    there is none, or it is of another build."""
    section = elf.find_section(".gnu_debugaltlink")
    if section is None or section.size > _MAX_LINK_BYTES:
        return None
    content = elf.read(section.offset, section.size)
    name, _, build_id = content.partition(b"\0")
    wanted, path = build_id.hex(), name.decode("utf-8", "surrogateescape")
    if len(wanted) <= 2:
        return None
    candidates = [
        f"{root}{_DEBUG_FOLDER}/.build-id/{wanted[:2]}/{wanted[2:]}.debug",
        find_cached(wanted),
    ]
    if path.startswith("/"):
        candidates.insert(0, root + path)
    else:  # relative to the debug file's folder, which is below the folder of .dwz
        candidates.append(f"{root}{_DEBUG_FOLDER}/.dwz/{path.rpartition('/')[2]}")
    for candidate in candidates:
        found = _open(candidate)
        if found is not None and found.build_id == wanted:
            return found
    return None


def unpack_inner_symbols(elf: ElfFile) -> ElfFile | None:
    """Return the ELF file in ``.gnu_debugdata``; None = there is none."""
    section = elf.find_section(".gnu_debugdata")
    if section is None or section.size > _MAX_PACKED_BYTES:
        return None
    try:
        content = lzma.LZMADecompressor().decompress(
            elf.read(section.offset, section.size), _MAX_UNPACKED_BYTES
        )
        return ElfFile(lambda offset, size: content[offset : offset + size])
    except (lzma.LZMAError, EOFError, ElfFileError):
        return None  # damaged: the names of the other tables remain


def _read_link(elf: ElfFile) -> tuple[str, int]:
    """Return the file's name and CRC in ``.gnu_debuglink``; "" = there is none."""
    section = elf.find_section(".gnu_debuglink")
    if section is None or section.size > _MAX_LINK_BYTES:
        return "", 0
    content = elf.read(section.offset, section.size)
    name = read_text(content, 0)
    at = len(name.encode()) + 4 & ~3
    if not name or "/" in name or at + 4 > len(content):
        return "", 0
    return name, struct.unpack_from("<I", content, at)[0]


def _list_candidates(root: str, path: str, link: str) -> Iterator[str]:
    if link:
        folder, file = os.path.split(path)
        if link != file:  # else the place is that of the stripped file itself
            yield f"{root}{folder}/{link}"
        yield f"{root}{folder}/.debug/{link}"
        yield f"{root}{_DEBUG_FOLDER}{folder}/{link}"


def _open(path: str) -> ElfFile | None:
    try:
        return ElfFile(OpenFile(path).read)
    except (OSError, ElfFileError):
        return None


def _sum(path: str) -> int:
    """Return the CRC of a file; -1 = the file cannot be read, or is too large."""
    value = 0
    try:
        file = OpenFile(path)
    except OSError:
        return -1
    for offset in range(0, _MAX_DEBUG_FILE_BYTES, _CHUNK_BYTES):
        chunk = file.read(offset, _CHUNK_BYTES)
        if not chunk:
            return value
        value = zlib.crc32(chunk, value)
    return -1
