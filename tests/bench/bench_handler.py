"""What a sample costs beyond the signal that brings it: the engine beside an empty handler.

One process has both at hand and turns between them every fraction of a second, with a pause before
and after each. So what the machine does to both, its speed and the hypervisor's price of a signal,
is in both. A turn gives one paired difference: what the engine adds to the CPU time of the whole
process, its own threads included, less what the empty handler adds. The result is their mean with
its standard error, for each row and for each rate. Budgets: 0.003 at 100 Hz, 0.005 at 1 kHz, 0.05
at 10 kHz.

The time is fixed, not the number of turns: minutes for each rate, shared by its rows. A row stops
at the end of its share. More minutes make the standard error smaller, by their square root.

    bench_handler.py [--quick] [--minutes=5] [HZ…]
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench_slowdown import PROGRAMS, RATES_HZ, Load, Round, build_empty_handler

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.session import Session

BUDGETS = {100: 0.003, 1000: 0.005, 10000: 0.05}
PHASE_S = 0.3
SETTLING_S = 0.15  # after a change; what the change itself costs is not a sample's
MINUTES = 5.0  # for a rate
QUICK_MINUTES = 0.5
LEAST_TURNS = 2  # of a row: a standard error needs two differences


class Differences:
    """What was added, as parts of the cost of the pauses beside."""

    def __init__(self) -> None:
        self.empty: list[float] = []
        self.engine: list[float] = []

    def describe(self) -> dict[str, str]:
        """Means and standard errors: the empty handler, the engine, and the engine less that."""
        named = {"empty": self.empty, "engine": self.engine, "beyond": self.beyond()}
        turns = {"turns": str(len(self.engine))}
        return {name: describe_mean(values) for name, values in named.items()} | turns

    def beyond(self) -> list[float]:
        """What the engine adds to an empty handler, turn by turn."""
        return [engine - empty for engine, empty in zip(self.engine, self.empty, strict=True)]


def describe_mean(values: list[float]) -> str:
    """Mean and standard error, without the tenth at either end: other programs."""
    n_cut = len(values) // 10
    kept = sorted(values)[n_cut : len(values) - n_cut]
    error = statistics.stdev(kept) / len(kept) ** 0.5
    return f"{statistics.mean(kept):+.4f} ± {error:.4f}"


def find_cost(rounds: list[Round]) -> float:
    """CPU ns of a round."""
    return statistics.median(r.cpu_ns for r in rounds)


def measure_turns(load: Load, session: Session, hz: int, seconds: float) -> Differences:
    """Both in turns, now the one first and now the other, each between two pauses."""
    end = time.monotonic() + seconds

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
    before = measure_phase()
    while (turn := len(found.engine)) < LEAST_TURNS or time.monotonic() < end:
        both: list[tuple[list[float], Callable[[], float]]] = [
            (found.empty, measure_empty),
            (found.engine, measure_engine),
        ]
        for added, measure in both if turn % 2 else reversed(both):
            during = measure()
            after = measure_phase()
            added.append(during / ((before + after) / 2) - 1)
            before = after
    return found


def measure_row(
    python: Python, program: str, hz: int, seconds: float, library: Path
) -> Differences:
    """One program at one rate."""
    load = Load(python, program, LD_PRELOAD=str(library), EMPTY_HANDLER_HZ=str(hz))
    try:
        with Session(load.pid, hz=0) as session:
            session.wait_for_rate(0)
            with session.reading_in_background():
                found = measure_turns(load, session, hz, seconds)
            session.detach()
    finally:
        load.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "rates_hz", metavar="HZ", type=int, nargs="*", help=f"of {RATES_HZ}; none = all"
    )
    parser.add_argument("--minutes", type=float, help=f"for a rate; default: {MINUTES}")
    parser.add_argument("--quick", action="store_true", help="one Python, half a minute")
    arguments = parser.parse_args()
    if unknown := set(arguments.rates_hz) - set(RATES_HZ):
        parser.error(f"there are no budgets for {sorted(unknown)} Hz")
    is_quick: bool = arguments.quick
    rates_hz: list[int] = arguments.rates_hz or list(RATES_HZ)
    minutes: float = arguments.minutes or (QUICK_MINUTES if is_quick else MINUTES)
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    table = Table("", corner="Hz, Python, program")
    differences: dict[int, list[float]] = {}
    seconds = minutes * 60 / (len(pythons) * len(PROGRAMS))
    with tempfile.TemporaryDirectory() as folder:
        library = build_empty_handler(Path(folder))
        for hz in rates_hz:
            for python in pythons:
                for program in PROGRAMS:
                    found = measure_row(python, program, hz, seconds, library)
                    label = f"{hz} {python.label} {program}"
                    for name, value in found.describe().items():
                        table.put(label, name, value)
                    # What was measured by then survives an end.
                    print(label, found.describe(), flush=True)
                    differences.setdefault(hz, []).extend(found.beyond())
    print("\n".join(table.format_lines()))
    for hz, turns in differences.items():
        result = f"{describe_mean(turns)} beyond an empty handler, {len(turns)} turns"
        print(f"{hz} Hz: {result} (budget {BUDGETS[hz]})")


if __name__ == "__main__":
    main()
