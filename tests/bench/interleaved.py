"""Programs that measure with and without something in turns, in one process a Python."""

from __future__ import annotations

import math
import statistics
import subprocess
from pathlib import Path

from harness.pythons import Python
from harness.report import Table
from native import _core_testing as core

Rows = dict[str, list[list[float]]]  # the numbers of each turn, by program


def run_load(python: Python, load: Path, *words: object) -> Rows:
    """What ``load`` prints: a name and numbers a line, between tabs. It is given the extension."""
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
    """Enter (before, on, after) of each program: what it costs before, what is added while on, what
    is left after; medians over the turns. Returns what is added."""
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


def format_ratio(logarithms: list[float]) -> str:
    """The geometric mean of ratios, with its standard error."""
    error = statistics.stdev(logarithms) / math.sqrt(len(logarithms))
    return f"{math.exp(statistics.mean(logarithms)):.3f} ± {error:.3f}"
