"""Cost of the GIL profile for programs that are bound by the GIL.

A ratio compares rounds per second of the program's CPU time (with the engine's threads), off over
on, in turns of one run: 1.00 = no cost. Threads that hand the GIL over sleep more or less often by
chance, and a round then takes up to twice as long. So ratios are geometric means of the middle
half of many short turns, with their standard errors; each rate's last line is of all Pythons.
"""

from __future__ import annotations

import math
import sys

from interleaved import format_ratio

from harness.probes import run_probe
from harness.pythons import pythons_with_gil
from harness.report import Table

RATES_HZ = (100, 1000)
N_TURNS, TURN_S = 40, 0.1


def main() -> None:
    is_quick = "--quick" in sys.argv
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    table = Table("", corner="Hz, Python")
    n_turns = 5 if is_quick else N_TURNS
    for hz in RATES_HZ:
        of_all: dict[str, list[float]] = {}
        for python in pythons:
            reported = run_probe(python, "gil/cost.py", hz, n_turns, TURN_S)
            for program, rounds in reported["rounds"].items():
                ratios = [math.log(off / on) for off, on in zip(*rounds, strict=True)]
                table.put(f"{hz} {python.label}", program, format_ratio(ratios))
                of_all.setdefault(program, []).extend(ratios)
        for program, ratios in of_all.items():
            table.put(f"{hz} all", program, format_ratio(ratios))
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
