"""``stackglass record``: names of the C functions that samples fall on."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.compiled import compile_library
from harness.go_tool import run_pprof
from harness.matrix import each_python
from harness.pythons import Python, find_pythons
from harness.targets import FOLDER
from native import _core_testing as core

pytestmark = pytest.mark.attach
PROGRAM = FOLDER / "native_names" / "program.py"


def record_work(python: Python, output: Path) -> str:
    """Path of the library that ran."""
    library = compile_library("native_names/work.c")
    words = [sys.executable, "-m", "stackglass", "record", "--cpu-hz", "1000", "-o", str(output)]
    command = [python.executable, str(PROGRAM), library, "30"]
    subprocess.run([*words, "--", *command], check=True, timeout=120)
    return library


@each_python
def test_static_and_exported_functions_under_their_python_caller(
    python: Python, tmp_path: Path
) -> None:
    """Go's own tool reads them; of four equal parts of work, three are in one function."""
    output = tmp_path / "cpu.pb.gz"
    library = record_work(python, output)
    text = run_pprof("-traces", "-sample_index=samples", output)
    shares = {name: count_leaves(text, name) for name in ("work_hidden", "work_exported")}
    total = sum(shares.values())
    assert total > 50, text
    assert 0.6 < shares["work_hidden"] / total < 0.9, shares
    raw = run_pprof("-raw", output)
    assert f"/{Path(library).name} " in raw
    build_id = read_build_id(library)
    assert build_id in raw


def test_code_without_an_unwind_row_has_its_own_name(tmp_path: Path) -> None:
    """Hand-written assembly is not the function before it, and is one function."""
    output = tmp_path / "cpu.pb.gz"
    record_work(find_pythons().present[-1], output)
    names = run_pprof("-top", "-nodefraction=0", output)
    assert len([line for line in names.splitlines() if line.endswith(": work_assembly")]) == 1
    assert not re.search(r"work\S*: 0x", names), names


def test_the_kernels_part_has_the_name_of_the_call(tmp_path: Path) -> None:
    output = tmp_path / "cpu.pb.gz"
    words = [sys.executable, "-m", "stackglass", "record", "--native", "--cpu-hz", "1000"]
    program = FOLDER / "native_names" / "system_calls.py"
    command = [find_pythons().present[-1].executable, str(program), "0.5"]
    subprocess.run([*words, "-o", str(output), "--", *command], check=True, timeout=120)
    text = run_pprof("-traces", "-sample_index=samples", output)
    for call, function, caller in (
        ("read", "read", "read_much"),
        (r"(?:newfstatat|stat|statx)", "stat", "look_often"),
    ):
        stacks = re.findall(rf"kernel: {call}\n[^+]*__main__\.{caller}\n", text)
        assert stacks, text
        assert all(f"posix: {function}\n" in each for each in stacks), stacks


def test_the_name_that_python_code_knows_goes_before_the_symbol(tmp_path: Path) -> None:
    """As of functions that nanobind calls through its dispatcher."""
    output = tmp_path / "cpu.pb.gz"
    library = compile_library("native_names/work.c")
    words = [sys.executable, "-m", "stackglass", "record", "--cpu-hz", "1000", "-o", str(output)]
    python = find_pythons().present[-1].executable
    command = [python, str(FOLDER / "native_names" / "known.py"), core.__file__, library, "60"]
    subprocess.run([*words, "--", *command], check=True, timeout=120)
    text = run_pprof("-traces", "-sample_index=samples", output)
    assert ": scale\n" in text, text
    assert ": work_exported\n" not in text, text


def count_leaves(traces: str, symbol: str) -> int:
    """Samples of stacks that end in a function of the library, called by ``call_library``."""
    total = 0
    lines = traces.splitlines()
    for line, caller in itertools.pairwise(lines):
        words = line.split()
        if line.endswith(f": {symbol}") and words[0].isdigit():
            assert caller.strip() == "__main__.call_library", caller
            total += int(words[0])
    return total


def read_build_id(path: str) -> str:
    command = ["readelf", "-n", path]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return text.partition("Build ID: ")[2].split()[0]
