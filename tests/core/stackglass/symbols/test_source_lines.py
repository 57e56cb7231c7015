"""Lines of functions by their library: from it, or from its debug file."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.compiled import FOLDER
from stackglass.symbols.dwarf import zstd
from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.elf_file import ElfFile
from stackglass.symbols.native_code import NativeLine
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.symboliser import Symboliser

SOURCE = FOLDER / "native_names" / "inlined.c"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "libinlined.so.1"
    command = [
        "cc",
        "-O2",
        "-g",
        "-shared",
        "-fPIC",
        "-Wl,--build-id",
        "-o",
        str(path),
        str(SOURCE),
    ]
    subprocess.run(command, check=True)
    return path


def list_chains(path: Path, is_whole: bool = True) -> set[tuple[NativeLine, ...]]:
    """Those of all addresses of one function."""
    rows = subprocess.run(["nm", "-DS", path], check=True, capture_output=True, text=True).stdout
    row = next(row.split() for row in rows.splitlines() if row.endswith(" outer"))
    start, size = int(row[0], 16), int(row[1], 16)
    elf = ElfFile(OpenFile(str(path)).read)
    symboliser = Symboliser(0)
    symboliser.name(str(path), elf.identity, start)
    found = {tuple(symboliser.locate(str(path), elf.identity, start + at)) for at in range(size)}
    assert not (is_whole and symboliser.list_problems())
    return found


def assert_inlined(chains: set[tuple[NativeLine, ...]]) -> None:
    texts = {tuple(line.text for line in chain) for chain in chains}
    assert ("libinlined: innermost", "libinlined: middle", "") in texts
    assert {line.file for chain in chains for line in chain} == {str(SOURCE)}


def strip(path: Path) -> Path:
    """Move debug information to a file of its own."""
    debug = path.with_name("apart.debug")
    subprocess.run(["objcopy", "--only-keep-debug", path, debug], check=True)
    subprocess.run(["strip", "--strip-all", path], check=True)
    return debug


def test_inlined_calls_have_names_of_their_own(library: Path) -> None:
    assert_inlined(list_chains(library))


def test_a_stripped_library_has_no_lines(library: Path) -> None:
    strip(library)
    assert list_chains(library) == {()}


def test_the_debug_file_of_a_debuginfod_client_counts(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    debug = strip(library)
    build_id = ElfFile(OpenFile(str(library)).read).build_id
    (tmp_path / "cache" / build_id).mkdir(parents=True)
    shutil.copy(debug, tmp_path / "cache" / build_id / "debuginfo")
    monkeypatch.setenv("DEBUGINFOD_CACHE_PATH", str(tmp_path / "cache"))
    assert_inlined(list_chains(library))


def test_a_debug_file_of_another_build_does_not_count(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_id = ElfFile(OpenFile(str(library)).read).build_id
    other = tmp_path / "libother.so"
    command = [
        "cc",
        "-O1",
        "-g",
        "-shared",
        "-fPIC",
        "-Wl,--build-id",
        "-o",
        str(other),
        str(SOURCE),
    ]
    subprocess.run(command, check=True)
    strip(library)
    (tmp_path / "cache" / build_id).mkdir(parents=True)
    shutil.copy(other, tmp_path / "cache" / build_id / "debuginfo")
    monkeypatch.setenv("DEBUGINFOD_CACHE_PATH", str(tmp_path / "cache"))
    assert list_chains(library) == {()}


def list_problems(path: Path) -> list[str]:
    elf = ElfFile(OpenFile(str(path)).read)
    rows = subprocess.run(["nm", "-DS", path], check=True, capture_output=True, text=True).stdout
    start = next(int(row.split()[0], 16) for row in rows.splitlines() if row.endswith(" outer"))
    symboliser = Symboliser(0)
    symboliser.name(str(path), elf.identity, start)
    symboliser.locate(str(path), elf.identity, start)
    return symboliser.list_problems()


def compress(path: Path) -> None:
    command = ["objcopy", "--compress-debug-sections=zstd", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"objcopy does not write zstd: {done.stderr}")


def test_sections_that_zstd_has_compressed_are_read(library: Path) -> None:
    compress(library)
    assert_inlined(list_chains(library))


def test_without_a_reader_of_zstd_a_sentence_says_so(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compress(library)
    monkeypatch.setattr(zstd, "_LIBRARY", "libzstd-that-is-not-there.so.1")
    monkeypatch.setitem(sys.modules, "compression", None)
    assert list_problems(library) == [
        "lines of libinlined are missing: its debug information is compressed with zstd, and there "
        "is neither Python 3.14 nor libzstd-that-is-not-there.so.1 to read it"
    ]


def test_zstd_that_is_damaged_or_cut_off_is_an_error() -> None:
    for packed in (b"\x28\xb5\x2f\xfd", b"no zstd at all"):
        with pytest.raises(DwarfError, match="damaged"):
            zstd.unpack(packed, 100)


def test_split_debug_information_has_inlined_calls_while_its_files_are_there(library: Path) -> None:
    whole = list_chains(library)
    command = ["cc", "-O2", "-g", "-gsplit-dwarf", "-shared", "-fPIC", "-Wl,--build-id"]
    folder = library.parent
    subprocess.run([*command, "-o", str(library), str(SOURCE)], check=True, cwd=folder)
    assert list_chains(library) == whole
    (file,) = folder.glob("*.dwo")
    file.unlink()
    found = {(chain[0].file, len(chain)) for chain in list_chains(library, is_whole=False) if chain}
    assert found == {(str(SOURCE), 1)}
    (problem,) = list_problems(library)
    assert problem.startswith("inlined calls of libinlined are missing: ")
    assert problem.endswith(f"{file.name} is not there, or of another build")


def test_a_damaged_debug_file_is_named(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    debug = strip(library)
    build_id = ElfFile(OpenFile(str(library)).read).build_id
    cached = tmp_path / "cache" / build_id / "debuginfo"
    cached.parent.mkdir(parents=True)
    cached.write_bytes(debug.read_bytes()[:200])
    monkeypatch.setenv("DEBUGINFOD_CACHE_PATH", str(tmp_path / "cache"))
    assert list_problems(library) == [f"lines of libinlined are missing: {cached} is damaged"]
