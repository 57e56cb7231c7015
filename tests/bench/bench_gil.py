"""What it costs programs that are bound by the GIL when waiting for it is looked at.

Rounds that the program does in a second of its own CPU time (the engine's threads included), off
over on, in turns of one run: 1.00 = it costs nothing.
"""

from __future__ import annotations

import statistics
import sys

from harness.probes import run_probe
from harness.pythons import pythons_with_gil
from harness.report import Table

RATES_HZ = (100, 1000)


def main() -> None:
    is_quick = "--quick" in sys.argv
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    table = Table("", corner="Hz, Python")
    for hz in RATES_HZ:
        for python in pythons:
            told = run_probe(python, "gil/cost.py", hz, 3 if is_quick else 7, 0.5)
            for program, (off, on) in told["rounds"].items():
                ratio = statistics.median(off) / statistics.median(on)
                table.put(f"{hz} {python.label}", program, f"{ratio:.3f}")
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
