"""Cost of whole native stacks for the program, compared with py-spy at the same rate.

As in ``bench_slowdown``, one target runs for a whole row, left alone and profiled in turns. A ratio
is the median cost of a round while profiled, over that of the rounds just before and after. "leaf"
is Stackglass's profile without native stacks, "native" with them. "cpu" is the target's CPU time,
with the engine's threads; "wall" is the elapsed time: py-spy stops the program while it reads.
"""

from __future__ import annotations

import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from bench_slowdown import Load, Round, find_ratio
from peers import PY_SPY

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.session import Session

PROGRAMS = ("web", "deep", "libraries")
RATES_HZ = (100, 1000)
MINORS = (11, 13)
PHASE_S = 1.5
N_REPEATS = 3


def measure_stackglass(load: Load, hz: int, is_native: bool) -> tuple[list[Round], str]:
    """Return rounds under Stackglass, and the share of complete stacks."""
    with Session(load.pid, hz=hz) as session:
        session.wait_for_samples(1)
        if is_native:
            session.set_native(True)
        session.read_for(0.3)
        before = session.status
        with session.reading_in_background():
            rounds = load.measure(PHASE_S)
        session.read_for(0.3)
        now = session.status
        session.detach()
    n_stacks = now.n_native_stacks - before.n_native_stacks
    n_cut = now.n_truncated_stacks - before.n_truncated_stacks
    return rounds, f"{1 - n_cut / n_stacks:.2%}" if n_stacks else ""


def measure_py_spy(load: Load, hz: int) -> tuple[list[Round], str]:
    """Return rounds under py-spy, and samples received / requested."""
    recorder = subprocess.Popen(
        [
            *(PY_SPY, "record", "--native", "--pid", str(load.pid), "-r", str(hz)),
            *("-d", "3600", "-f", "raw", "-o", "/dev/null"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    time.sleep(1.5)  # it reads symbols first
    load.measure(0.3)
    started = time.monotonic()
    rounds = load.measure(PHASE_S)
    took_s = time.monotonic() - started
    recorder.send_signal(signal.SIGINT)
    said, _ = recorder.communicate(timeout=120)
    found = re.search(r"Samples: (\d+)", said)
    return rounds, f"{int(found[1]) / ((took_s + 1.8) * hz):.0%}" if found else "?"


def measure_row(python: Python, program: str, hz: int) -> dict[str, str]:
    ratios: dict[str, list[float]] = {}
    notes: dict[str, str] = {}
    load = Load(python, program)
    ways: dict[str, Callable[[], tuple[list[Round], str]]] = {
        "leaf": lambda: measure_stackglass(load, hz, is_native=False),
        "native": lambda: measure_stackglass(load, hz, is_native=True),
        "py-spy": lambda: measure_py_spy(load, hz),
    }
    try:
        alone = load.measure(PHASE_S)
        for _ in range(N_REPEATS):
            for name, profile in ways.items():
                rounds, notes[name] = profile()
                after = load.measure(PHASE_S)
                for kind, ratio in zip(
                    ("cpu", "wall"), find_ratio(rounds, alone + after), strict=True
                ):
                    ratios.setdefault(f"{name} {kind}", []).append(ratio)
                alone = after
    finally:
        load.close()
    row = {name: f"{statistics.median(values):.3f}" for name, values in ratios.items()}
    return {**row, "whole": notes["native"], "py-spy got": notes["py-spy"]}


def main() -> None:
    table = Table("native stacks: CPU and wall of the program, ratios")
    is_quick = "--quick" in sys.argv[1:]
    wanted = [int(word) for word in sys.argv[1:] if word.isdecimal()] or MINORS[
        -1 if is_quick else 0 :
    ]
    for python in pythons_with_gil():
        if python.minor not in wanted or python.source == "path":
            continue
        for program in PROGRAMS:
            for hz in RATES_HZ:
                for column, text in measure_row(python, program, hz).items():
                    table.put(f"{python.label} {program} {hz} Hz", column, text)
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
