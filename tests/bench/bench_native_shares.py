"""Known shares of C functions, compared with the results of several tools on one program.

CPU: ``record --native``, ``py-spy record --native`` and ``perf record --call-graph dwarf`` all
watch the same process in the same seconds; the truth is its thread's CPU clock. Memory: ``record
--native --profile heap`` and ``memray run --native``, each in a run of its own; the truth is the
requested memory. Figures are percent, callers with their callees (two functions call ``shared``),
and the largest difference from the truth. Tools that are not installed are left out.

"chance" is the error of random sampling: two standard errors of the largest share. For py-spy that
is too little on a crowded machine: while the program waits for a processor, all samples are of the
same place.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from peers import PY_SPY

from harness.compiled import compile_library
from harness.recorder import record
from harness.report import Table
from harness.saved_profile import SavedProfile

BENCH = Path(__file__).resolve().parent
LOAD = BENCH / "native_share_load.py"
CORE = BENCH.parents[1] / "core"
SOURCE = "native_stacks/shares.c"
CPU_FUNCTIONS = ("half", "quarter", "sixth", "tenth", "shared")
KEPT_PERCENT = {"keep_most": 60.0, "keep_third": 30.0, "keep_tenth": 10.0}
SECONDS = "20"
AFTER_S = 8  # a tool may begin late
KEPT_MEBIBYTES = "256"
TOOLS = {
    "stackglass": [
        *(sys.executable, "-m", "stackglass", "record", "--native", "--cpu-hz", "1000"),
        *("--duration", SECONDS, "-o", "FILE", "PID"),
    ],
    # It stops the program for each sample.
    "py-spy": [
        *(PY_SPY, "record", "--native", "--rate", "200", "--format", "raw"),
        *("--duration", SECONDS, "-o", "FILE", "--pid", "PID"),
    ],
    "perf": [
        *("perf", "record", "--call-graph", "dwarf", "-e", "cpu-clock", "-F", "1000"),
        *("-o", "FILE", "-p", "PID", "--", "sleep", SECONDS),
    ],
}


class Stack(NamedTuple):
    """The functions of a stack, and its weight."""

    functions: set[str]
    weight: float


class Shares(NamedTuple):
    """Result of one tool."""

    percent: Mapping[str, float]  # by function
    n_samples: int  # 0 = it does not take samples


def find_shares(stacks: Iterable[Stack], functions: Iterable[str], is_sampled: bool) -> Shares:
    """Return the shares of functions, of all stacks in one of them."""
    sums, total = dict.fromkeys(functions, 0.0), 0.0
    for stack in stacks:
        inside = stack.functions & set(sums)
        total += stack.weight if inside else 0.0
        for name in inside:
            sums[name] += stack.weight
    percent = {name: 100 * each / total for name, each in sums.items()}
    return Shares(percent, round(total) if is_sampled else 0)


def read_stackglass(path: Path, column: int = 0) -> list[Stack]:
    """Read a profile of Stackglass; ``column``: the sample type that gives weights."""
    return [
        Stack({name.rpartition(": ")[2] for name in row.stack}, row.values[column])
        for row in SavedProfile.read(path).rows
    ]


def read_py_spy(path: Path) -> list[Stack]:
    rows = [line.rpartition(" ") for line in path.read_text().splitlines()]
    return [
        Stack({frame.split(" (")[0] for frame in frames.split(";")}, float(count))
        for frames, _, count in rows
    ]


def read_perf(path: Path) -> list[Stack]:
    command = ["perf", "script", "-i", str(path), "-F", "ip,sym"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [
        Stack(set(re.findall(r"^\s*[0-9a-f]+ (\S+)", each, re.M)), 1.0)
        for each in text.split("\n\n")
    ]


READERS = {"stackglass": read_stackglass, "py-spy": read_py_spy, "perf": read_perf}


def watch(folder: Path, library: str) -> dict[str, Shares]:
    """Return shares of CPU time by tool; "truth" first."""
    length = str(int(SECONDS) + AFTER_S)
    target = subprocess.Popen(
        [sys.executable, str(LOAD), library, "cpu", length], stdout=subprocess.PIPE, text=True
    )
    assert target.stdout is not None
    target.stdout.readline()  # it has begun
    running = {
        tool: subprocess.Popen(
            [
                {"FILE": str(folder / tool), "PID": str(target.pid)}.get(word, word)
                for word in words
            ],
            cwd=CORE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for tool, words in TOOLS.items()
        if shutil.which(words[0])
    }
    said, _ = target.communicate()
    spent = {name: float(ns) for name, ns in (line.split() for line in said.splitlines())}
    total = sum(spent.values())
    spent["shared"] = spent["quarter"] + spent["sixth"]
    found = {"truth": Shares({name: 100 * each / total for name, each in spent.items()}, 0)}
    for tool, process in running.items():
        if process.wait():
            print(f"{tool} failed: status {process.returncode}")
        else:
            stacks = READERS[tool](folder / tool)
            found[tool] = find_shares(stacks, CPU_FUNCTIONS, is_sampled=True)
    return found


def weigh(folder: Path, library: str) -> dict[str, Shares]:
    """Return shares of memory in use by tool; "truth" first."""
    words = (str(LOAD), library, "heap", KEPT_MEBIBYTES)
    path = folder / "heap.pb.gz"
    options = ("--native", "--profile", "heap", "--heap-rate", "65536")
    status, _, said = record(*options, "-o", path, "--", sys.executable, *words)
    assert status == 0, said
    shares = find_shares(read_stackglass(path, column=3), KEPT_PERCENT, is_sampled=False)
    found = {"truth": Shares(KEPT_PERCENT, 0), "stackglass": shares}
    if importlib.util.find_spec("memray"):
        output = folder / "memray.bin"
        command = [sys.executable, "-m", "memray", "run", "--native", "-o", str(output), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        reader = importlib.import_module("memray").FileReader(output)
        stacks = [
            Stack({function for function, _, _ in one.hybrid_stack_trace()}, one.size)
            for one in reader.get_leaked_allocation_records(merge_threads=True)
        ]
        found["memray"] = find_shares(stacks, KEPT_PERCENT, is_sampled=False)
    return found


def put(table: Table, kind: str, found: Mapping[str, Shares]) -> None:
    truth = found["truth"].percent
    largest = max(truth.values()) / 100
    for tool, (percent, n_samples) in found.items():
        row = f"{kind}: {tool}"
        for function, share in percent.items():
            table.put(row, function, f"{share:.1f}")
        worst = max(abs(percent[name] - truth[name]) for name in truth)
        error = 200 * math.sqrt(largest * (1 - largest) / n_samples) if n_samples else 0.0
        table.put(row, "samples", str(n_samples or ""))
        table.put(row, "chance", f"{error:.1f}" if error else "")
        table.put(row, "off by", "" if tool == "truth" else f"{worst:.1f}")


def main() -> None:
    library = compile_library(SOURCE, "now", "-lm")
    for turn in range(1 if "--quick" in sys.argv[1:] else 3):
        for kind, measure in (("cpu", watch), ("memory", weigh)):
            with tempfile.TemporaryDirectory(prefix="shares-") as folder:
                table = Table(f"turn {turn + 1}", corner="percent")
                put(table, kind, measure(Path(folder), library))
                print("\n".join(table.format_lines()), flush=True)


if __name__ == "__main__":
    main()
