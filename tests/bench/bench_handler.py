"""What a sample costs beyond the signal that brings it: the engine beside an empty handler.

One process has both at hand and turns between them every fraction of a second, with a pause before
each. So what the machine does to both, its speed and the hypervisor's price of a signal, is in
both; what is left is a mean of many differences, with its standard error. A difference counts the
whole process, the engine's threads as well. Budgets: 0.003 at 100 Hz, 0.005 at 1 kHz, 0.05 at
10 kHz.

    bench_handler.py [--quick] [HZ…]
"""

from __future__ import annotations

import os
import signal
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench_slowdown import PROGRAMS, RATES_HZ, Load, Round, build_empty_handler

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.session import Session

BUDGETS = {100: 0.003, 1000: 0.005, 10000: 0.05}
PHASE_S = 0.3
SETTLING_S = 0.15  # after a change; what the change itself costs is not a sample's
N_TURNS = {100: 200, 1000: 80, 10000: 30}  # the smaller the difference, the more of them


class Differences:
    """What was added, as parts of the cost of the pauses beside."""

    def __init__(self) -> None:
        self.empty: list[float] = []
        self.engine: list[float] = []

    def describe(self) -> dict[str, str]:
        """Means and standard errors: the empty handler, the engine, and the engine less that."""
        beyond = [engine - empty for engine, empty in zip(self.engine, self.empty, strict=True)]
        named = {"empty": self.empty, "engine": self.engine, "beyond": beyond}
        return {name: f"{mean:+.4f} ± {error:.4f}" for name, (mean, error) in summarize(named)}

    def beyond(self) -> tuple[float, float]:
        """Mean and standard error of what the engine adds to an empty handler."""
        turns = [engine - empty for engine, empty in zip(self.engine, self.empty, strict=True)]
        return summarize({"": turns})[0][1]


def summarize(named: dict[str, list[float]]) -> list[tuple[str, tuple[float, float]]]:
    """Mean and standard error of each list, without the tenth at either end: other programs."""
    found = []
    for name, values in named.items():
        n_cut = len(values) // 10
        kept = sorted(values)[n_cut : len(values) - n_cut]
        error = statistics.stdev(kept) / len(kept) ** 0.5 if len(kept) > 1 else float("nan")
        found.append((name, (statistics.mean(kept), error)))
    return found


def find_cost(rounds: list[Round]) -> float:
    """CPU ns of a round."""
    return statistics.median(r.cpu_ns for r in rounds)


def measure_turns(load: Load, session: Session, hz: int, n_turns: int) -> Differences:
    """Both in turns, now the one first and now the other, each between two pauses."""

    def measure_phase() -> float:
        load.measure(SETTLING_S)
        return find_cost(load.measure(PHASE_S))

    def measure_empty() -> float:
        os.kill(load.pid, signal.SIGUSR1)
        cost = measure_phase()
        os.kill(load.pid, signal.SIGUSR2)
        return cost

    def measure_engine() -> float:
        session.set_rate(hz)
        cost = measure_phase()
        session.set_rate(0)
        return cost

    found = Differences()
    for turn in range(n_turns):
        both: list[tuple[list[float], Callable[[], float]]] = [
            (found.empty, measure_empty),
            (found.engine, measure_engine),
        ]
        for added, measure in both if turn % 2 else reversed(both):
            before = measure_phase()
            during = measure()
            after = measure_phase()
            added.append(during / ((before + after) / 2) - 1)
    return found


def measure_row(python: Python, program: str, hz: int, n_turns: int, library: Path) -> Differences:
    """One program at one rate."""
    load = Load(python, program, LD_PRELOAD=str(library), EMPTY_HANDLER_HZ=str(hz))
    try:
        with Session(load.pid, hz=0) as session:
            session.wait_for_rate(0)
            with session.reading_in_background():
                found = measure_turns(load, session, hz, n_turns)
            session.detach()
    finally:
        load.close()
    return found


def main() -> None:
    is_quick = "--quick" in sys.argv
    rates_hz = [int(word) for word in sys.argv[1:] if word.isdigit()] or list(RATES_HZ)
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    table = Table("", corner="Hz, Python, program")
    means: dict[int, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        library = build_empty_handler(Path(folder))
        for hz in rates_hz:
            for python in pythons:
                for program in PROGRAMS:
                    n_turns = N_TURNS[hz] // (10 if is_quick else 1)
                    found = measure_row(python, program, hz, n_turns, library)
                    label = f"{hz} {python.label} {program}"
                    for name, value in found.describe().items():
                        table.put(label, name, value)
                    # What was measured by then survives an end.
                    print(label, found.describe(), flush=True)
                    means.setdefault(hz, []).append(found.beyond())
    print("\n".join(table.format_lines()))
    for hz, rows in means.items():
        mean = statistics.mean(mean for mean, _ in rows)
        error = sum(error**2 for _, error in rows) ** 0.5 / len(rows)
        print(f"{hz} Hz: {mean:+.4f} ± {error:.4f} beyond an empty handler (budget {BUDGETS[hz]})")


if __name__ == "__main__":
    main()
