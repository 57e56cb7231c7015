"""Time from the command to a usable window, which is shown and painted for the first time.

Each start is a process of its own, in turn with a process that only imports Qt's widgets: that part
is Qt's and Python's. "warm": the files are in the system's cache after a start that does not count.
"CPU time to paint" ends with the first paint, too; other programs change it little.
Offscreen, with cached bytecode.

    python tests/bench/bench_start.py [--quick]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from harness.report import Table

N_STARTS = 9
N_QUICK = 3
BUDGET_S = 0.5

# `stackglass` without arguments, which prints "painted" and exits. The window has been painted when
# `launch` calls `begin`.
_START = """
import sys, time
from stackglass.commands import catalogue
catalogue.load(catalogue.VIEW)  # without looking for garbage, as the command does
from PySide6.QtCore import QTimer
from stackglass_viewer.launch import launch

def begin(app):
    print("painted", time.process_time(), flush=True)
    QTimer.singleShot(0, app.close)

sys.exit(launch(begin))
"""
_CONTROL = "import time, PySide6.QtWidgets\nprint('painted', time.process_time(), flush=True)"


class Start(NamedTuple):
    wall_s: float  # until the process printed it
    cpu_s: float


def time_start(code: str, home: str) -> Start:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": home}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as users have it
    before_s = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert child.stdout is not None
    line = child.stdout.readline()
    wall_s = time.perf_counter() - before_s
    child.stdout.close()
    status = child.wait()
    said, _, cpu_s = line.decode().partition(" ")
    assert (said, status) == ("painted", 0), "the window did not come up"
    return Start(wall_s, float(cpu_s))


def main() -> int:
    n_starts = N_QUICK if "--quick" in sys.argv[1:] else N_STARTS
    with tempfile.TemporaryDirectory(prefix="stackglass-bench-") as home:
        time_start(_START, home)  # warms up
        pairs = [(time_start(_START, home), time_start(_CONTROL, home)) for _ in range(n_starts)]
    table = Table(f"Start to the first paint, {n_starts} times, seconds", corner="what")
    for name, starts in (
        (f"window (≤ {BUDGET_S})", [own for own, _ in pairs]),
        ("import of Qt's widgets", [control for _, control in pairs]),
    ):
        for kind, values in (
            ("wall clock", [start.wall_s for start in starts]),
            ("CPU time to paint", [start.cpu_s for start in starts]),
        ):
            row = f"{name}, {kind}"
            table.put(row, "best", f"{min(values):.2f}")
            table.put(row, "median", f"{statistics.median(values):.2f}")
            table.put(row, "worst", f"{max(values):.2f}")
    print(table.title)
    print("\n".join(table.format_lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
