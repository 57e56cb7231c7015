"""Lines and inlined calls of addresses, beside those of ``addr2line``."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.compiled import FOLDER, find_compiler, find_rust_compiler
from harness.line_judges import ask_judge, list_frames
from stackglass.symbols.debug_file import open_alternative
from stackglass.symbols.dwarf.debug_info import DebugInfo, SourceFrame
from stackglass.symbols.elf_file import ElfFile
from stackglass.symbols.open_file import OpenFile

SOURCES = FOLDER / "native_names"
KINDS = (
    *("-gdwarf-5", "-gdwarf-4", "-gdwarf-3", "-gdwarf-5 -gz", "-gdwarf-4 -gz", "-g -gdwarf64"),
    *("-gdwarf-5 -gsplit-dwarf", "-gdwarf-4 -gsplit-dwarf"),
)


def build(folder: Path, source: str, options: str, compiler: str = "") -> Path:
    path = folder / f"lib{source}.so"
    name = "c++" if source.endswith("pp") else "cc"
    command = [compiler or find_compiler(name) or name, "-O2", "-shared", "-fPIC"]
    done = subprocess.run(
        [*command, *options.split(), "-o", path, SOURCES / source], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"this compiler has no {options}")
    return path


def open_info(path: Path) -> DebugInfo:
    return DebugInfo(ElfFile(OpenFile(str(path)).read), path=str(path))


def list_addresses(path: Path, symbols: str = "") -> list[int]:
    """Every byte of every function whose symbol has this pattern."""
    rows = subprocess.run(["nm", "-S", path], check=True, capture_output=True, text=True).stdout
    found: set[int] = set()
    for row in map(str.split, rows.splitlines()):
        if len(row) == 4 and row[2] in "tTwW" and re.search(symbols, row[3]):
            found.update(range(int(row[0], 16), int(row[0], 16) + int(row[1], 16)))
    return sorted(found)


def find_line(text: str) -> int:
    lines = (SOURCES / "inlined.c").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if f"/* {text} */" in line)


@pytest.mark.parametrize("options", KINDS)
@pytest.mark.parametrize(
    ("judge", "source"),
    [
        ("addr2line", "inlined.c"),
        ("llvm-symbolizer", "inlined.c"),
        ("llvm-symbolizer", "inlined.cpp"),  # addr2line knows no parts that are split off
    ],
)
def test_every_address_is_as_another_tool_says(
    tmp_path: Path, judge: str, source: str, options: str
) -> None:
    is_read = judge != "addr2line" or not any(each in options for each in ("64", "split"))
    if shutil.which(judge) is None or not is_read:
        pytest.skip(f"no {judge} that reads this")
    path = build(tmp_path, source, options)
    info = open_info(path)
    addresses = [each for each in list_addresses(path) if info.find(each)]
    n_inlined = 0
    for address, theirs in zip(addresses, ask_judge(judge, path, addresses), strict=True):
        assert list_frames(info, address, theirs) == theirs, hex(address)
        n_inlined += len(theirs) > 1
    assert n_inlined > 20
    assert not info.problem


@pytest.mark.parametrize("judge", ["addr2line", "llvm-symbolizer"])
def test_lines_of_rust_are_as_another_tool_says(tmp_path: Path, judge: str) -> None:
    compiler = find_rust_compiler()
    if compiler is None or shutil.which(judge) is None:
        pytest.skip(f"no rustc, or no {judge}")
    path, source = tmp_path / "libwork.so", FOLDER / "native_stacks" / "work.rs"
    options = ("-O", "-C", "debuginfo=2", "--crate-type", "cdylib", "-o")
    subprocess.run([compiler, *options, path, source], check=True, timeout=240)
    info = open_info(path)
    addresses = list_addresses(path, r"4work\d|run_")  # the standard library is there, too
    n_inlined = 0
    for address, theirs in zip(addresses, ask_judge(judge, path, addresses), strict=True):
        assert list_frames(info, address, theirs) == theirs, hex(address)
        n_inlined += len(theirs) > 2
    assert n_inlined > 20


def test_inlined_calls_stand_before_the_function_they_are_in(tmp_path: Path) -> None:
    path = build(tmp_path, "inlined.c", "-gdwarf-5")
    info = open_info(path)
    chains = {
        tuple((frame.symbol, frame.line) for frame in info.find(address))
        for address in list_addresses(path)
    }
    deepest = (
        ("innermost", find_line("innermost line")),
        ("middle", find_line("middle line")),
        ("outer", find_line("outer line")),
    )
    assert deepest in chains
    assert (deepest[0], ("outer", find_line("second outer line"))) in chains
    assert (("plain", find_line("plain line")),) in chains
    found = info.find(list_addresses(path)[-1])[-1]
    assert found.file == str(SOURCES / "inlined.c")
    text = (SOURCES / "inlined.c").read_text().splitlines()[found.start_line - 1]
    assert found.symbol in text


def test_a_file_without_debug_information_has_no_lines(tmp_path: Path) -> None:
    path = build(tmp_path, "inlined.c", "-g0")
    info = open_info(path)
    assert [info.find(address) for address in list_addresses(path)[:8]] == [[]] * 8
    assert not info.problem


@pytest.mark.parametrize("options", ["-gdwarf-5", "-gdwarf-4 -gz"])
def test_damaged_files_cost_lines_and_a_sentence(tmp_path: Path, options: str) -> None:
    """A byte in a debug section is changed, or the file ends early; nothing is raised."""
    path = build(tmp_path, "inlined.c", options)
    whole = path.read_bytes()
    sections = [each for each in open_elf(whole).sections if each.name.startswith(".debug_")]
    addresses = list_addresses(path)[::9]
    source = random.Random(17)
    problems = set()
    for _ in range(150):
        content = bytearray(whole)
        for _ in range(source.randrange(1, 6)):
            section = source.choice(sections)
            at = section.offset + source.randrange(section.size)
            content[at] = source.choice((0, 0x7F, 0xFF, source.randrange(256)))
        info = DebugInfo(open_elf(bytes(content)))
        for address in addresses:
            assert all(isinstance(frame, SourceFrame) for frame in info.find(address))
        problems.add(info.problem)
    assert "" in problems or len(problems) > 1
    assert all("\n" not in each and len(each) < 100 for each in problems)


def test_reading_stops_when_it_takes_too_long(tmp_path: Path) -> None:
    path = build(tmp_path, "inlined.c", "-gdwarf-5")
    addresses = list_addresses(path)
    times = iter(range(0, 100_000, 20))
    info = DebugInfo(ElfFile(OpenFile(str(path)).read), clock=lambda: float(next(times)))
    for address in addresses:
        info.find(address)
    assert info.find(addresses[0]) == []
    assert info.problem == "reading it takes too long"


def open_elf(content: bytes) -> ElfFile:
    return ElfFile(lambda offset, size: content[offset : offset + size])


@pytest.mark.skipif(shutil.which("dwz") is None, reason="no dwz")
def test_parts_that_files_share_are_read_from_the_file_that_has_them(tmp_path: Path) -> None:
    paths = []
    for name in "ab":
        (tmp_path / name).mkdir()
        paths.append(build(tmp_path / name, "inlined.cpp", "-gdwarf-4 -Wl,--build-id"))
    addresses = list_addresses(paths[0])
    expected = [open_info(paths[0]).find(each) for each in addresses[::50]]
    common = tmp_path / "common.debug"
    subprocess.run(["dwz", "-m", common, "-M", common, *paths], check=True)
    elf = ElfFile(OpenFile(str(paths[0])).read)
    found = open_alternative(elf)
    assert found is not None
    info = DebugInfo(elf, found)
    assert [info.find(each) for each in addresses[::50]] == expected
    assert not info.problem
