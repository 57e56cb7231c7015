"""What a sample costs beyond the signal that brings it: the engine beside an empty handler.

One process has both at hand and turns between them every fraction of a second, with a pause before
and after each. So what the machine does to both, its speed and the hypervisor's price of a signal,
is in both. A turn gives one paired difference: what the engine adds to the CPU time of the whole
process, its own threads included, less what the empty handler adds. The result is their mean with
its standard error, for each row and for each rate. Budgets: 0.003 at 100 Hz, 0.005 at 1 kHz, 0.05
at 10 kHz.

Another virtual machine on the same core makes a round take up to 1.8 times as long, CPU time
included, for milliseconds or for seconds. So a turn counts only if the pauses around each of its
phases agree; the last column says how many of a row's turns did.

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
from typing import NamedTuple

from bench_slowdown import PROGRAMS, RATES_HZ, Load, build_empty_handler
from interleaved import LEAST_TURNS, do_agree, find_middle

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.session import Session

BUDGETS = {100: 0.003, 1000: 0.005, 10000: 0.05}
PHASE_S = 0.2
SETTLING_S = 0.05  # after a change; what the change itself costs is not a sample's
MINUTES = 5.0  # for a rate
QUICK_MINUTES = 0.5


Costs = list[float]  # CPU ns of the rounds of a phase


class Added(NamedTuple):
    """One phase with a handler, between two pauses."""

    before: Costs
    during: Costs
    after: Costs


class Turn(NamedTuple):
    """The empty handler and the engine, one after the other."""

    empty: Added
    engine: Added


class Differences(NamedTuple):
    """What was added, as parts of the cost of the pauses beside, by the turns that count."""

    empty: list[float]
    engine: list[float]
    n_turns: int  # those that do not count among them

    def describe(self) -> dict[str, str]:
        """Means and standard errors: the empty handler, the engine, and the engine less that."""
        named = {"empty": self.empty, "engine": self.engine, "beyond": self.beyond()}
        turns = {"turns": f"{len(self.engine)} of {self.n_turns}"}
        return {name: describe_mean(values) for name, values in named.items()} | turns

    def beyond(self) -> list[float]:
        """What the engine adds to an empty handler, turn by turn."""
        return [engine - empty for engine, empty in zip(self.engine, self.empty, strict=True)]


def describe_mean(values: list[float]) -> str:
    """The mean of the middle half, and its standard error."""
    if len(values) < LEAST_TURNS:
        return "too few turns"
    return "{:+.4f} ± {:.4f}".format(*find_middle(values))


def find_differences(turns: list[Turn]) -> Differences:
    """What each turn says, if its pauses agree."""
    empty, engine = [], []
    for turn in turns:
        of_empty, of_engine = find_added(turn.empty), find_added(turn.engine)
        if of_empty is not None and of_engine is not None:
            empty.append(of_empty)
            engine.append(of_engine)
    return Differences(empty, engine, len(turns))


def find_added(added: Added) -> float | None:
    """The part of the pauses' cost that a handler adds; None if the pauses do not agree."""
    before, during, after = map(statistics.median, added)
    if not do_agree(before, after):
        return None
    return during / ((before + after) / 2) - 1


def measure_turns(load: Load, session: Session, hz: int, seconds: float) -> list[Turn]:
    """Both in turns, now the one first and now the other, each between two pauses."""
    end = time.monotonic() + seconds

    def measure_phase() -> Costs:
        load.measure(SETTLING_S)
        return [each.cpu_ns for each in load.measure(PHASE_S)]

    def measure_empty() -> Costs:
        os.kill(load.pid, signal.SIGUSR1)
        costs = measure_phase()
        os.kill(load.pid, signal.SIGUSR2)
        return costs

    def measure_engine() -> Costs:
        session.set_rate(hz)
        costs = measure_phase()
        session.set_rate(0)
        return costs

    turns: list[Turn] = []
    pause = measure_phase()
    while len(turns) < LEAST_TURNS or time.monotonic() < end:
        both: list[tuple[str, Callable[[], Costs]]] = [
            ("empty", measure_empty),
            ("engine", measure_engine),
        ]
        added = {}
        for name, measure in both if len(turns) % 2 else reversed(both):
            during, before = measure(), pause
            pause = measure_phase()
            added[name] = Added(before, during, pause)
        turns.append(Turn(**added))
    return turns


def measure_row(
    python: Python, program: str, hz: int, seconds: float, library: Path
) -> Differences:
    """One program at one rate."""
    load = Load(python, program, LD_PRELOAD=str(library), EMPTY_HANDLER_HZ=str(hz))
    try:
        with Session(load.pid, hz=0) as session:
            session.wait_for_rate(0)
            with session.reading_in_background():
                turns = measure_turns(load, session, hz, seconds)
            session.detach()
    finally:
        load.close()
    return find_differences(turns)


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
