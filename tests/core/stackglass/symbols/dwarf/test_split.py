"""Split debug information: inlined calls that are in ``.dwo`` files, or in a package of them."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

import stackglass
from harness.compiled import FOLDER, find_compiler
from harness.line_judges import ask_judge, list_frames
from stackglass.symbols.dwarf.debug_info import DebugInfo, SourceFrame
from stackglass.symbols.elf_file import ElfFile
from stackglass.symbols.open_file import OpenFile
from stackglass.symbols.symboliser import Symboliser

SOURCES = FOLDER / "native_names"
VERSIONS = ("-gdwarf-5", "-gdwarf-4")
NATIVE = Path(stackglass.__file__).parent / "native"
UNITS = {
    "c": (SOURCES / "inlined.c", "cc", "-DONE"),
    "ranges": (NATIVE / "platform" / "lz4.c", "cc", f"-I{NATIVE}"),  # calls in several pieces
    "one": (SOURCES / "inlined.cpp", "c++", "-DONE"),
    "two": (SOURCES / "inlined.cpp", "c++", "-Dsum_shapes=sum_again"),
}


def build(folder: Path, options: str, more: str = "-gsplit-dwarf") -> Path:
    """A library of four units, whose files are beside it."""
    folder.mkdir(exist_ok=True)
    path = folder / "libsplit.so"
    for unit, (source, name, change) in UNITS.items():
        command = [find_compiler(name) or name, "-O2", "-fPIC", "-c", *options.split(), change]
        done = subprocess.run([*command, *more.split(), "-o", f"{unit}.o", source], cwd=folder)
        if done.returncode:
            pytest.skip(f"this compiler has no {options} {more}")
    command = [find_compiler("c++") or "c++", "-shared", "-Wl,--build-id", "-o", str(path)]
    subprocess.run([*command, *(f"{unit}.o" for unit in UNITS)], cwd=folder, check=True)
    return path


def open_info(path: Path) -> DebugInfo:
    return DebugInfo(ElfFile(OpenFile(str(path)).read), path=str(path))


def list_addresses(path: Path) -> Iterator[int]:
    """Bytes of all functions."""
    rows = subprocess.run(["nm", "-S", path], check=True, capture_output=True, text=True).stdout
    for row in map(str.split, rows.splitlines()):
        if len(row) == 4 and row[2] in "tTwW":
            yield from range(int(row[0], 16), int(row[0], 16) + int(row[1], 16), 3)


def find_all(path: Path) -> list[list[SourceFrame]]:
    info = open_info(path)
    found = [info.find(address) for address in list_addresses(path)]
    assert not info.problem
    assert not info.missing
    return found


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("compressed", ["", " -gz"])
def test_split_files_say_what_whole_ones_say(tmp_path: Path, version: str, compressed: str) -> None:
    whole = find_all(build(tmp_path / "whole", version, ""))
    split = build(tmp_path / "split", version + compressed)
    assert find_all(split) == whole
    assert sum(len(frames) > 1 for frames in whole) > 20
    assert len(list(split.parent.glob("*.dwo"))) == len(UNITS)


def pack(path: Path) -> Path:
    """A package of the library's ``.dwo`` files, which are removed."""
    package = Path(f"{path}.dwp")
    files = sorted(path.parent.glob("*.dwo"))
    if "-gdwarf-4" in path.parent.name:
        if shutil.which("dwp") is None:
            pytest.skip("no dwp")
        subprocess.run(["dwp", "-e", path, "-o", package], check=True, cwd=path.parent)
    else:
        pack_version_5(files, package)
    for each in files:
        each.unlink()
    return package


