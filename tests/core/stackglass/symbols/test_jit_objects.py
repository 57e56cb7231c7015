"""Names of code that a JIT has registered for debuggers, in this process."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.compiled import compile_library
from harness.fake_clock import FakeClock
from stackglass.symbols.jit_objects import JitObjects
from stackglass.symbols.native_code import NativeName
from stackglass.symbols.symboliser import Symboliser

LIBRARY = "native_names/jit.c"
NUMBA = "_ZN8__main__12_3clocals_3e5innerB2v1B3abcEd"
SOURCE = f"int made(int n) {{ return n * 3; }} int {NUMBA}(int n) {{ return n * 5; }}"
SECTIONS_AT, N_SECTIONS_AT = 40, 60  # in the ELF header
MESSAGE_NS = 100_000_000  # from one message of an engine to the next


class Jit:
    """Registers object files in this process."""

    def __init__(self) -> None:
        library = ctypes.CDLL(compile_library(LIBRARY))
        self._add = library.add_object
        self._add.restype = ctypes.c_void_p
        self._add.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
        self.drop = library.drop_objects
        self._kept: list[object] = []

    def add(self, content: bytes, n_bytes: int = 0) -> int:
        """The address of its entry."""
        buffer = ctypes.create_string_buffer(content, len(content))
        self._kept.append(buffer)
        entry = self._add(ctypes.addressof(buffer), n_bytes or len(content))
        assert isinstance(entry, int)
        return entry


@pytest.fixture
def jit() -> Iterator[Jit]:
    jit = Jit()
    yield jit
    jit.drop()


@pytest.fixture
def code() -> Iterator[int]:
    """Executable memory that belongs to no file."""
    memory = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    anchor = ctypes.c_char.from_buffer(memory)
    yield ctypes.addressof(anchor)
    del anchor
    memory.close()


def compile_object(folder: Path, place: int) -> tuple[bytes, dict[str, int]]:
    """An object file whose code a JIT has put at ``place``, and where its functions are."""
    source, path = folder / "made.c", folder / "made.o"
    source.write_text(SOURCE)
    subprocess.run(["cc", "-O1", "-c", "-o", path, source], check=True)
    nm = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
    starts = {row.split()[2]: place + int(row.split()[0], 16) for row in nm.splitlines()}
    content = bytearray(path.read_bytes())
    (sections,) = struct.unpack_from("<Q", content, SECTIONS_AT)
    size, count = struct.unpack_from("<HH", content, N_SECTIONS_AT - 2)
    for number in range(count):
        at = sections + number * size
        flags = struct.unpack_from("<Q", content, at + 8)[0]
        if flags & 4:  # SHF_EXECINSTR
            struct.pack_into("<Q", content, at + 16, place)
    return bytes(content), starts


def test_code_has_the_name_in_its_object_file(jit: Jit, code: int, tmp_path: Path) -> None:
    content, starts = compile_object(tmp_path, code)
    jit.add(content)
    symboliser = Symboliser(os.getpid())
    names = {
        symbol: symboliser.name("", f"memory-{start - 1:x} /x/libcaller.so", 1)
        for symbol, start in starts.items()
    }
    assert names["made"] == NativeName("JIT: made", "made")
    numba = "__main__.<locals>.inner"
    assert names[NUMBA] == NativeName(f"JIT: {numba}", numba)
    beyond = symboliser.name("", f"memory-{code + 2048:x} /x/libcaller.so", 0)
    assert beyond.text == "libcaller: [JIT code]"


def test_what_is_compiled_later_is_found(jit: Jit, code: int, tmp_path: Path) -> None:
    clock = FakeClock()
    objects = JitObjects(os.getpid(), clock)
    assert objects.find(code) == ""
    content, starts = compile_object(tmp_path, code)
    jit.add(content)
    clock.advance(MESSAGE_NS)
    assert objects.find(starts["made"]) == "made"


def test_code_that_took_the_place_of_other_code_has_its_own_name(
    jit: Jit, code: int, tmp_path: Path
) -> None:
    clock = FakeClock()
    objects = JitObjects(os.getpid(), clock)
    content, starts = compile_object(tmp_path, code + 64)
    jit.add(content)
    assert objects.find(starts["made"]) == "made"
    first = min(starts.values())
    anew, _ = compile_object(tmp_path, first - 2)
    jit.add(anew.replace(b"made\0", b"anew\0"))
    clock.advance(MESSAGE_NS)
    assert objects.find(code + 2048) == ""  # looks again
    assert objects.find(first) == "anew"


def test_what_is_no_object_file_hides_no_other(jit: Jit, code: int, tmp_path: Path) -> None:
    content, starts = compile_object(tmp_path, code)
    jit.add(content)
    for length in range(0, len(content), 41):
        jit.add(content[: length + 1])
    jit.add(b"no object file")
    assert JitObjects(os.getpid()).find(starts["made"]) == "made"


def test_a_list_that_leads_nowhere_ends(jit: Jit, code: int, tmp_path: Path) -> None:
    content, starts = compile_object(tmp_path, code)
    jit.add(content)
    entry = ctypes.c_uint64.from_address(jit.add(b"no object file"))
    following, entry.value = entry.value, ctypes.addressof(entry)
    assert JitObjects(os.getpid()).find(code + 2048) == ""
    entry.value = 1
    assert JitObjects(os.getpid()).find(code + 2048) == ""
    entry.value = following
    assert JitObjects(os.getpid()).find(starts["made"]) == "made"


def test_an_object_file_of_any_size_ends_the_list(jit: Jit, code: int, tmp_path: Path) -> None:
    content, starts = compile_object(tmp_path, code)
    entry = ctypes.c_uint64.from_address(jit.add(content, 1 << 40) + 24)
    assert JitObjects(os.getpid()).find(starts["made"]) == ""
    entry.value = len(content)
    assert JitObjects(os.getpid()).find(starts["made"]) == "made"


def test_a_process_that_has_ended_has_no_names() -> None:
    assert JitObjects(0).find(0x1000) == ""
