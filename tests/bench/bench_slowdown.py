"""Slowdown of a pure-Python program while it is profiled, compared with py-spy at the same rate.

One target runs for a whole row; it is left alone, profiled by Stackglass, left alone, profiled by
py-spy, and so on. A ratio is the median cost of a round while profiled, over the median of the
rounds while left alone just before and after, if these two agree; other turns do not count. "cpu"
is the target's CPU time (with the engine's threads), "wall" is the elapsed time.

"floor" is the cost of an empty handler at that rate in the same program (``empty_handler.c``): the
machine's cost of a signal, which every profiler that samples by signals has. It has a target of its
own, because the handler must be installed from the start.
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

from interleaved import TRIES, do_agree
from peers import PY_SPY

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.session import Session

LOAD = Path(__file__).resolve().parent / "load.py"
PROGRAMS = ("nbody", "web", "deep")
RATES_HZ = (100, 1000, 10000)
PHASE_S = 0.6
N_REPEATS = 5


class Round(NamedTuple):
    """One round of the target."""

    cpu_ns: int
    wall_ns: int


# Otherwise the C library returns memory and takes it anew in each round or in none, depending on
# the end of the heap: "libraries" had from 0 to 616 page faults a round, up to a sixth of its time,
# and that changed within one run, often with an attach or a detach.
KEEPS_MEMORY = {
    "MALLOC_TRIM_THRESHOLD_": str(256 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(256 << 20),
    "MALLOC_TOP_PAD_": str(16 << 20),
}


class Load:
    """A running target, whose rounds are read one by one."""

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
        """Return the rounds that lie completely in the next ``seconds``."""
        assert self._process.stdout is not None
        self._process.stdout.readline()  # the current round does not count
        rounds: list[Round] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end or not rounds:
            cpu, wall = self._process.stdout.readline().split()
            rounds.append(Round(int(cpu), int(wall)))
        return rounds

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def do_pauses_agree(before: list[Round], after: list[Round]) -> bool:
    """Whether the rounds before and after a phase cost the same."""
    return do_agree(
        statistics.median(each.cpu_ns for each in before),
        statistics.median(each.cpu_ns for each in after),
    )


def find_ratio(rounds: list[Round], alone: list[Round]) -> tuple[float, float]:
    """Return the ratios of the medians of cpu and wall."""
    return (
        statistics.median(r.cpu_ns for r in rounds) / statistics.median(r.cpu_ns for r in alone),
        statistics.median(r.wall_ns for r in rounds) / statistics.median(r.wall_ns for r in alone),
    )


def measure_stackglass(load: Load, hz: int, seconds: float) -> tuple[list[Round], float]:
    """Return rounds under Stackglass, and samples received / expected for the CPU time."""
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
    """Return the same for ``py-spy record``; expected = rate × its recording time."""
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
    """Return rounds under ticks with an empty handler."""
    os.kill(load.pid, signal.SIGUSR1)
    rounds = load.measure(seconds)
    os.kill(load.pid, signal.SIGUSR2)
    return rounds


def measure_floor(load: Load, n_repeats: int) -> float:
    """Return the median ratio under an empty handler, of the turns that count."""
    ratios: list[float] = []
    alone = load.measure(PHASE_S)
    for _ in range(TRIES * n_repeats):
        rounds = measure_empty(load, PHASE_S)
        after = load.measure(PHASE_S)
        if do_pauses_agree(alone, after):
            ratios.append(find_ratio(rounds, alone + after)[0])
        alone = after
        if len(ratios) == n_repeats:
            break
    return find_median(ratios)


def measure_profilers(load: Load, hz: int, n_repeats: int) -> dict[str, float]:
    """Return the medians of each profiler, of the turns that count."""
    columns: dict[str, list[float]] = {}
    alone = load.measure(PHASE_S)
    for _ in range(TRIES * n_repeats):
        for name, profile in (("stackglass", measure_stackglass), ("py-spy", measure_py_spy)):
            cpus, walls, gots = (
                columns.setdefault(f"{name} {column}", []) for column in ("cpu", "wall", "got")
            )
            if len(cpus) == n_repeats:
                continue
            rounds, got = profile(load, hz, PHASE_S)
            after = load.measure(PHASE_S)
            if do_pauses_agree(alone, after):
                cpu, wall = find_ratio(rounds, alone + after)
                cpus.append(cpu)
                walls.append(wall)
                gots.append(got)
            alone = after
    return {name: find_median(values) for name, values in columns.items()}


def find_median(values: list[float]) -> float:
    """The median; not a number if no turn counted."""
    return statistics.median(values) if values else math.nan


def find_mean(ratios: list[float]) -> float:
    """The geometric mean; not a number if no turn counted."""
    return statistics.geometric_mean(ratios) if ratios else math.nan


def measure_row(
    python: Python, program: str, hz: int, n_repeats: int, empty_handler: Path
) -> dict[str, float]:
    """Measure a row."""
    load = Load(python, program, LD_PRELOAD=str(empty_handler), EMPTY_HANDLER_HZ=str(hz))
    try:
        floor = measure_floor(load, n_repeats)
    finally:
        load.close()
    load = Load(python, program)
    try:
        return {"floor cpu": floor, **measure_profilers(load, hz, n_repeats)}
    finally:
        load.close()


def build_empty_handler(folder: Path) -> Path:
    """Build the library with the empty handler. Returns its path."""
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
    means_of = ((floors, "floor cpu"), (own, "stackglass cpu"), (theirs, "py-spy wall"))
    with tempfile.TemporaryDirectory() as folder:
        empty_handler = build_empty_handler(Path(folder))
        for hz in RATES_HZ:
            for python in pythons:
                for program in PROGRAMS:
                    n_repeats = 3 if is_quick else N_REPEATS
                    row = measure_row(python, program, hz, n_repeats, empty_handler)
                    label = f"{hz} {python.label} {program}"
                    for name, value in row.items():
                        table.put(label, name, f"{value:.3f}")
                    # All rows take most of an hour: print each at once, in case of an interruption.
                    print(label, *(f"{n} {v:.3f}" for n, v in row.items()), sep="  ", flush=True)
                    for means, column in means_of:
                        if not math.isnan(row[column]):
                            means.setdefault(hz, []).append(row[column])
    print("\n".join(table.format_lines()))
    for hz in RATES_HZ:
        print(
            f"{hz} Hz: geometric mean stackglass {find_mean(own.get(hz, [])):.3f} (cpu), "
            f"an empty handler {find_mean(floors.get(hz, [])):.3f} (cpu), "
            f"py-spy {find_mean(theirs.get(hz, [])):.3f} (wall)"
        )


if __name__ == "__main__":
    main()
