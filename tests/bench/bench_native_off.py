"""Cost of native stacks for a program while they are off, and while they are on.

    python tests/bench/bench_native_off.py [--quick] [FOLDER]

FOLDER: another checkout with its engine built, for instance of before native stacks. Ratios of the
CPU time of the target, engine's threads included: "before" = CPU profile by that checkout, "off" =
by this one, "on" = by this one with native stacks. They take turns in one run; a turn counts if
the program alone costs the same before and after it. Geometric means of the middle half of these.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench_slowdown import Load, Round, do_pauses_agree, find_ratio
from interleaved import LEAST_TURNS, TRIES, format_ratio

from harness.pythons import Python, pythons_with_gil
from harness.report import Table

PROGRAMS = ("web", "libraries")
RATES_HZ = (100, 1000)
MINORS = (9, 11, 13, 14)
PHASE_S = 0.6
N_TURNS = 5
_HERE = Path(__file__).resolve().parents[2]


def measure(load: Load, hz: int, checkout: Path, *more: str) -> list[Round]:
    """Return rounds while the ``record`` of a checkout is attached."""
    words = [sys.executable, "-m", "stackglass", "record", str(load.pid), "--profile", "cpu"]
    recorder = subprocess.Popen(
        [*words, "--cpu-hz", str(hz), "-o", os.devnull, *more],
        env={**os.environ, "PYTHONPATH": str(checkout / "core")},
        cwd=checkout,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(1.0)  # attached, and tables made
    load.measure(0.3)
    rounds = load.measure(PHASE_S)
    assert recorder.poll() is None, "the recorder has ended"
    recorder.send_signal(signal.SIGINT)
    recorder.wait(60)
    return rounds


def measure_row(python: Python, program: str, hz: int, before: Path | None) -> dict[str, str]:
    load = Load(python, program)
    ways: dict[str, Callable[[], list[Round]]] = {
        **({"before": lambda: measure(load, hz, before)} if before is not None else {}),
        "off": lambda: measure(load, hz, _HERE),
        "on": lambda: measure(load, hz, _HERE, "--native"),
    }
    logarithms: dict[str, list[float]] = {name: [] for name in ways}
    try:
        alone = load.measure(PHASE_S)
        for _ in range(TRIES * N_TURNS):
            for name, profile in ways.items():
                if len(logarithms[name]) == N_TURNS:
                    continue
                rounds = profile()
                after = load.measure(PHASE_S)
                if do_pauses_agree(alone, after):
                    logarithms[name].append(math.log(find_ratio(rounds, alone + after)[0]))
                alone = after
    finally:
        load.close()
    return {
        name: format_ratio(values) if len(values) >= LEAST_TURNS else "too few turns"
        for name, values in logarithms.items()
    }


def main() -> None:
    folders = [Path(word).resolve() for word in sys.argv[1:] if not word.startswith("-")]
    before = folders[0] if folders else None
    minors = MINORS[2:3] if "--quick" in sys.argv else MINORS
    table = Table("native stacks off and on: CPU time of the program, ratios")
    for python in pythons_with_gil():
        if python.minor not in minors or python.source == "path":
            continue
        for program in PROGRAMS:
            for hz in RATES_HZ:
                for column, text in measure_row(python, program, hz, before).items():
                    table.put(f"{python.label} {program} {hz} Hz", column, text)
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
