"""What hearing asyncio costs: a free Lock, a callback, an await, a Lock that others wait for.

Interleaved in one process a Python (``asyncio_load.py``): before, with the hooks at default rates,
after a detach. "added" is the median over the turns of what one costs more with hooks than before
and after, in ns of CPU time; "left" what it costs more after a detach than before.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from stackglass.native import _core

LOAD = Path(__file__).resolve().parent / "asyncio_load.py"
N_TURNS = 7


def run_load(python: Python, n_turns: int) -> dict[str, list[list[float]]]:
    """Rows of (before, on, after), ns, by program."""
    done = subprocess.run(
        [python.executable, str(LOAD), str(_core.__file__), str(n_turns)],
        capture_output=True,
        text=True,
        check=True,
    )
    rows: dict[str, list[list[float]]] = {}
    for line in done.stdout.splitlines():
        name, *numbers = line.split("\t")
        rows.setdefault(name, []).append([float(number) for number in numbers])
    return rows


def main() -> None:
    is_quick = "--quick" in sys.argv
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    table = Table("", corner="ns each")
    for python in pythons:
        for name, rows in run_load(python, 3 if is_quick else N_TURNS).items():
            base = statistics.median(before for before, _, _ in rows)
            added = statistics.median(on - (before + after) / 2 for before, on, after in rows)
            left = statistics.median(after - before for before, _, after in rows)
            table.put(f"{python.label} {name}", "base", f"{base:.0f}")
            table.put(f"{python.label} {name}", "added", f"{added:+.0f}")
            table.put(f"{python.label} {name}", "left", f"{left:+.0f}")
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
