"""Cost of the asyncio hooks: a free Lock, a callback, an await, a Lock that others wait for, a
task from its creation to its end (with the hook of creations alone).

Interleaved in one process a Python (``asyncio_load.py``): before, with the hooks at default rates,
after a detach. "added" is the added cost of an operation with hooks, compared with before and
after, in ns of CPU time, as median over the turns; "left" is its added cost after a detach.
"""

from __future__ import annotations

import sys
from pathlib import Path

from interleaved import put_costs, run_load

from harness.pythons import pythons_with_gil
from harness.report import Table

LOAD = Path(__file__).resolve().parent / "asyncio_load.py"
N_TURNS = 7


def main() -> None:
    is_quick = "--quick" in sys.argv
    pythons = pythons_with_gil()
    if is_quick:
        pythons = tuple(python for python in pythons if python.minor == 13) or pythons[-1:]
    table = Table("", corner="ns each")
    for python in pythons:
        put_costs(table, python, run_load(python, LOAD, 3 if is_quick else N_TURNS), 0)
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
