"""Run every benchmark of this folder, one after the other, and print its output.

    python tests/bench/run_all.py [--quick] [NAME…]

A benchmark is a file ``bench_<name>.py`` that prints its table; it gets ``--quick`` handed on and
then takes seconds instead of minutes. Figures are ratios to a peer that was measured in the same
run, because machines differ and change. No test depends on them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
CHECKOUT = FOLDER.parents[1]


def main() -> int:
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    roots = [str(CHECKOUT / root) for root in ("core", "viewer", "resources", "tests")]
    failed = []
    for script in sorted(FOLDER.glob("bench_*.py")):
        name = script.stem.removeprefix("bench_")
        if names and name not in names:
            continue
        print(f"\n== {name}", flush=True)
        done = subprocess.run(
            [sys.executable, str(script), *options],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(roots)},
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode != 0:
            failed.append(name)
    if failed:
        print(f"\nbench: did not finish: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
