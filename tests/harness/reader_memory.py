"""Peak memory of reading files: ``python -m harness.reader_memory FILE …`` prints it as JSON.

Each file is read in a fork, so that no other file has left holes in the heap. These effects are
removed from the result:

* Pages of libraries, which the kernel may drop and load again: all are mapped before the reading,
  and those of libraries that the reading loads are subtracted.
* Pages of 2 MiB, with which the kernel may give a large, hardly used numpy array all of its memory:
  they are turned off.
* Freed memory that the process has kept, some MiB, which the reading would use again: it is
  returned to the system before. (Memory that Python keeps for small objects is not.)
* Any peak before the reading.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import resource
import subprocess
import sys
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.readers.opener import open_profile

_PR_SET_THP_DISABLE = 41
_MADV_POPULATE_READ = 22
_RESET_PEAK = "5"  # for /proc/PID/clear_refs


class Peak(NamedTuple):
    """Peak memory of a call in its process, beyond the memory before; and peak of its child
    processes."""

    mib: float
    children_mib: float


def read_status(name: str) -> int:
    """Return a number of KiB in /proc/self/status."""
    found = re.search(name + r":\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1])


def map_libraries() -> None:
    """Map all pages of mapped files."""
    libc = ctypes.CDLL(None)
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, permissions, _, _, inode, *_ = line.split()
        begin, end = (int(each, 16) for each in span.split("-"))
        if inode != "0" and permissions.startswith("r"):
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), _MADV_POPULATE_READ)


def measure_call(call: Callable[[], object]) -> Peak:
    """Measure a call in a fork of this process. Raises RuntimeError if the call raises."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, json.dumps(_measure(call)).encode())
        finally:
            if error := sys.exc_info()[1]:
                traceback.print_exception(error)
            os._exit(0)
    os.close(writing)
    with open(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    if not text:
        raise RuntimeError("the call has failed")
    return Peak(*json.loads(text))


def _measure(call: Callable[[], object]) -> Peak:
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    map_libraries()
    before, files_before = read_status("VmRSS"), read_status("RssFile")
    Path("/proc/self/clear_refs").write_text(_RESET_PEAK)
    kept = call()  # kept until the measurement is over
    libraries = max(0, read_status("RssFile") - files_before)
    peak = read_status("VmHWM") - before - libraries
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    del kept
    return Peak(peak / 1024, children / 1024)


def open_any(path: str) -> object:
    """Open a file that may be refused."""
    try:
        return open_profile(path)
    except ContentError as error:
        return error


def measure_files(folder: Path, files: dict[str, bytes]) -> dict[str, Peak]:
    """Write files, and measure in a new process the memory that opening each takes."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    done = subprocess.run(
        [sys.executable, "-m", "harness.reader_memory", *(str(folder / name) for name in files)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    return {name: Peak(*peak) for name, peak in json.loads(done.stdout).items()}


def use_small_pages() -> None:
    """Turn off pages of 2 MiB in this process and its forks."""
    ctypes.CDLL(None).prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0)


def main() -> None:
    use_small_pages()
    peaks = {Path(path).name: measure_call(partial(open_any, path)) for path in sys.argv[1:]}
    json.dump(peaks, sys.stdout)


if __name__ == "__main__":
    main()
