"""Memory that bypasses Python's allocators, in each Python of this machine, by probes.

numpy is not needed: where a Python has none, neither its own nor under ``build/numpy`` (made by
``packaging/target_packages numpy``), its test says so and is skipped.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.compiled import compile_library, find_compiler
from harness.matrix import SOME, choose_pythons, each_python, some_pythons
from harness.probes import run_probe
from harness.pythons import Python, list_numpy_environment
from native import _core_testing as core

needs_compiler = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
SIZE = 400_000
GIB = 1 << 30


@needs_compiler
@each_python
def test_every_way_is_seen_and_every_entry_put_back(python: Python) -> None:
    libraries = [compile_library("heap/allocator.c", binding=one) for one in ("now", "lazy")]
    if find_compiler("c++"):
        libraries.append(compile_library("heap/allocator.cc"))
    reported = run_probe(python, "heap/native_ways.py", *libraries)
    for binding in ("now", "lazy"):
        for way, (name, seen) in enumerate(reported[binding].items()):
            assert seen == [[SIZE + way], 1, "get_memory", []], (binding, name)
    assert reported["rest"] == {
        "grown": [[], [5 * SIZE]],
        "is_refused": True,
        "after_refusal": [5 * SIZE],
        "freed": [],
        "front_gone": [[], [6 * 4096]],
        "rest_gone": [],
        "reserved": [],
        "elsewhere": [[SIZE], ["<no Python thread>"]],
    }
    assert reported.get("new", [[SIZE], []]) == [[SIZE], []]
    assert reported["n_changed"] == reported["status"]["n_ours"] > 20
    assert reported["status"]["n_refused"] == reported["status"]["n_postponed"] == 0
    assert reported["differ"] == []
    assert reported["unseen"] == reported["early"] == []
    # Stays, is counted, is seen behind it, stays afterwards; covers us, and stays again.
    assert reported["foreign"] == [True, 1, [SIZE], True, True, True]
    assert reported["forgotten"] == 0


@needs_compiler
@some_pythons
def test_tables_change_under_threads_libraries_and_forks(python: Python) -> None:
    reported = run_probe(python, "heap/native_churn.py", compile_library("heap/allocator.c"), 150)
    assert reported["n_churned"] > 0
    assert reported["n_loads"] > 0
    assert reported["n_most"] > 1
    assert reported["n_samples"] > 0
    assert reported["n_children"] == 6
    assert reported["n_bad_children"] == 0
    assert reported["n_negative"] == 0
    assert reported["differ"] == []


@needs_compiler
@some_pythons
def test_a_child_that_is_forked_in_a_scan_has_the_original_tables(python: Python) -> None:
    """Also the entries that this scan has redirected: the list of them replaces the former list
    when the scan is over."""
    forker = compile_library("heap/forked_loader.c", "now", "-ldl")
    reported = run_probe(
        python, "heap/forked_scan.py", compile_library("heap/allocator.c"), LD_PRELOAD=forker
    )
    assert reported["first"] == reported["second"] == "0"
    assert 0 < reported["n_first"] < reported["n_second"]
    assert reported["n_restored"] == 0


@needs_compiler
@choose_pythons(SOME[-1:], SOME)
def test_libraries_are_looked_for_often_while_some_are_loaded(python: Python) -> None:
    """At first, for a second after each load and unload, and again when recording begins anew."""
    reported = run_probe(python, "heap/library_watch.py", compile_library("heap/allocator.c"))
    assert reported["refusal"] is None
    assert [min(pauses) for pauses in reported["pauses_ms"]] == [2, 2], reported
    assert all(1 <= seconds < 10 for seconds in reported["watched_s"]), reported
    assert max(reported["unloaded_ms"], reported["again_ms"]) < 50, reported


@needs_compiler
@each_python
def test_an_allocator_inside_a_library_is_followed(python: Python) -> None:
    """Through pointers in its closed pages, where its symbols say what they lead to."""
    source = "heap/private_allocator.c"
    libraries = [compile_library(source, "now", *more) for more in ((), ("-DHALF",), ("-s",))]
    reported = run_probe(python, "heap/private_ways.py", *libraries)
    assert reported["refusal"] is None
    assert reported["status"]["n_followed"] == 1
    assert reported["status"]["n_pointers"] == 12 + 3 * 2  # and the GIL's, of all in that folder
    assert reported["status"]["n_refused"] == reported["status"]["n_waiting"] == 0
    assert reported["n_changed"] == [12, 0, 0]
    for way, (name, seen) in enumerate(reported["ways"].items()):
        assert seen == [[SIZE + way], "get_memory", []], name
    for grown in reported["grown"]:  # the old block, the new one, refused: as it was; freed
        assert grown == [[], [3 * SIZE], None, [3 * SIZE], []]
    assert reported["elsewhere"] == [[SIZE], "<no Python thread>"]
    worker = "<no Python thread>"
    assert reported["calls"] == [[worker, "get_released"], [worker], [worker, "get_released"]]
    assert reported["unfollowed"] == [[], []]
    # Each block is an arena, behind a page that is touched as well.
    touched, cleared, kept, released = reported["arenas"]
    frame = f"<arena of {Path(libraries[2]).name}>"
    for (found, by_library), expected in ((touched, 5 << 20), (cleared, 3 << 20), (kept, 3 << 20)):
        assert list(found) == [frame]
        assert expected <= found[frame] <= expected + 2 * 4096
        assert by_library == {Path(libraries[2]).name: found[frame]}
    assert released == [{frame: 0}, {}]
    before, after = reported["foreign_unmaps"]
    assert 5 << 20 <= before[0][frame] <= (5 << 20) + 2 * 4096
    assert after == before
    assert reported["lost"] == 0
    assert reported["arena_of_a_thread"] == [[worker, "get_released"]]
    assert reported["child"] == 0
    assert reported["is_back"]
    assert reported["is_back_at_end"]
    assert reported["again"] == 12 + 3 * 2
    assert reported["are_the_same"]
    assert reported["unseen"] == reported["early"] == []


@some_pythons
def test_numpy_array_is_one_block_however_it_grows(python: Python) -> None:
    """In an attached process: tests/integration/test_native_memory.py."""
    reported = run_probe(python, "heap/native_numpy.py", 1, **list_numpy_environment(python))
    none = [0, 0]
    assert reported["sites"] == ["make_array"]
    assert reported["made"] == {"make_array": [1, GIB], "grow_array": none}
    assert reported["grown"] == {"make_array": none, "grow_array": [1, 2 * GIB]}
    assert reported["freed"] == {"make_array": none, "grow_array": none}


def test_resident_memory_is_split() -> None:
    code = """if True:
        import importlib.util, mmap, sys
        spec = importlib.util.spec_from_file_location("_core_testing", sys.argv[1])
        core = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(core)
        before, _, unknown = core.resident(0, 0)
        pages = mmap.mmap(-1, 64 << 20)
        for at in range(0, 64 << 20, 4096):
            pages[at] = 1
        print(before, unknown, *core.resident(before, 16 << 20))
    """
    command = [sys.executable, "-c", code, core.__file__]
    line = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    before, unknown, now, most, unaccounted = map(int, line.split())
    assert unknown == 0  # none had asked before
    assert 1 << 20 < before < now <= most + (8 << 20)
    assert now - before - (16 << 20) == unaccounted
    # 64 MiB were touched; the kernel's count is exact to some pages for each processor.
    assert abs(now - before - (64 << 20)) < 8 << 20
