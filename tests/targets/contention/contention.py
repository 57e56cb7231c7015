"""Common parts of the probes of contention: a session, and rows with names."""

from __future__ import annotations

import os
import sys
import time
from typing import NamedTuple

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from probe import load_core, report

__all__ = ["PRIMITIVES", "Contention", "Row", "core", "report"]

BLOCK, MUTEX, PAIR, GIL, OTHER, TASK, STALL, IDLE = range(8)
STALL_NS = 100_000_000
core = load_core()
PRIMITIVES = {name: number for number, (name, *_) in enumerate(core.contention_primitives())}


class Row(NamedTuple):
    """A bucket with names in place of numbers."""

    bucket: int
    kind: int
    primitive: int
    lock: int
    names: tuple  # leaf first
    others: tuple
    count: float
    total_ns: float
    max_ns: int
    delays: dict
    labels: int
    other_labels: int


class Contention:
    """A session; a context manager."""

    def __init__(
        self, block_ns: int = 1, mutex_fraction: int = 1, seed: int = 7, depth: int = 0
    ) -> None:
        self._rates = (block_ns, mutex_fraction, 0, STALL_NS)
        self._seed = seed
        self._depth = depth

    def __enter__(self) -> Contention:
        refusal = core.cpu_prepare() or core.contention_prepare(time.monotonic_ns(), self._depth)
        assert refusal is None, refusal
        core.contention_seed(self._seed)
        core.contention_set_rates(*self._rates)
        return self

    def __exit__(self, *error: object) -> None:
        core.contention_unprepare()
        core.cpu_unprepare()

    def read(self, kind: int | None = None, only_changed: bool = False) -> list:
        rows = [
            Row(*bucket[:4], *map(name_frames, bucket[4:6]), *bucket[6:])
            for bucket in core.contention_read(only_changed)
        ]
        return [row for row in rows if kind is None or row.kind == kind]


def name_frames(frames: tuple) -> tuple:
    return tuple(name_of(code) for code, _ in frames)


def name_of(code_id: int) -> str:
    name = core.pseudo_name(code_id)
    if name is None:
        code = core.code_alive(code_id)
        name = code.co_name if code else "?"
    return name
