"""How much a pure-Python program slows down while it is profiled, beside py-spy at that rate.

One target runs for a whole row; it is left alone, profiled by us, left alone, profiled by py-spy,
and so on in turn. A ratio is the median cost of a round while profiled over the median of the
rounds while left alone just before and after. "cpu" is the target's own CPU time (our engine's
threads included), "wall" what a user waits.

"floor" is what an empty handler costs at that rate in the same program (``empty_handler.c``): the
machine's own price of a signal, below which nothing that samples by signals can go. It has a target
of its own, since the handler must be there from the start.
"""

from __future__ import annotations

import math
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from peers import PY_SPY

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.session import Session

LOAD = Path(__file__).resolve().parent / "load.py"
PROGRAMS = ("nbody", "web", "deep")
RATES_HZ = (100, 1000, 10000)
PHASE_S = 1.5
N_REPEATS = 3


class Round(NamedTuple):
    """One round of the target."""

    cpu_ns: int
    wall_ns: int


# Else the C library gives memory back and takes it anew in each round, or in none, as the end of
# the heap happens to lie: "libraries" had from 0 to 616 page faults a round, up to a sixth of its
# time, and that changed within one run, often with an attach or a detach.
KEEPS_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(256 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
}


class Load:
    """A running target whose rounds are read as they come."""

    def __init__(self, python: Python, program: str, **environment: str) -> None:
        self._process = subprocess.Popen(
            [python.executable, str(LOAD), program],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **KEEPS_MEMORY, **environment},
        )
        self.pid = self._process.pid
        self.measure(0.3)

    def measure(self, seconds: float) -> list[Round]:
        """Rounds that lie wholly in the next ``seconds``."""
        assert self._process.stdout is not None
        self._process.stdout.readline()  # the one that is under way
        rounds: list[Round] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end or not rounds:
            cpu, wall = self._process.stdout.readline().split()
            rounds.append(Round(int(cpu), int(wall)))
        return rounds

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def find_ratio(rounds: list[Round], alone: list[Round]) -> tuple[float, float]:
    """Medians of cpu and wall, as ratios."""
    return (
        statistics.median(r.cpu_ns for r in rounds) / statistics.median(r.cpu_ns for r in alone),
        statistics.median(r.wall_ns for r in rounds) / statistics.median(r.wall_ns for r in alone),
    )


def measure_ours(load: Load, hz: int, seconds: float) -> tuple[list[Round], float]:
    """Rounds under our profiler, and samples got / asked (by the CPU time that was used)."""
    with Session(load.pid, hz=hz) as session:
        session.wait_for_samples(1)
        session.read_for(0.2)
        n_before, cpu_before = session.n_samples, session.status.process_cpu_ns
        with session.reading_in_background():
            rounds = load.measure(seconds)
        session.read_for(0.2)
        asked = (session.status.process_cpu_ns - cpu_before) / 1e9 * hz
        got = (session.n_samples - n_before) / asked
        session.detach()
    return rounds, got


def measure_py_spy(load: Load, hz: int, seconds: float) -> tuple[list[Round], float]:
    """The same under ``py-spy record``; asked = rate × the time that it was recording."""
    recorder = subprocess.Popen(
        [
            *(PY_SPY, "record", "--pid", str(load.pid), "-r", str(hz), "-d", "3600"),
            *("-f", "raw", "-o", "/dev/null"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    started = time.monotonic()
    load.measure(0.3)
    rounds = load.measure(seconds)
    took_s = time.monotonic() - started
    recorder.send_signal(signal.SIGINT)
    said, _ = recorder.communicate(timeout=60)
    found = re.search(r"Samples: (\d+)", said)
    return rounds, int(found[1]) / (took_s * hz) if found else math.nan


def measure_empty(load: Load, seconds: float) -> list[Round]:
    """Rounds under ticks that do nothing."""
    os.kill(load.pid, signal.SIGUSR1)
    rounds = load.measure(seconds)
    os.kill(load.pid, signal.SIGUSR2)
    return rounds


def measure_row(
    python: Python, program: str, hz: int, n_repeats: int, empty_handler: Path
) -> dict[str, float]:
    """Medians over ``n_repeats`` turns."""
    columns: dict[str, list[float]] = {}
    load = Load(python, program, LD_PRELOAD=str(empty_handler), EMPTY_HANDLER_HZ=str(hz))
    try:
        alone = load.measure(PHASE_S)
        for _ in range(n_repeats):
            rounds = measure_empty(load, PHASE_S)
            after = load.measure(PHASE_S)
            columns.setdefault("floor cpu", []).append(find_ratio(rounds, alone + after)[0])
            alone = after
    finally:
        load.close()
    load = Load(python, program)
    try:
        alone = load.measure(PHASE_S)
        for _ in range(n_repeats):
            for name, profile in (("stackglass", measure_ours), ("py-spy", measure_py_spy)):
                rounds, got = profile(load, hz, PHASE_S)
                after = load.measure(PHASE_S)
                cpu, wall = find_ratio(rounds, alone + after)
                alone = after
                for column, value in (("cpu", cpu), ("wall", wall), ("got", got)):
                    columns.setdefault(f"{name} {column}", []).append(value)
    finally:
        load.close()
    return {name: statistics.median(values) for name, values in columns.items()}


def build_empty_handler(folder: Path) -> Path:
    """The library that ticks and does nothing."""
    library = folder / "empty_handler.so"
    source = LOAD.with_name("empty_handler.c")
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    return library


def main() -> None:
    is_quick = "--quick" in sys.argv
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    table = Table("", corner="Hz, Python, program")
    own: dict[int, list[float]] = {}
    theirs: dict[int, list[float]] = {}
    floors: dict[int, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        empty_handler = build_empty_handler(Path(folder))
        for hz in RATES_HZ:
            for python in pythons:
                for program in PROGRAMS:
                    n_repeats = 1 if is_quick else N_REPEATS
                    row = measure_row(python, program, hz, n_repeats, empty_handler)
                    label = f"{hz} {python.label} {program}"
                    for name, value in row.items():
                        table.put(label, name, f"{value:.3f}")
                    # All rows take most of an hour: what was measured by then survives an end.
                    print(label, *(f"{n} {v:.3f}" for n, v in row.items()), sep="  ", flush=True)
                    floors.setdefault(hz, []).append(row["floor cpu"])
                    own.setdefault(hz, []).append(row["stackglass cpu"])
                    theirs.setdefault(hz, []).append(row["py-spy wall"])
    print("\n".join(table.format_lines()))
    for hz in RATES_HZ:
        print(
            f"{hz} Hz: geometric mean stackglass {statistics.geometric_mean(own[hz]):.3f} (cpu), "
            f"an empty handler {statistics.geometric_mean(floors[hz]):.3f} (cpu), "
            f"py-spy {statistics.geometric_mean(theirs[hz]):.3f} (wall)"
        )


if __name__ == "__main__":
    main()
