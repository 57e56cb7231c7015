"""Lines of functions by their library: from it, or from its debug file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.compiled import FOLDER
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


def list_chains(path: Path) -> set[tuple[NativeLine, ...]]:
    """Those of all addresses of one function."""
    rows = subprocess.run(["nm", "-DS", path], check=True, capture_output=True, text=True).stdout
    row = next(row.split() for row in rows.splitlines() if row.endswith(" outer"))
    start, size = int(row[0], 16), int(row[1], 16)
    elf = ElfFile(OpenFile(str(path)).read)
    symboliser = Symboliser(0)
    symboliser.name(str(path), elf.identity, start)
    assert not symboliser.list_problems()
    return {tuple(symboliser.locate(str(path), elf.identity, start + at)) for at in range(size)}


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
