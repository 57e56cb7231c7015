"""``stackglass record --native``: stacks of C, C++, Rust and Cython, known by construction."""

from __future__ import annotations

import itertools
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from harness.compiled import compile_cython_module, compile_library, compile_rust_library
from harness.matrix import ONE_EACH, PYTHONS, SOME, choose_pythons, cover, some_pythons
from harness.pythons import Python
from harness.saved_profile import SavedProfile
from harness.seccomp_filters import ALLOW, DENY, build_filter
from harness.targets import FOLDER

pytestmark = pytest.mark.attach

C = "native_stacks/work.c"
CPP = "native_stacks/work.cc"
RUST = "native_stacks/work.rs"
SECONDS = "0.3"  # of processor time, for each of two dozen functions
PATIENCE_S = 600.0
# ctypes has a class py_object, whose body runs at the import.
OWN_FRAME = re.compile(r"work\S*: (?P<function>.+)$|(?<!ctypes)\.(?P<python>py_\w+|spin_again)$")

STACKS: dict[str, dict[str, tuple[str, ...]]] = {
    C: {
        "plain_spin": ("plain_spin", "spin"),
        "call_back": ("call_back", "call_inner", "spin_again", "plain_spin", "spin"),
        "run_alloca": ("run_alloca", "with_alloca", "spin"),
        "run_alignment": ("run_alignment", "with_alignment", "spin"),
        "run_recursion": ("run_recursion", *["recurse"] * 21, "spin"),
        "run_signal": ("run_signal", "raise_inside", "handle", "spin"),
        "run_signal_elsewhere": ("run_signal_elsewhere", "raise_inside", "handle", "spin"),
        "run_wrong_saved": ("spin_by", "spin_wrong_saved"),
        "run_leaf_without_rows": ("run_leaf_without_rows", "spin_without_rows"),
        "run_caller_without_rows": ("run_caller_without_rows", "call_without_rows", "spin"),
        "run_made": ("run_made", "[JIT code]"),
        # What called these cannot be known. Python's frames are.
        "run_coroutine": ("<truncated>", "coroutine", "spin"),
        "run_wrong_far": ("<truncated>", "spin_wrong_far"),
        "run_wrong_pointer": ("<truncated>", "spin_wrong_pointer"),
        "run_wrong_word": ("<truncated>", "spin_wrong_word"),
        "run_wrong_near": ("<truncated>", "spin_wrong_near"),
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

CYTHON = {
    "run_function": ("run_function", "spin"),
    "run_method": ("Circle.run_method", "Circle.draw", "spin"),
    "run_virtual": ("run_virtual", "Circle.draw", "spin"),
    "run_callback": ("run_callback", "call_inner", "spin_again", "run_function", "spin"),
}
CYTHONS_OWN = re.compile(r"__Pyx_|cython_function_or_method\.__call__$")

# What depends on the Python is only where its frames stand between those of C: in a call, in one
# that calls back, and above frames whose callers cannot be known. Unwinding C does not.
BETWEEN = {C: {name: STACKS[C][name] for name in ("plain_spin", "call_back", "run_coroutine")}}
OTHERS = [python for python in ONE_EACH if python not in SOME]

CPU = ("--cpu-hz", "997")
HEAP = ("--profile", "heap", "--heap-rate", "65536")


def record(
    python: Python, output: Path, program: str, *words: str, options: tuple[str, ...] = CPU
) -> SavedProfile:
    command = [sys.executable, "-m", "stackglass", "record", "--native", *options]
    target = [python.executable, str(FOLDER / program), *words]
    subprocess.run([*command, "-o", str(output), "--", *target], check=True, timeout=PATIENCE_S)
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
        elif name == "<truncated>" or name.startswith("JIT: "):
            found.append(name)
    return found


@choose_pythons(SOME, PYTHONS)
def test_every_kind_of_frame_has_its_callers(python: Python, tmp_path: Path) -> None:
    """C frames stand between the Python frames that they run under, in their order, with those of
    ctypes between them, whatever their shape. The thread's first function is the root."""
    check_stacks(python, tmp_path, STACKS)


@choose_pythons(OTHERS, OTHERS)
def test_frames_of_each_python_stand_between_those_of_c(python: Python, tmp_path: Path) -> None:
    check_stacks(python, tmp_path, BETWEEN)


def check_stacks(
    python: Python, tmp_path: Path, stacks_of: dict[str, dict[str, tuple[str, ...]]]
) -> None:
    places = list_places(stacks_of)
    profile = record(python, tmp_path / "cpu.pb.gz", "native_stacks/program.py", SECONDS, *places)
    expected = {name: stack for stacks in stacks_of.values() for name, stack in stacks.items()}
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


def test_rust_is_among_these_kinds() -> None:
    """The test above leaves it out where there is no compiler."""
    if compile_rust_library(RUST) is None:
        pytest.skip("no rustc")
    assert any(place.endswith(":run_panic") for place in list_places(STACKS))


@some_pythons
def test_functions_of_cython_have_their_callers(python: Python, tmp_path: Path) -> None:
    """Functions that Python calls, those that only C code does, and Python between them.

    Cython makes two C functions of each that Python calls: for its arguments and for its work.
    """
    folder = compile_cython_module("native_stacks/cython_work.pyx", python.executable)
    if folder is None:
        pytest.skip("Cython is not installed")
    words = ("native_stacks/cython_program.py", SECONDS, folder)
    seen: dict[str, Counter[tuple[str, ...]]] = {}
    for row in record(python, tmp_path / "cpu.pb.gz", *words).rows:
        own = [name for name in list_own(row.stack) if not CYTHONS_OWN.match(name)]
        if own and own[0].startswith("py_"):
            stacks = seen.setdefault(own[0].removeprefix("py_"), Counter())
            stacks[tuple(name for name, _ in itertools.groupby(own[1:]))] += row.values[0]
    assert set(seen) == set(CYTHON)
    for function, stacks in seen.items():
        assert stacks.total() > 50, (function, stacks)
        assert stacks[CYTHON[function]] >= 0.97 * stacks.total(), (function, stacks)


@choose_pythons(SOME, PYTHONS)
def test_memory_is_charged_to_the_function_that_allocates(python: Python, tmp_path: Path) -> None:
    """In C, under its callers; the frames of the engine's hooks are left out."""
    place = f"{compile_library(C)}:run_allocation"
    output = tmp_path / "heap.pb.gz"
    profile = record(python, output, "native_stacks/program.py", SECONDS, place, options=HEAP)
    seen: Counter[tuple[str, ...]] = Counter()
    for row in profile.rows:
        if "run_allocation" in str(row.stack):
            is_inside = row.stack[-1].endswith(": allocate_inside")
            own = tuple(list_own(row.stack))
            seen[own if is_inside else tuple(row.stack)] += row.values[1]
    wanted = ("py_run_allocation", "run_allocation", "allocate_inside")
    assert seen[wanted] >= 15 << 20, seen
    assert seen[wanted] >= 0.97 * seen.total(), seen


@cover(
    "code",
    [
        pytest.param("", id="free"),
        pytest.param(build_filter(["process_vm_readv"], DENY, ALLOW).hex(), id="filtered"),
    ],
    SOME,
)
def test_libraries_may_come_and_go(python: Python, code: str, tmp_path: Path) -> None:
    """While their tables are made and their functions are walked; also where memory is read in
    place because a filter forbids the call that cannot fault."""
    library = compile_library(C)
    paths = [str(tmp_path / f"work{number}.so") for number in range(3)]
    for path in paths:
        shutil.copy(library, path)
    words = [f"FILTER={code}", "1.5", *paths]
    profile = record(python, tmp_path / "cpu.pb.gz", "native_stacks/coming_and_going.py", *words)
    named = [row for row in profile.rows if any(name.endswith("plain_spin") for name in row.stack)]
    assert sum(row.values[0] for row in named) > 20, Counter(row.stack[-1] for row in profile.rows)


@cover("seed", [str(seed) for seed in range(4)], SOME)
def test_damaged_tables_do_no_harm(python: Python, seed: str, tmp_path: Path) -> None:
    """Of a library with any bytes in its unwind tables, the program's results stay right."""
    damaged = tmp_path / "work.so"
    damaged.write_bytes(damage_tables(Path(compile_library(C)), random.Random(seed)))
    functions = [name for name in STACKS[C] if name != "call_back"]
    places = [f"{damaged}:{function}" for function in functions]
    profile = record(python, tmp_path / "cpu.pb.gz", "native_stacks/program.py", "0.1", *places)
    seen = {name.rpartition(".")[2] for row in profile.rows for name in row.stack}
    assert {f"py_{function}" for function in functions} <= seen


def damage_tables(library: Path, random_numbers: random.Random) -> bytes:
    """The file with every eighth byte or so of .eh_frame replaced, and a few of the rows that lead
    there."""
    content = bytearray(library.read_bytes())
    command = ["readelf", "-SW", str(library)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for section, one_in in ((".eh_frame", 8), (".eh_frame_hdr", 32)):
        found = re.search(rf"{re.escape(section)} +\S+ +\S+ (\S+) (\S+)", text)
        assert found, text
        start, size = int(found[1], 16), int(found[2], 16)
        first = 12 if section == ".eh_frame_hdr" else 0  # its head is checked as a whole
        for at in range(start + first, start + size):
            if not random_numbers.randrange(one_in):
                content[at] = random_numbers.randrange(256)
    return bytes(content)
