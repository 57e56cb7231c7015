"""Memory that reading takes: at most twelve times the file, whatever is in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.fresh_process import run_program
from harness.memory_files import (
    SMALL,
    make_other_files,
    make_otlp_files,
    make_pprof_files,
    make_trace_files,
)
from harness.reader_memory import measure_files
from harness.short_names import make_binaries, make_texts

MOST_TIMES = 12
SPARE_MIB = 8  # what a file of a kind loads, and pieces of up to 4 MiB

MEASURED = """
import ctypes, mmap, sys
from pathlib import Path
import numpy as np
from harness import reader_memory

libc = ctypes.CDLL(None)
MIB = 1 << 20

def take_and_free():
    taken = bytearray(b"1") * (30 * MIB)

def keep():
    return bytearray(b"1") * (30 * MIB)

def lose_libraries():  # as a kernel does that is short of memory
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, permissions, _, _, inode, *_ = line.split()
        begin, end = (int(each, 16) for each in span.split("-"))
        if inode != "0" and permissions == "r-xp":
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), mmap.MADV_DONTNEED)

def use_again():
    lose_libraries()
    reader_memory.map_libraries()

def use_little():
    array = np.zeros(64 * MIB, dtype=np.uint8)
    array[:: 2 * MIB] = 1

def take_blocks():
    return [bytearray(b"1") * 60_000 for _ in range(500)]

last = take_blocks()[-1]  # above the memory that is free now
reader_memory.use_small_pages()
for call in (take_and_free, keep, take_blocks, lose_libraries, use_again, use_little):
    print(reader_memory.measure_call(call).mib)
"""


def test_the_measure_counts_what_is_taken_and_nothing_else() -> None:
    freed, kept, blocks, lost, used_again, little = map(float, run_program(MEASURED))
    assert freed == pytest.approx(30, abs=1)
    assert kept == pytest.approx(30, abs=1)
    assert blocks == pytest.approx(29, abs=1)  # where it finds memory that was freed before
    assert lost == pytest.approx(0, abs=1)
    assert used_again == pytest.approx(0, abs=1)
    assert little == pytest.approx(0, abs=1)


def list_excesses(
    folder: Path, files: dict[str, bytes], sizes: dict[str, int]
) -> dict[str, list[str]]:
    """Return what is said of each file that takes more than it may."""
    peaks = measure_files(folder, files)
    assert peaks.keys() == files.keys()
    excesses: dict[str, list[str]] = {}
    for name, peak in peaks.items():
        size_mib = sizes.get(name, len(files[name])) / 2**20
        if peak.mib > MOST_TIMES * size_mib + SPARE_MIB:
            excesses.setdefault(name, []).append(f"{peak.mib:.1f} MiB for {size_mib:.2f} MiB")
        if peak.children_mib > 100:  # of cProfile's: 71 bytes say that they are a thousand million
            excesses.setdefault(name, []).append(f"its child {peak.children_mib:.1f} MiB")
    return excesses


def check(folder: Path, files: dict[str, bytes], sizes: dict[str, int]) -> None:
    """No file takes more than it may. ``sizes``: those of packed files, unpacked.

    The same reading takes the same memory each time. The kernel may add to a measurement (pages of
    a library that it drops before they are subtracted), but hardly to three.
    """
    for _ in range(3):
        excesses = list_excesses(folder, files, sizes)
        files = {name: files[name] for name in excesses}
        if not files:
            return
    raise AssertionError(excesses)


def test_a_small_file_takes_little_whatever_is_in_it(tmp_path: Path) -> None:
    contents = {name: json.dumps(each, separators=(",", ":")) for name, each in SMALL.items()}
    assert all(len(content) < 1_000_000 for content in contents.values())
    peaks = measure_files(tmp_path, {name: text.encode() for name, text in contents.items()})
    assert {name: peak.mib for name, peak in peaks.items() if peak.mib > 100} == {}


FILES = (
    *(make_pprof_files, make_otlp_files, make_trace_files, make_other_files),
    *(make_texts, make_binaries),
)


@pytest.mark.timeout(1200)  # half a minute of CPU time, for which it waits in a crowd
@pytest.mark.parametrize("make", FILES)
def test_no_file_takes_more_than_twelve_times_its_size(
    tmp_path: Path, make: Callable[[], dict[str, bytes]]
) -> None:
    files = make()
    check(tmp_path, files, {"strings.gz": len(files.get("strings", b""))})
