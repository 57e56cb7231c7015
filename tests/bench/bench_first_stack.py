"""Time from a PID to the first stack; and if C code keeps the GIL, to the report of the wait.

It is compared with ``py-spy dump``, a whole command that starts anew each time: compare orders of
magnitude, not digits.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from peers import PY_SPY

from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.session import Session
from harness.targets import STATES, start_in_state

N_REPEATS = 7
SHOWN_WAIT_NS = 300_000_000  # as in presenter/live/document.py
KEEP_GIL = "import re; print(flush=True); re.match(r'(a+)+$', 'a' * 40 + 'b')"  # for hours


def time_stackglass(pid: int, function: str) -> float:
    """Return the seconds to a first stack; the engine is entered anew each time."""
    with Session(pid) as session:
        took_s = session.wait_for_function(function)
        session.detach()
    return took_s


def time_py_spy(pid: int) -> float:
    """Return the seconds of py-spy, or NaN if it fails."""
    before = time.monotonic()
    done = subprocess.run([PY_SPY, "dump", "--pid", str(pid)], capture_output=True, check=False)
    return time.monotonic() - before if done.returncode == 0 else float("nan")


def measure(python: Python, state: str, n_repeats: int) -> tuple[str, str]:
    """Return the times of Stackglass's first and later attaches, and py-spy's, in ms."""
    with start_in_state(python, state) as target:
        own = [time_stackglass(target.pid, STATES[state].function) for _ in range(n_repeats)]
        theirs = [time_py_spy(target.pid) for _ in range(n_repeats)]
    return (
        f"{own[0] * 1e3:.0f} / {statistics.median(own) * 1e3:.0f} / {max(own) * 1e3:.0f}",
        f"{statistics.median(theirs) * 1e3:.0f}",
    )


def measure_gil(python: Python, n_repeats: int) -> str:
    """Return the time until the wait for the GIL can be shown, in ms."""
    command = [python.executable, "-c", KEEP_GIL]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as keeper:
        assert keeper.stdout is not None
        keeper.stdout.readline()
        time.sleep(0.1)
        waits: list[float] = []
        for _ in range(n_repeats):
            with Session(keeper.pid) as session:
                waits.append(session.wait_for_gil_wait(SHOWN_WAIT_NS))
        keeper.kill()
    return f"{waits[0] * 1e3:.0f} / {statistics.median(waits) * 1e3:.0f} / {max(waits) * 1e3:.0f}"


def main() -> None:
    is_quick = "--quick" in sys.argv
    table = Table("", corner="ms, first / median / worst")
    for python in pythons_with_gil():
        for state in ("busy", "sleep", "lock") if is_quick else STATES:
            own, theirs = measure(python, state, 3 if is_quick else N_REPEATS)
            table.put(f"{python.label} {state}", "stackglass", own)
            table.put(f"{python.label} {state}", "py-spy dump", theirs)
        reported = measure_gil(python, 3 if is_quick else N_REPEATS)
        table.put(f"{python.label} GIL kept: reported", "stackglass", reported)
        table.put(f"{python.label} GIL kept: reported", "py-spy dump", "-")
    print("\n".join(table.format_lines()))


if __name__ == "__main__":
    main()