def pack_version_5(files: list[Path], package: Path) -> None:
    """As the standard says in 7.3.5: binutils 2.40 makes none of DWARF 5, and LLVM 14 does not end
    with GCC's files."""
    numbers = {"info": 1, "abbrev": 3, "str_offsets": 6, "rnglists": 8}
    whole = dict.fromkeys([*numbers, "str"], b"")
    ids, rows = [], []
    for file in files:
        elf = ElfFile(OpenFile(str(file)).read)
        found = {name: elf.find_section(f".debug_{name}.dwo") for name in whole}
        parts = {name: elf.read(each.offset, each.size) for name, each in found.items() if each}
        offsets = array("I", parts["str_offsets"][8:])
        moved = array("I", (each + len(whole["str"]) for each in offsets))
        parts["str_offsets"] = parts["str_offsets"][:8] + moved.tobytes()
        ids.append(parts["info"][12:20])
        rows.append([(len(whole[name]), len(parts.get(name, b""))) for name in numbers])
        for name, content in parts.items():
            whole[name] += content
    slots = 8
    table: list[tuple[bytes, int]] = [(bytes(8), 0)] * slots
    for row, each in enumerate(ids, 1):
        key = int.from_bytes(each, "little")
        at = key & (slots - 1)
        while table[at][1]:
            at = (at + (key >> 32 & (slots - 1) | 1)) & (slots - 1)
        table[at] = (each, row)
    words = [row for _, row in table]
    words += [*numbers.values(), *(part[0] for row in rows for part in row)]
    words += [part[1] for row in rows for part in row]
    index = struct.pack("<HHIII", 5, 0, len(numbers), len(ids), slots)
    index += b"".join(each for each, _ in table) + struct.pack(f"<{len(words)}I", *words)
    options = []
    for name, content in {
        **{f"{name}.dwo": whole[name] for name in whole},
        "cu_index": index,
    }.items():
        part = package.parent / f"part.{name}"
        part.write_bytes(content)
        is_new = name == "cu_index" or not ElfFile(OpenFile(str(files[0])).read).find_section(
            f".debug_{name}"
        )
        options.append(f"--{'add' if is_new else 'update'}-section=.debug_{name}={part}")
    subprocess.run(["objcopy", *options, files[0], package], check=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_packages_say_what_single_files_say(tmp_path: Path, version: str) -> None:
    path = build(tmp_path / version, version)
    expected = find_all(path)
    pack(path)
    assert find_all(path) == expected
    if shutil.which("llvm-symbolizer"):
        info = open_info(path)
        # It does not know calls in pieces whose addresses are less the unit's first one.
        found = {each: info.find(each) for each in list_addresses(path)}
        addresses = [at for at, frames in found.items() if frames and "lz4" not in frames[-1].file]
        judged = ask_judge("llvm-symbolizer", path, addresses)
        for address, theirs in zip(addresses, judged, strict=True):
            assert list_frames(info, address, theirs) == theirs, hex(address)


@pytest.mark.parametrize("version", VERSIONS)
def test_files_that_were_moved_are_found_beside_the_library(tmp_path: Path, version: str) -> None:
    path = build(tmp_path / "built", version)
    expected = find_all(path)
    path.parent.rename(tmp_path / "moved")
    assert find_all(tmp_path / "moved" / path.name) == expected


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("is_there", [False, True], ids=["gone", "of another build"])
def test_without_its_file_a_unit_has_lines_alone(
    tmp_path: Path, version: str, is_there: bool
) -> None:
    path = build(tmp_path, version)
    whole = find_all(path)
    for each in tmp_path.glob("*.dwo"):
        each.unlink()
    if is_there:
        build(tmp_path / "other", f"{version} -DOTHER -O1")
        for each in (tmp_path / "other").glob("*.dwo"):
            each.rename(tmp_path / each.name)
    info = open_info(path)
    lines = [info.find(address) for address in list_addresses(path)]
    innermost = [[frame.line for frame in frames[:1] if frame.line] for frames in whole]
    assert [[frame.line for frame in frames] for frames in lines] == innermost
    assert not info.problem
    assert info.missing.endswith(".dwo")
    symboliser, identity = Symboliser(0), ElfFile(OpenFile(str(path)).read).identity
    start = next(list_addresses(path))
    symboliser.name(str(path), identity, start)
    for address in list_addresses(path):
        symboliser.locate(str(path), identity, address)
    assert symboliser.list_problems() == [
        f"inlined calls of libsplit are missing: {info.missing} is not there, or of another build"
    ]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["*.dwo", "*.dwp"])
def test_damaged_files_cost_inlined_calls_alone(tmp_path: Path, version: str, kind: str) -> None:
    path = build(tmp_path / version, version)
    if kind == "*.dwp":
        pack(path)
    addresses, source = list(list_addresses(path))[::9], random.Random(17)
    files = {each: each.read_bytes() for each in path.parent.glob(kind)}
    assert files
    sections = {
        file: [each for each in ElfFile(OpenFile(str(file)).read).sections if ".debug" in each.name]
        for file in files
    }
    for _ in range(60):
        for file, whole in files.items():
            content = bytearray(whole)
            for _ in range(source.randrange(1, 6)):
                section = source.choice(sections[file])
                at = section.offset + source.randrange(section.size)
                content[at] = source.choice((0, 0x7F, 0xFF, source.randrange(256)))
            del content[source.choice((len(whole), source.randrange(64, len(whole)))) :]
            file.write_bytes(content)
        info = open_info(path)
        for address in addresses:
            assert all(isinstance(frame, SourceFrame) for frame in info.find(address))
        assert "\n" not in info.problem
