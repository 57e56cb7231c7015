"""Recorder of tests, one after the other: profile files and the cost of each."""

from __future__ import annotations

import os
import re
import time
import zlib
from typing import NamedTuple

from stackglass.api.block_tables import HEAP, BlockProfiles
from stackglass.errors import StackglassError
from stackglass.wire import profile_file
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file

_ALLOCATED = "alloc_space"
_UNSAFE = re.compile(r"[^\w.=-]+")
_MAX_NAME_BYTES = 150  # of the 255 that a file's name may have


class Measured(NamedTuple):
    """The cost of one test, in plain values, because xdist sends them as JSON."""

    test: str  # node id
    elapsed_ns: int
    cpu_ns: int  # of the whole process, all threads
    allocated_bytes: int  # estimated from samples; -1 = not recorded
    files: list[str]
    problem: str = ""  # why a profile is missing


def name_file(test: str, profile: str) -> str:
    """Return the name of a test's file: its node id with dots for ``::`` and ``/``, and a checksum
    if other characters were replaced or cut off."""
    plain = test.replace("::", ".").replace("/", ".")
    name = _cut(_UNSAFE.sub("_", plain))
    checksum = "" if name == plain else f"-{zlib.crc32(test.encode('utf-8', 'replace')):08x}"
    return f"{name}{checksum}.{profile}.pb.gz"


def _cut(name: str) -> str:
    return name.encode()[:_MAX_NAME_BYTES].decode("utf-8", "ignore")


class ProfileRecorder:
    """Records one test at a time. For one thread."""

    # freezegun and its like replace the functions in modules while a test runs.
    _read_elapsed_ns = staticmethod(time.perf_counter_ns)
    _read_cpu_ns = staticmethod(time.process_time_ns)

    def __init__(self, names: tuple[str, ...], folder: str) -> None:
        """Nothing starts before the first test."""
        self._profiles = BlockProfiles(names)
        self._folder = folder
        self._test = ""
        self._begin_ns = self._begin_cpu_ns = 0
        self._problem = ""

    def begin(self, test: str) -> None:
        """Begin the profiles of a test. ``end`` reports a profile that cannot be recorded."""
        self._test, self._problem = test, ""
        try:
            profile_file.make_folder(self._folder)
            if not self._profiles.is_open:
                self._profiles.open()
            self._profiles.begin()
        except StackglassError as error:
            self._problem = str(error)
        self._begin_cpu_ns = self._read_cpu_ns()
        self._begin_ns = self._read_elapsed_ns()

    def end(self) -> Measured:
        """End the test's profiles, write their files, and return the test's cost."""
        elapsed_ns = self._read_elapsed_ns() - self._begin_ns
        cpu_ns = self._read_cpu_ns() - self._begin_cpu_ns
        files: list[str] = []
        allocated = -1
        try:
            block = self._profiles.end()
            self._problem = self._problem or block.problem
            for profile, tables in block.tables.items():
                if profile in HEAP:
                    allocated = _sum(tables, _ALLOCATED)
                name = name_file(self._test, profile)
                profile_file.write_file(os.path.join(self._folder, name), encode_file(tables))
                files.append(name)
        except StackglassError as error:
            self._problem = self._problem or str(error)
        return Measured(self._test, elapsed_ns, cpu_ns, allocated, files, self._problem)

    def close(self) -> None:
        """Release the engine, after the last test."""
        self._profiles.close()


def _sum(tables: ProfileTables, name: str) -> int:
    """Return the total of one sample type."""
    at = [each.name for each in tables.sample_types].index(name)
    return sum(memoryview(tables.sample_values[at].tobytes()).cast("q"))
