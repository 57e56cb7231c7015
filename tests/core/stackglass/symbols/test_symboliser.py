"""Names from files: which table has them, and which file counts."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.compiled import FOLDER
from stackglass.symbols.elf_file import ElfFile, ElfFileError, hash_fnv
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.symbol_table import read_tables
from stackglass.symbols.symboliser import Symboliser

SOURCE = FOLDER / "native_names" / "work.c"


def build(folder: Path, *options: str) -> Path:
    path = folder / "libwork.so.1"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", *options, "-o", path, SOURCE], check=True)
    return path


def run(*words: str | Path) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def find_starts(path: Path) -> dict[str, int]:
    """Addresses by name, as another tool reads them."""
    rows = (line.split() for line in run("nm", path).splitlines())
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3 and row[1] in "tT"}


def read_identity(path: Path) -> str:
    return ElfFile(OpenFile(str(path)).read).identity


def name_all(path: Path, starts: dict[str, int], identity: str) -> dict[str, str]:
    symboliser = Symboliser(0)
    return {
        name: symboliser.name(str(path), identity, start).text
        for name, start in starts.items()
        if name.startswith("work")
    }


def test_static_functions_have_names(tmp_path: Path) -> None:
    path = build(tmp_path)
    named = name_all(path, find_starts(path), read_identity(path))
    assert named == {
        "work": "libwork: work",
        "work_assembly": "libwork: work_assembly",
        "work_exported": "libwork: work_exported",
        "work_hidden": "libwork: work_hidden",
    }


def test_the_build_id_is_the_one_that_other_tools_read(tmp_path: Path) -> None:
    path = build(tmp_path, "-Wl,--build-id")
    assert f"Build ID: {read_identity(path)}\n" in run("readelf", "-n", path)


def test_a_stripped_file_has_its_exported_names_and_starts(tmp_path: Path) -> None:
    path = build(tmp_path)
    starts = find_starts(path)
    run("strip", path)
    hidden = f"libwork: {starts['work_hidden']:#x}"
    named = name_all(path, starts, read_identity(path))
    assert named["work_hidden"] == hidden
    assert named["work"] == "libwork: work"


@pytest.mark.parametrize("name", ["libwork.debug", "libwork.so.1"])
@pytest.mark.parametrize("options", [["-Wl,--build-id"], ["-Wl,--build-id=none"]])
def test_a_debug_file_counts_if_it_is_of_this_build(
    tmp_path: Path, options: list[str], name: str
) -> None:
    """Also one that has the library's own name, in another folder."""
    path = build(tmp_path, *options)
    starts, debug = find_starts(path), tmp_path / ".debug" / name
    debug.parent.mkdir()
    run("objcopy", "--only-keep-debug", path, debug)
    run("objcopy", "--strip-all", f"--add-gnu-debuglink={debug}", path)
    identity = read_identity(path)
    assert name_all(path, starts, identity)["work_hidden"] == "libwork: work_hidden"
    other = tmp_path / "other"
    other.mkdir()
    changed = build(other, "-O0", *options)
    shutil.copy(changed, debug)
    assert name_all(path, starts, identity)["work_hidden"].startswith("libwork: 0x")


@pytest.mark.parametrize("options", [["-Wl,--build-id"], ["-Wl,--build-id=none"]])
def test_a_replaced_file_gives_no_names(tmp_path: Path, options: list[str]) -> None:
    path = build(tmp_path, *options)
    starts, identity = find_starts(path), read_identity(path)
    build(tmp_path, "-O0", "-g", "-DNDEBUG", "-Wl,-z,noseparate-code", *options)
    assert name_all(path, starts, identity)["work"] == f"libwork: {starts['work']:#x}"


def test_a_file_without_build_id_is_known_by_its_headers(tmp_path: Path) -> None:
    path = build(tmp_path, "-Wl,--build-id=none")
    content = path.read_bytes()
    offset, count = int.from_bytes(content[32:40], "little"), content[56]
    table = content[offset : offset + 56 * count]
    assert read_identity(path) == f"headers-{hash_fnv(table):016x}"
    assert hash_fnv(b"a") == 0xAF63DC4C8601EC8C  # of the definition of FNV


def test_damage_is_refused_or_survived(tmp_path: Path) -> None:
    """Every truncation, and every byte of the headers and of the last sections with other bits."""
    path = build(tmp_path)
    content = path.read_bytes()
    places = [*range(0, 1024), *range(len(content) - 4096, len(content))]
    for at in places:
        try_file(content[:at])
        for bits in (0xFF, 0x80):
            try_file(content[:at] + bytes([content[at] ^ bits]) + content[at + 1 :])


def try_file(content: bytes) -> None:
    try:
        elf = ElfFile(lambda offset, size: content[offset : offset + size])
        for table in read_tables(elf):
            table.find(0x1119)
        assert len(elf.identity) < 200
    except ElfFileError:
        pass  # said so, and nothing else


def test_what_is_no_ordinary_file_is_not_opened(tmp_path: Path) -> None:
    """Neither waits for a pipe's other end, nor reads a device without end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/zero"), tmp_path):
        assert Symboliser(0).name(str(path), "00", 16).symbol == ""


def test_a_path_that_no_file_can_have() -> None:
    """A damaged engine may send any text."""
    assert Symboliser(os.getpid()).name("/a\0b.so", "12ab", 16).text == "a\0b: 0x10"
