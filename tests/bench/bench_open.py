"""Time to open a pprof file to a flame graph, compared with ``go tool pprof``.

Every measurement is a process of its own, Stackglass's and Go's in turn; figures are medians, and
"ratio" is Stackglass's over Go's. Go's -proto only decodes and encodes; its -top is what a user
waits for. Go uses several threads: "CPU ratio" compares processor time. Memory is the whole
process's, with Python and numpy.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from big_profile import find_profile

from harness.go_tool import find_go
from harness.report import Table

SIZES = {"10 MB": 120_000, "100 MB": 1_150_000}
N_REPEATS = 3
_MIB = 1 << 20

_OPEN = """
import json, pathlib, sys, time
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.flame_layout import lay_out
from stackglass_viewer.model.readers.opener import open_profile

def peak_kib():
    # Not getrusage's: that begins with what the parent had at the fork.
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])

idle_kib = peak_kib()
start, cpu_start = time.perf_counter(), time.process_time()
profile = open_profile(sys.argv[1])
opened = time.perf_counter()
tree = build_call_tree(profile)
layout = lay_out(tree, sum_type(tree, profile, profile.default_type))
print(json.dumps({
    "open_s": opened - start,
    "total_s": time.perf_counter() - start,
    "cpu_s": time.process_time() - cpu_start,
    "n_nodes": tree.n_nodes,
    "idle_kib": idle_kib,
    "peak_kib": peak_kib(),
}))
"""


class Own(NamedTuple):
    """One run of Stackglass, in a process of its own."""

    open_s: float
    total_s: float
    cpu_s: float
    n_nodes: int
    idle_kib: int  # before: Python and numpy
    peak_kib: int


def measure_stackglass(path: Path) -> Own:
    done = subprocess.run(
        [sys.executable, "-c", _OPEN, str(path)], capture_output=True, text=True, check=True
    )
    return Own(**json.loads(done.stdout))


def measure_go(path: Path, report: str) -> tuple[float, float]:
    """Return seconds and CPU seconds of one report of go tool pprof."""
    command = [find_go(), "tool", "pprof", "-symbolize=none", "-output", os.devnull, report]
    before = time.perf_counter()
    child = subprocess.Popen(
        [*command, str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"go tool pprof {report} failed"
    return time.perf_counter() - before, usage.ru_utime + usage.ru_stime


def main() -> int:
    is_quick = "--quick" in sys.argv[1:]
    table = Table("Opening a pprof file to a flame graph", corner="unpacked file")
    measure_go(find_profile(100), "-proto")  # builds the tool, the first time
    for size, n_samples in SIZES.items():
        if is_quick and size != "10 MB":
            continue
        path = find_profile(n_samples)
        n_repeats = 1 if is_quick else N_REPEATS
        pairs = [(measure_stackglass(path), measure_go(path, "-proto")) for _ in range(n_repeats)]
        top_s, top_cpu_s = measure_go(path, "-top")
        ours_s = statistics.median(own.total_s for own, _ in pairs)
        proto_s = statistics.median(go[0] for _, go in pairs)
        table.put(size, "nodes", f"{pairs[0][0].n_nodes:,}")
        table.put(size, "decode s", f"{statistics.median(o.open_s for o, _ in pairs):.2f}")
        table.put(size, "to layout s", f"{ours_s:.2f}")
        table.put(size, "go -proto s", f"{proto_s:.2f}")
        table.put(size, "ratio", f"{ours_s / proto_s:.3f} (≤ 0.25)")
        table.put(size, "go -top s", f"{top_s:.1f}")
        table.put(size, "ratio to -top", f"{ours_s / top_s:.3f} (≤ 0.05)")
        memory = max(own.peak_kib for own, _ in pairs) * 1024
        cpu_s = statistics.median(own.cpu_s for own, _ in pairs)
        proto_cpu_s = statistics.median(go[1] for _, go in pairs)
        table.put(size, "CPU ratio", f"{cpu_s / proto_cpu_s:.3f}")
        table.put(size, "CPU to -top", f"{cpu_s / top_cpu_s:.3f}")
        table.put(size, "memory ÷ file", f"{memory / path.stat().st_size:.1f} (≤ 6)")
        table.put(size, "peak MiB", f"{memory / _MIB:.0f}")
        table.put(size, "before MiB", f"{max(own.idle_kib for own, _ in pairs) / 1024:.0f}")
    print(table.title)
    print("\n".join(table.format_lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
