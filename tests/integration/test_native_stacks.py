"""``stackglass record --native``: stacks of C, C++ and Rust that are known by construction."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from harness.compiled import compile_library, compile_rust_library
from harness.matrix import each_python
from harness.pythons import Python
from harness.saved_profile import SavedProfile
from harness.targets import FOLDER

pytestmark = pytest.mark.attach

C = "native_stacks/work.c"
CPP = "native_stacks/work.cc"
RUST = "native_stacks/work.rs"
SECONDS = "0.3"
OWN_FRAME = re.compile(r"work\S*: (?P<function>.+)$|\.(?P<python>py_\w+|spin_again)$")

STACKS: dict[str, dict[str, tuple[str, ...]]] = {
    C: {
        "plain_spin": ("plain_spin", "spin"),
        "call_back": ("call_back", "call_inner", "spin_again", "plain_spin", "spin"),
        "run_alloca": ("run_alloca", "with_alloca", "spin"),
        "run_alignment": ("run_alignment", "with_alignment", "spin"),
        "run_recursion": ("run_recursion", *["recurse"] * 21, "spin"),
        "run_signal": ("run_signal", "raise_inside", "handle", "spin"),
        "run_signal_elsewhere": ("run_signal_elsewhere", "raise_inside", "handle", "spin"),
        # What called these cannot be known. Python's frames are.
        "run_coroutine": ("<truncated>", "coroutine", "spin"),
        "run_leaf_without_rows": ("<truncated>", "spin_without_rows"),
        "run_caller_without_rows": ("<truncated>", "call_without_rows", "spin"),
    },
    CPP: {
        "run_template": ("run_template", "known::Shape::draw", "known::spin"),
        "run_exception": ("run_exception", "known::spin_in_handler", "known::spin"),
    },
    RUST: {
        "run_generic": ("run_generic", "work::apply", "work::spin"),
        "run_panic": ("run_panic", "work::recover", "work::spin"),
    },
}


def record(python: Python, output: Path, program: str, *words: str) -> SavedProfile:
    command = [sys.executable, "-m", "stackglass", "record", "--native", "--cpu-hz", "997"]
    target = [python.executable, str(FOLDER / program), *words]
    subprocess.run([*command, "-o", str(output), "--", *target], check=True, timeout=120)
    return SavedProfile.read(output)


def list_places(stacks: dict[str, dict[str, tuple[str, ...]]]) -> list[str]:
    libraries = {C: compile_library(C), CPP: compile_library(CPP), RUST: compile_rust_library(RUST)}
    return [
        f"{library}:{function}"
        for source, functions in stacks.items()
        for function in functions
        if (library := libraries[source]) is not None
    ]


def list_own(stack: list[str]) -> list[str]:
    """The frames of the program and of its libraries, and where some are missing."""
    found = []
    for name in stack:
        match = OWN_FRAME.search(name)
        if match:
            found.append(match["function"] or match["python"])
        elif name == "<truncated>":
            found.append(name)
    return found


@each_python
def test_every_kind_of_frame_has_its_callers(python: Python, tmp_path: Path) -> None:
    """C frames stand between the Python frames that they run under, in their order, with those of
    ctypes between them, whatever their shape. The thread's first function is the root."""
    places = list_places(STACKS)
    profile = record(python, tmp_path / "cpu.pb.gz", "native_stacks/program.py", SECONDS, *places)
    expected = {name: stack for stacks in STACKS.values() for name, stack in stacks.items()}
    seen: dict[str, Counter[tuple[str, ...]]] = {}
    for row in profile.rows:
        own = list_own(row.stack)
        if not own or not own[0].startswith("py_"):
            continue
        function = own[0].removeprefix("py_")
        # Up to 3.10 nothing on the C stack shows where it goes on behind frames that are missing.
        is_cut = python.minor <= 10 and "<truncated>" in own
        is_rooted = row.stack[0].endswith(": _start") or is_cut
        has_ctypes = any(name.startswith("_ctypes: ") for name in row.stack)
        is_whole = is_rooted and (has_ctypes or "<truncated>" in own)
        stack = tuple(own[1:]) if is_whole else ("incomplete", *row.stack)
        seen.setdefault(function, Counter())[stack] += row.values[0]
    assert set(seen) == {place.rpartition(":")[2] for place in places}
    for function, stacks in seen.items():
        total = stacks.total()
        wanted = expected[function]
        assert total > 50, (function, stacks)
        assert stacks[wanted] >= 0.97 * total, (function, stacks)
