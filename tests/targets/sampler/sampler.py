"""Common part of the probes of the sampler: a session whose samples the probe collects."""

from __future__ import annotations

import os
import sys
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

__all__ = ["CLOCKS", "Session", "core", "report"]

CLOCKS = {"auto": 0, "perf": 1, "perf+timer": 2, "ticker": 3, "timer": 4, "outside": 5}


core = load_core()


class Session:
    """Sampling of this process; call ``collect`` several times a second."""

    def __init__(self, hz: int = 1000, clock: str = "auto") -> None:
        self.samples: list = []  # (tid, time, count, cpu_ns, names leaf first)
        self._names: dict = {}
        self.refusal = core.cpu_prepare()
        before_ns = time.process_time_ns()
        self.refusal = self.refusal or core.cpu_start(hz, CLOCKS[clock], time.monotonic_ns())
        self._cpu_before = time.process_time_ns()
        # CPU time that other threads used at the begin and at the end, before this one had the GIL
        # again: it may be sampled or not.
        self.unsure_ns = self._cpu_before - before_ns

    def _name(self, code_id: int) -> str:
        name = core.pseudo_name(code_id) or self._names.get(code_id)
        if name is None:
            code = core.code_alive(code_id)
            if code is None:  # freed since: use its tombstone
                self._read_obituaries()
                return self._names.get(code_id, "?")
            name = self._names[code_id] = code.co_name
        return name

    def _read_obituaries(self) -> None:
        for code_id, facts in core.code_tombstones():
            self._names[code_id] = facts[0]

    def collect(self) -> None:
        core.cpu_maintain()
        drained = core.cpu_drain()
        self._read_obituaries()
        for tid, _labels, moment, count, cpu_ns, stack in drained:
            names = tuple(self._name(code_id) for code_id, _ in stack)
            self.samples.append((tid, moment, count, cpu_ns, names))

    def stop(self) -> None:
        end_ns = time.process_time_ns()
        self.cpu_ns = end_ns - self._cpu_before
        core.cpu_stop()
        self.unsure_ns += time.process_time_ns() - end_ns
        self.n_ticks = core.tick_count()
        self.collect()
        self.status = core.cpu_status()
        self.cpu_ns -= self.status["engine_cpu_ns"]
        core.cpu_unprepare()

    @property
    def total_ns(self) -> int:
        return sum(sample[3] for sample in self.samples)

    def share(self, name: str) -> float:
        """Return the share of CPU time of stacks that contain a function."""
        return sum(s[3] for s in self.samples if name in s[4]) / max(1, self.total_ns)

    def leaf_share(self, name: str) -> float:
        return sum(s[3] for s in self.samples if s[4] and s[4][0] == name) / max(1, self.total_ns)
