"""Names that a JIT has written, while it writes them and uses memory again."""

from __future__ import annotations

import builtins
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stackglass.symbols import perf_map
from stackglass.symbols.perf_map import PerfMap

PID = os.getpid()
Lines = list[tuple[int, int]]  # start and size
LINES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=12)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The map of this process."""
    monkeypatch.setattr(perf_map, "_FOLDER", f"{tmp_path}/")
    return tmp_path / f"perf-{PID}.map"


def write(path: Path, *lines: str) -> None:
    """Append, as a JIT does."""
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))


def test_a_function_has_all_its_addresses(path: Path) -> None:
    write(path, "1000 20 first function", "1020 10 second", "of another format", "1030 0 empty")
    names = PerfMap(PID)
    found = [names.find(address) for address in (0xFFF, 0x1000, 0x101F, 0x1020, 0x102F, 0x1030)]
    assert found == ["", "first function", "first function", "second", "second", ""]


def test_code_that_is_compiled_again_has_its_newest_name(path: Path) -> None:
    """Also after an older one was found there."""
    names = PerfMap(PID)
    write(path, "1000 20 older")
    assert names.find(0x1010) == "older"
    write(path, "1000 20 newer")
    assert names.find(0x1010) == "newer"


def test_new_code_over_old_has_its_own_name(path: Path) -> None:
    """Whatever its start; what it leaves of the old one keeps its name."""
    names = PerfMap(PID)
    write(path, "1000 40 older")
    assert names.find(0x1018) == "older"
    write(path, "1010 10 newer")
    found = [names.find(address) for address in (0x100F, 0x1010, 0x101F, 0x1020, 0x103F, 0x1040)]
    assert found == ["older", "newer", "newer", "older", "older", ""]
    write(path, "0ff0 100 newest")
    assert {names.find(address) for address in range(0xFF0, 0x10F0)} == {"newest"}


@given(first=LINES, second=LINES)
def test_the_last_line_that_holds_an_address_counts(
    first: Lines, second: Lines, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("maps")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perf_map, "_FOLDER", f"{folder}/")
        names = PerfMap(PID)
        lines: Lines = []
        for part in (first, second):
            write(
                folder / f"perf-{PID}.map",
                *(
                    f"{start:x} {size:x} f{number}"
                    for number, (start, size) in enumerate(part, len(lines))
                ),
            )
            lines += part
            for address in range(56):
                holding = [
                    f"f{number}"
                    for number, (start, size) in enumerate(lines)
                    if start <= address < start + size
                ]
                assert names.find(address) == (holding[-1] if holding else "")


def test_a_line_in_the_making_waits_for_its_end(path: Path) -> None:
    names = PerfMap(PID)
    path.write_text("1000 20 whole\n1020 20 hal")
    assert names.find(0x1000) == "whole"
    assert names.find(0x1020) == ""
    path.write_text("1000 20 whole\n1020 20 half\n")
    assert names.find(0x1020) == "half"


def test_another_file_of_that_name_counts_alone(path: Path) -> None:
    names = PerfMap(PID)
    write(path, "1000 20 of the first file", "2000 20 of the first file")
    assert names.find(0x1000) == "of the first file"
    other = path.with_suffix(".new")
    write(other, "1000 20 of the second file", "2000 20 of the second file", "3000 1 more")
    other.rename(path)
    assert names.find(0x1000) == "of the second file"
    path.write_text("1000 20 begun anew\n")
    assert names.find(0x1000) == "begun anew"
    assert names.find(0x2000) == ""


def test_there_may_be_no_file(path: Path) -> None:
    assert PerfMap(PID).find(0x1000) == ""
    assert PerfMap(0).find(0x1000) == ""
    path.mkdir()
    assert PerfMap(PID).find(0x1000) == ""


def test_a_process_in_a_namespace_may_have_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel cuts names to 15 bytes, perhaps in the middle of a letter."""
    status = tmp_path / "status"
    status.write_bytes(b"Name:\tn\xc3\nNSpid:\t4711\t7\n")
    real = builtins.open
    monkeypatch.setattr(
        perf_map, "open", lambda _, *how, **more: real(status, *how, **more), raising=False
    )
    assert perf_map._find_inner_pid(4711) == 7
