"""Cost of labels and regions: a block, compared with an empty Python block; samples in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from harness.pythons import pythons_with_gil
from harness.report import Table

LOAD = Path(__file__).resolve().parent / "label_load.py"
N_ROUNDS = 200


def main() -> None:
    is_quick = "--quick" in sys.argv
    table = Table("", corner="labels")
    for python in pythons_with_gil():
        if is_quick and python.minor not in (9, 13):
            continue
        n_rounds = N_ROUNDS // 10 if is_quick else N_ROUNDS
        facts = json.loads(subprocess.check_output([python.executable, str(LOAD), str(n_rounds)]))
        table.put(python.label, "empty block, ns", f"{facts['empty']:.0f}")
        table.put(python.label, "labelled block, ns", f"{facts['block']:.0f}")
        table.put(python.label, "region, ns", f"{facts['region']:.0f}")
        table.put(python.label, "round with samples", f"{facts['samples']:.3f}")
    print("\n".join(table.format_lines()))


main()
