"""Cost of the lock hooks: acquire and release of a free lock, and threads that contend for one.

Everything is interleaved in one process a Python (``lock_load.py``): before, with hooks at default
rates, after a detach. "added" is the added cost of a pair with hooks, compared with before and
after, in ns, as median over the turns; "left" is its added cost after a detach. In a fight, threads
take one lock, do some steps of a loop, release it, and do as many steps again. Measured are the
pairs with hooks over those without, by the clock and by processor time, which is more exact on a
busy machine; and how often threads go to sleep, which hooks must not increase. Sleeps are mostly
chance, and the cost of a pair varies fourfold with them. So ratios are geometric means of the
middle half of the turns with their standard errors, and single rows mean little.
"""

from __future__ import annotations

import math
import statistics
import sys
from pathlib import Path

from interleaved import format_ratio, put_costs, run_load

from harness.pythons import pythons_with_gil
from harness.report import Table

LOAD = Path(__file__).resolve().parent / "lock_load.py"
BUDGET_NS = 5.0
BUDGET_RATIO = 0.95
N_TURNS = 15


def main() -> None:
    is_quick = "--quick" in sys.argv
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    n_turns = 3 if is_quick else N_TURNS
    lone, fights = Table("", corner="ns a pair"), Table("", corner="throughput with hooks")
    all_added: list[float] = []
    by_clock: dict[str, list[float]] = {}
    by_cpu: dict[str, list[float]] = {}
    for python in pythons:
        all_added += put_costs(lone, python, run_load(python, LOAD, "lone", n_turns), 1)
        for name, rows in run_load(python, LOAD, "fight", n_turns).items():
            clock = [math.log(row[0] / row[1]) for row in rows]
            cpu = [math.log(row[2] / row[3]) for row in rows]
            sleeps = sum(row[5] for row in rows) / max(1e-9, sum(row[4] for row in rows))
            fights.put(f"{python.label} {name}", "pair, ns", f"{rows[0][0]:.0f}")
            fights.put(f"{python.label} {name}", "by the clock", format_ratio(clock))
            fights.put(f"{python.label} {name}", "by CPU", format_ratio(cpu))
            fights.put(f"{python.label} {name}", "sleeps", f"x{sleeps:.2f}")
            by_clock.setdefault(name, []).extend(clock)
            by_cpu.setdefault(name, []).extend(cpu)
    print("\n".join(lone.format_lines()))
    print("\n".join(fights.format_lines()))
    print(
        f"added: median {statistics.median(all_added):+.1f} ns, worst {max(all_added):+.1f} ns "
        f"(budget {BUDGET_NS:.0f})"
    )
    for name in by_clock:
        print(
            f"{name}: throughput {format_ratio(by_clock[name])} by the clock, "
            f"{format_ratio(by_cpu[name])} by CPU (budget {BUDGET_RATIO:.2f})"
        )


if __name__ == "__main__":
    main()
