"""Common parts of the GIL's probes: a session, and threads with known waits."""

from __future__ import annotations

import os
import sys
import threading
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

__all__ = ["Session", "core", "find_delay_ns", "read_delays", "report", "run_threads"]

core = load_core()
AUTO = 0
PATIENCE_S = 10


class Session:
    """A started sampler with the GIL profile. Ends with ``stop``."""

    def __init__(self, hz: int = 200, cpu_hz: int = 0) -> None:
        self.charges: list = []  # (holder tid, waits, ns, names leaf first)
        self.refusal = (
            core.cpu_prepare()
            or core.cpu_start(cpu_hz, AUTO, time.monotonic_ns())
            or core.gil_prepare()
        )
        core.gil_set_rate(hz)
        self.wait_for(lambda status: status["is_redirected"] or status["problem"])
        self.refusal = self.refusal or core.gil_status()["problem"]

    def wait_for(self, is_so) -> bool:
        until = time.monotonic() + PATIENCE_S
        while not is_so(core.gil_status()):
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True

    def collect(self) -> list:
        """Return the charges since the last call."""
        charges = [
            (tid, n_waits, waited_ns, [self._name(code) for code, _ in stack])
            for tid, n_waits, waited_ns, stack in core.gil_drain()
        ]
        self.charges += charges
        return charges

    def _name(self, code_id: int) -> str:
        name = core.pseudo_name(code_id)
        if name is None:
            code = core.code_alive(code_id)
            name = code.co_name if code else "?"
        return name

    def settle(self) -> list:
        """Switch the profile off. Returns the charges since the last call."""
        core.gil_set_rate(0)
        self.wait_for(lambda status: not status["is_looking"])
        return self.collect()

    def stop(self) -> None:
        core.cpu_stop()
        self.collect()
        core.gil_unprepare()
        core.cpu_unprepare()


def read_delays() -> dict:
    """Return each thread's time without a processor, in ns; {} if the system does not report it."""
    delays = {}
    for tid in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{tid}/schedstat", encoding="ascii") as file:
                delays[int(tid)] = int(file.read().split()[1])
        except (FileNotFoundError, ProcessLookupError):  # it has ended, or the system does not say
            continue
    return delays


def find_delay_ns(before: dict) -> int:
    """Return the sum since ``before``, for threads that still run; ``run_threads``' have ended."""
    return sum(ns - before.get(tid, 0) for tid, ns in read_delays().items())


def run_threads(functions: list, seconds: float, is_busy: bool = False) -> list:
    """Call each function repeatedly on a thread of its own. Returns (tid, wall ns, CPU ns) of each.

    ``seconds``: elapsed time; if ``is_busy``, CPU time of all threads, of which a busy machine may
    give little in a second.

    No other thread wants the GIL meanwhile: the threads read the clock themselves, and stay until
    all are done. The last thread to run waits for the GIL from the common beginning.
    """
    start = threading.Barrier(len(functions))
    end = threading.Barrier(len(functions))
    results: list = [None] * len(functions)
    spent_ns = [0] * len(functions)
    least_ns = int(seconds * 1e9)

    def is_over(began_ns):
        return (sum(spent_ns) if is_busy else time.monotonic_ns() - began_ns) >= least_ns

    def run(index, function):
        start.wait()
        began_ns, cpu_ns = time.monotonic_ns(), time.thread_time_ns()
        while not is_over(began_ns):
            function()
            spent_ns[index] = time.thread_time_ns() - cpu_ns
        ended_ns, cpu_ns = time.monotonic_ns(), time.thread_time_ns() - cpu_ns
        results[index] = (threading.get_native_id(), began_ns, ended_ns, cpu_ns)
        end.wait()

    threads = [
        threading.Thread(target=run, args=(index, function))
        for index, function in enumerate(functions)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    began_ns = min(result[1] for result in results)
    return [(tid, ended_ns - began_ns, cpu_ns) for tid, _, ended_ns, cpu_ns in results]
