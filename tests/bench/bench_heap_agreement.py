"""One program's live set (``heap_kept.py``), measured in four ways: by a walk over its objects,
tracemalloc, memray with ``--trace-python-allocators``, and a recording at rate 1.

The tables have bytes in use and blocks by function, from four runs of the Python that runs this
file; memray, if it is installed. Numbers and sizes of blocks suggest two causes of the differences:

* Up to a hundred floats, and as many dicts and their tables, come from the interpreter's free
  lists of earlier objects: no allocator sees them, and their number differs in each run. (This is
  inferred, not checked block by block.)
* ``sys.getsizeof`` leaves out the attributes that an instance has in itself since 3.11, and the
  four bytes at the end of most ints.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.recorder import record
from harness.report import Table
from harness.saved_profile import SavedProfile

KEPT = Path(__file__).resolve().parent / "heap_kept.py"
Sums = dict[str, list[int]]  # function → blocks, bytes


def run(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, str(KEPT), *words], capture_output=True, text=True, check=True
    )
    return done.stdout


def record_ours(folder: Path, functions: list[str]) -> Sums:
    path = folder / "heap.pb.gz"
    options = ("--profile", "heap", "--heap-rate", "1")
    status, _, said = record(*options, "-o", path, "--", sys.executable, KEPT, "stackglass")
    assert status == 0, said
    profile = SavedProfile.read(path)
    return {name: list(profile.sum_heap(name)[2:]) for name in functions}


def record_memray(folder: Path, functions: list[str]) -> Sums:
    path = folder / "memray.bin"
    run("memray", str(path))
    sums = {name: [0, 0] for name in functions}
    memray = importlib.import_module("memray")
    for one in memray.FileReader(path).get_leaked_allocation_records(merge_threads=True):
        for name in {function for function, _, _ in one.stack_trace()} & set(functions):
            sums[name][0] += one.n_allocations
            sums[name][1] += one.size
    return sums


def main() -> None:
    objects: Sums = json.loads(run("alone"))
    with tempfile.TemporaryDirectory(prefix="agreement-") as folder:
        seen = {
            "objects": objects,
            "tracemalloc": json.loads(run("tracemalloc")),
            "stackglass": record_ours(Path(folder), list(objects)),
        }
        if importlib.util.find_spec("memray"):
            seen["memray"] = record_memray(Path(folder), list(objects))
        else:
            print("memray is not installed beside: not measured")
    table = Table("", corner="bytes in use (blocks)")
    for function in objects:
        for who, sums in seen.items():
            n_blocks, n_bytes = sums[function]
            table.put(function, who, f"{n_bytes} ({n_blocks})")
        for who, sums in seen.items():
            if who != "stackglass":
                ratio = seen["stackglass"][function][1] / sums[function][1]
                table.put(function, f"stackglass / {who}", f"{ratio:.4f}")
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
