"""Programs that measure with and without a hook in turns, in one process for each Python."""

from __future__ import annotations

import math
import statistics
import subprocess
from pathlib import Path

from harness.pythons import Python
from harness.report import Table
from native import _core_testing as core

Rows = dict[str, list[list[float]]]  # the numbers of each turn, by program
AGREEMENT = 0.03
LEAST_TURNS = 2  # a standard error needs two
TRIES = 3  # turns are measured until enough count, but at most so many times as many


def run_load(python: Python, load: Path, *words: object) -> Rows:
    """Run ``load`` with the extension. Returns its lines: a name and numbers, between tabs."""
    done = subprocess.run(
        [python.executable, str(load), str(core.__file__), *map(str, words)],
        capture_output=True,
        text=True,
        check=True,
    )
    rows: Rows = {}
    for line in done.stdout.splitlines():
        name, *numbers = line.split("\t")
        rows.setdefault(name, []).append([float(number) for number in numbers])
    return rows


def put_costs(table: Table, python: Python, rows: Rows, n_digits: int) -> list[float]:
    """Enter medians of each program over the turns: the cost before, the cost added while on, and
    the cost left after. Returns the added costs."""
    all_added = []
    for name, turns in rows.items():
        base = statistics.median(before for before, _, _ in turns)
        added = statistics.median(on - (before + after) / 2 for before, on, after in turns)
        left = statistics.median(after - before for before, _, after in turns)
        table.put(f"{python.label} {name}", "base", f"{base:.{n_digits}f}")
        table.put(f"{python.label} {name}", "added", f"{added:+.{n_digits}f}")
        table.put(f"{python.label} {name}", "left", f"{left:+.{n_digits}f}")
        all_added.append(added)
    return all_added


def do_agree(before: float, after: float) -> bool:
    """Whether two measurements of the program alone, before and after a phase, agree. On a shared
    machine a round takes up to 1.8 times as long while another tenant uses the same core, for
    tenths of a second to several seconds: a turn in which that began or ended says nothing."""
    return abs(after / before - 1) <= AGREEMENT


def find_middle(values: list[float]) -> tuple[float, float]:
    """The mean of the middle half and its standard error (from the Winsorised variance). A turn in
    which another tenant of the machine slowed down one phase alone is at an end. Raises
    statistics.StatisticsError if there are less than two values."""
    ordered = sorted(values)
    n_cut = len(ordered) // 4
    middle = ordered[n_cut : len(ordered) - n_cut]
    winsorised = [middle[0]] * n_cut + middle + [middle[-1]] * n_cut
    kept_part = len(middle) / len(ordered)
    error = statistics.stdev(winsorised) / (kept_part * math.sqrt(len(ordered)))
    return statistics.mean(middle), error


def format_ratio(logarithms: list[float]) -> str:
    """Format the geometric mean of the middle half of ratios with its standard error."""
    mean, error = find_middle(logarithms)
    return f"{math.exp(mean):.3f} ± {error:.3f}"
