"""Symbols of ELF files, from the file and from memory."""

from __future__ import annotations

import ctypes
import os
from functools import partial
from pathlib import Path

import pytest

from stackglass.attach.elf import Elf, ElfError, hash_gnu, hash_sysv
from stackglass.attach.memory_map import Mapping, list_files
from stackglass.attach.object_file import open_object
from stackglass.attach.proc import PROC

NAMES = ("dlopen", "dlsym", "dlerror", "__errno_location", "syscall")


def find_own(prefix: str) -> Mapping:
    maps = PROC.read_maps(os.getpid())
    return next(file for file in list_files(maps) if file.name.startswith(prefix))


def find_by_loader(name: str) -> int | None:
    return ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value


@pytest.mark.parametrize("name", NAMES)
def test_an_address_is_the_one_that_the_loader_finds(name: str) -> None:
    with open_object(os.getpid(), find_own("libc.so")) as file:
        assert file.size_bytes is not None
        assert file.find_address(name) == find_by_loader(name)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_gone_is_read_from_memory(name: str) -> None:
    libc = find_own("libc.so")
    replaced = libc._replace(inode=libc.inode + 1)
    with open_object(os.getpid(), replaced) as file:
        assert file.size_bytes is None
        assert file.find_address(name) == find_by_loader(name)


def test_what_is_not_defined_there_is_not_found() -> None:
    with open_object(os.getpid(), find_own("libc.so")) as file:
        assert file.find_address("PyGILState_Ensure") is None
        assert file.find_address("") is None


def test_hashes_are_those_of_the_format() -> None:
    # The examples of the ELF specification and of the GNU hash's description.
    assert hash_gnu(b"") == 0x1505
    assert hash_gnu(b"printf") == 0x156B2BB8
    assert hash_sysv(b"") == 0
    assert hash_sysv(b"printf") == 0x077905A6


def read_part(content: bytes | bytearray, at: int, n: int) -> bytes:
    return bytes(content[at : at + n])


def test_a_file_cut_anywhere_is_an_error_or_has_no_symbol() -> None:
    content = Path(find_own("libc.so").path).read_bytes()
    for size in [*range(0, 1024, 7), *range(1024, len(content), len(content) // 50)]:
        cut = content[:size]
        try:
            found = Elf(partial(read_part, cut)).find_symbol("dlopen")
        except ElfError:
            continue
        assert found is None or found.size > 0


def test_damage_is_an_error_and_never_a_loop() -> None:
    content = bytearray(Path(find_own("libc.so").path).read_bytes()[:200_000])
    for at in range(64, 20_000, 97):
        damaged = bytearray(content)
        damaged[at : at + 8] = b"\xff" * 8
        try:
            Elf(partial(read_part, damaged)).find_symbol("dlopen")
        except ElfError:
            continue


@pytest.mark.parametrize(
    "start", [b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01", b"\x7fELF\x02\x02" * 20]
)
def test_other_files_are_no_elf_files(start: bytes) -> None:
    with pytest.raises(ElfError):
        Elf(lambda at, n: start[at : at + n])


def test_the_first_bytes_give_the_word_size() -> None:
    assert Elf.is_64_bit(b"\x7fELF\x02")
    assert not Elf.is_64_bit(b"\x7fELF\x01")
    assert Elf.is_64_bit(b"#!/bin/sh")
