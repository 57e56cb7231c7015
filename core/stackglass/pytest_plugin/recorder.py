"""Profiles of tests, one after the other: a file for each, and what it cost."""

from __future__ import annotations

import os
import re
import time
import zlib
from contextlib import AbstractContextManager
from typing import NamedTuple

from stackglass.api import program
from stackglass.api.profile import lookup
from stackglass.errors import StackglassError, UsageError
from stackglass.wire import profile_file
from stackglass.wire.delta import subtract
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.rates import DEFAULT

CPU, WALL = "cpu", "wall"
_SETTERS = {
    "heap": (program.set_heap_profile_rate, DEFAULT.heap_rate),
    "allocs": (program.set_heap_profile_rate, DEFAULT.heap_rate),
    "block": (program.set_block_profile_rate, DEFAULT.block_rate_ns),
    "mutex": (program.set_mutex_profile_fraction, DEFAULT.mutex_fraction),
    "gil": (program.set_gil_profile_rate, DEFAULT.gil_hz),
}
PROFILES = (CPU, WALL, *_SETTERS)
_SCOPES = {CPU: program.cpu_profile, WALL: program.wall_profile}
_HEAP = ("heap", "allocs")
_ALLOCATED = "alloc_space"
_UNSAFE = re.compile(r"[^\w.=-]+")
_MAX_NAME = 150  # of the 255 bytes that a file's name may have


class Measured(NamedTuple):
    """What one test cost. Plain values, which go through JSON."""

    test: str  # node id
    elapsed_ns: int
    cpu_ns: int  # of the whole process, all threads
    allocated_bytes: int  # estimated from samples; -1 = not recorded
    files: list[str]
    problem: str = ""  # why a profile is missing


def read_names(text: str) -> tuple[str, ...]:
    """Profiles from ``cpu,heap``. Raises UsageError."""
    names = tuple(dict.fromkeys(filter(None, text.split(","))))
    for name in names:
        if name not in PROFILES:
            raise UsageError(
                f"--stackglass: there is no profile {name!r}",
                f"one of {', '.join(PROFILES)}; paths after --stackglass need --stackglass=cpu",
            )
    if CPU in names and WALL in names:
        raise UsageError("--stackglass: cpu and wall exclude each other", "choose one")
    return names or (CPU,)


def name_file(test: str, profile: str) -> str:
    """The file of a test: its node id, with a checksum where it is not that."""
    plain = test.replace("::", ".").replace("/", ".")
    name = _UNSAFE.sub("_", plain)[:_MAX_NAME]
    checksum = "" if name == plain else f"-{zlib.crc32(test.encode('utf-8', 'replace')):08x}"
    return f"{name}{checksum}.{profile}.pb.gz"


class ProfileRecorder:
    """The recorder. For one thread; a test at a time."""

    def __init__(self, names: tuple[str, ...], folder: str) -> None:
        """Nothing starts before the first test."""
        self._names = names
        self._folder = folder
        self._tables = [name for name in names if name in _SETTERS]
        self._before: dict[str, ProfileTables] = {}
        self._has_begun = False
        self._sampling: AbstractContextManager[None] | None = None  # cpu or wall
        self._test = ""
        self._begin_ns = self._begin_cpu_ns = 0
        self._problem = ""

    def begin(self, test: str) -> None:
        """Begin the profiles of a test. Raises nothing: ``end`` says what is missing."""
        self._test, self._problem, self._before = test, "", {}
        try:
            self._start()
        except StackglassError as error:
            self._problem = str(error)
        self._begin_cpu_ns = time.process_time_ns()
        self._begin_ns = time.perf_counter_ns()

    def end(self) -> Measured:
        """End them, and write the files."""
        elapsed_ns = time.perf_counter_ns() - self._begin_ns
        cpu_ns = time.process_time_ns() - self._begin_cpu_ns
        files: list[str] = []
        allocated = -1
        try:
            if self._sampling is not None:
                sampling, self._sampling = self._sampling, None
                sampling.__exit__(None, None, None)
                files += [name_file(self._test, name) for name in self._names if name in _SCOPES]
            for name in self._before:
                tables = subtract(_build(name), self._before[name])
                if name in _HEAP:
                    allocated = _sum(tables, _ALLOCATED)
                files.append(name_file(self._test, name))
                profile_file.write_file(self._place(name), encode_file(tables))
        except StackglassError as error:
            self._problem = self._problem or str(error)
        return Measured(self._test, elapsed_ns, cpu_ns, allocated, files, self._problem)

    def close(self) -> None:
        """Give the engine up, after the last test."""
        if self._has_begun:
            program.withdraw_profile_rates()

    def _start(self) -> None:
        profile_file.make_folder(self._folder)
        if not self._has_begun:
            self._has_begun = True
            for name in self._tables:
                setter, rate = _SETTERS[name]
                setter(rate)
        for name in self._tables:
            self._before[name] = _build(name)
        for name in filter(_SCOPES.__contains__, self._names):
            sampling = _SCOPES[name](self._place(name))
            sampling.__enter__()
            self._sampling = sampling

    def _place(self, profile: str) -> str:
        return os.path.join(self._folder, name_file(self._test, profile))


def _build(name: str) -> ProfileTables:
    profile = lookup(name)
    if profile is None:
        raise StackglassError(f"there is no profile {name}")
    return profile.build()


def _sum(tables: ProfileTables, name: str) -> int:
    """The total of one sample type."""
    at = [each.name for each in tables.sample_types].index(name)
    return sum(memoryview(tables.sample_values[at].tobytes()).cast("q"))
