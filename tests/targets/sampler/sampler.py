"""What every probe shares: the extension, loaded by path as in a target, and a sampling session.

Probes run in the Python under test, which has nothing of ours: standard library of 3.9 only.
Each prints one line of JSON.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import sys
import time
from typing import Any

CLOCKS = {"auto": 0, "perf": 1, "perf+timer": 2, "ticker": 3, "timer": 4}


def load_core() -> Any:
    loader = importlib.machinery.ExtensionFileLoader("_core", sys.argv[1])
    spec = importlib.util.spec_from_file_location("_core", sys.argv[1], loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


core = load_core()


class Session:
    """Sampling of this process; ``collect`` is to be called several times a second."""

    def __init__(self, hz: int = 1000, clock: str = "auto") -> None:
        self.samples: list = []  # (tid, time, count, cpu_ns, names leaf first)
        self._names: dict = {}
        self.refusal = core.cpu_prepare() or core.cpu_start(hz, CLOCKS[clock], time.monotonic_ns())
        self._cpu_before = time.process_time_ns()

    def _name(self, code_id: int) -> str:
        name = core.pseudo_name(code_id) or self._names.get(code_id)
        if name is None:
            code = core.code_alive(code_id)
            if code is None:  # it has died since; its obituary came first
                self._read_obituaries()
                return self._names.get(code_id, "?")
            name = self._names[code_id] = code.co_name
        return name

    def _read_obituaries(self) -> None:
        for code_id, facts in core.code_obituaries():
            self._names[code_id] = facts[0]

    def collect(self) -> None:
        core.cpu_tend()
        drained = core.cpu_drain()
        self._read_obituaries()
        for tid, _labels, moment, count, cpu_ns, stack in drained:
            names = tuple(self._name(code_id) for code_id, _ in stack)
            self.samples.append((tid, moment, count, cpu_ns, names))

    def stop(self) -> None:
        self.cpu_ns = time.process_time_ns() - self._cpu_before
        core.cpu_stop()
        self.collect()
        self.status = core.cpu_status()
        self.cpu_ns -= self.status["engine_cpu_ns"]
        core.cpu_unprepare()

    @property
    def total_ns(self) -> int:
        return sum(sample[3] for sample in self.samples)

    def share(self, name: str) -> float:
        """Of the CPU time, that of stacks with the function in them."""
        return sum(s[3] for s in self.samples if name in s[4]) / max(1, self.total_ns)

    def leaf_share(self, name: str) -> float:
        return sum(s[3] for s in self.samples if s[4] and s[4][0] == name) / max(1, self.total_ns)


def tell(**facts: object) -> None:
    print(json.dumps(facts))
