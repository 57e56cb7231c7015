"""Cost of the wall profile for a program of two hundred threads, at 100 Hz.

The program runs alone and under the profile by turns. A ratio is the median round under the profile
over the median of the rounds alone, before and after; "cpu" is the CPU time of the whole process,
the engine's threads included. The result is the geometric mean of the middle half of the turns.
"looks" is the achieved rate, of each thread.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from interleaved import format_ratio

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from stackglass.attach.entry import attach
from stackglass.wire import messages, reader, requests

LOAD = Path(__file__).resolve().parent / "wall_load.py"
HZ = 100
N_THREADS = 200
PHASE_S = 1.5
N_REPEATS = 7


class Medians(NamedTuple):
    """Medians of the rounds of a phase."""

    cpu_ns: float
    wall_ns: float


class Load:
    """A running target, whose rounds are read one by one."""

    def __init__(self, python: Python) -> None:
        self._process = subprocess.Popen([python.executable, str(LOAD)], stdout=subprocess.PIPE)
        self.pid = self._process.pid
        self.measure(lambda: time.sleep(PHASE_S))

    def measure(self, wait: Callable[[], object]) -> Medians:
        """Return the rounds that lie completely in the time of ``wait``."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        os.set_blocking(descriptor, False)
        self._process.stdout.read()
        wait()
        lines = (self._process.stdout.read() or b"").split(b"\n")[1:-1]
        rounds = [tuple(map(int, line.split())) for line in lines]
        return Medians(*(statistics.median(column) for column in zip(*rounds, strict=True)))

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def measure_profiled(load: Load) -> tuple[Medians, float]:
    """Return rounds under the profile, and looks at each thread per second."""
    n_looks = 0
    with attach(load.pid, new_hz=HZ) as connection:
        connection.send(requests.encode_set_wall_rate(HZ))

        def listen() -> None:
            nonlocal n_looks
            until = time.monotonic() + PHASE_S
            while time.monotonic() < until:
                frame = connection.receive(0.1)
                message = reader.decode(frame) if frame else None
                if isinstance(message, messages.Batch):
                    n_looks += sum(message.wall_count)

        listen()  # until all is known
        n_looks = 0
        medians = load.measure(listen)
        connection.send(requests.encode_detach())
    time.sleep(0.3)
    return medians, n_looks / PHASE_S / N_THREADS


def measure(python: Python, n_repeats: int, table: Table) -> None:
    load = Load(python)
    cpu, wall, looks = [], [], []
    for _ in range(n_repeats):
        before = load.measure(lambda: time.sleep(PHASE_S))
        on, rate = measure_profiled(load)
        after = load.measure(lambda: time.sleep(PHASE_S))
        cpu.append(math.log(2 * on.cpu_ns / (before.cpu_ns + after.cpu_ns)))
        wall.append(math.log(2 * on.wall_ns / (before.wall_ns + after.wall_ns)))
        looks.append(rate)
    load.close()
    table.put(python.label, "cpu", format_ratio(cpu))
    table.put(python.label, "wall", format_ratio(wall))
    table.put(python.label, "looks", f"{statistics.median(looks):.0f}")


def main() -> None:
    is_quick = "--quick" in sys.argv
    table = Table("", corner=f"{HZ} Hz, {N_THREADS} threads")
    for python in pythons_with_gil():
        if not is_quick or python.minor in (9, 13):
            measure(python, 3 if is_quick else N_REPEATS, table)
    print("\n".join(table.format_lines()))


main()
