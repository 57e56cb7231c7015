"""How much address space the engine takes, and that it gives back what it took."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from harness.matrix import cover, each_python
from harness.pythons import Python
from harness.session import PATIENCE_S, Session
from harness.targets import Target
from stackglass.attach.library import find_library

ATTACHED_BYTES = 24 << 20  # at default rates
LEFT_BYTES = 2 << 20  # after a detach
pytestmark = pytest.mark.attach


def read_size(pid: int) -> int:
    """Address space in bytes, less the engine's library: its file and its zeroed data."""
    total = 0
    after_library = False
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        fields = line.split()
        start, end = (int(part, 16) for part in fields[0].split("-"))
        path = fields[5] if len(fields) > 5 else ""
        is_library = Path(path).name == Path(find_library()).name
        is_its_data = after_library and not path
        after_library = is_library
        if not is_library and not is_its_data:
            total += end - start
    return total


def read_peak(pid: int) -> int:
    """The greatest size in two seconds. The program's own heap grows and shrinks by some 400 KiB
    with how its threads meet, so one moment says too little of what it takes by itself."""
    sizes = []
    for _ in range(40):
        sizes.append(read_size(pid))
        time.sleep(0.05)
    return max(sizes)


def wait_for_size(pid: int, most: int) -> int:
    """The size once it is at most ``most``, or when patience is at its end."""
    deadline = time.monotonic() + PATIENCE_S
    while read_size(pid) > most and time.monotonic() < deadline:
        time.sleep(0.05)
    return read_size(pid)


def count_threads(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"^Threads:\s+(\d+)", status, re.MULTILINE)
    assert found
    return int(found[1])


@each_python
def test_attached_and_after(python: Python) -> None:
    """The program has room in its arenas. Otherwise Python's allocator sometimes maps one more of
    1 MiB while the engine enters, and keeps it as long as an object is in it."""
    with Target(python, "filtered.py", ROOM="1") as target:
        before = read_peak(target.pid)
        for _ in range(3):
            with Session(target.pid) as session:
                session.wait_for_samples(10)
                session.wait_for_function("compute")
                assert read_size(target.pid) - before <= ATTACHED_BYTES
                session.detach()
                session.wait_for_end()
            after = wait_for_size(target.pid, before + LEFT_BYTES)
            assert after - before <= LEFT_BYTES
        target.finish()


@cover("limit_mb, block_mb", [(48, 8), (200, 150)])
def test_program_near_its_limit(python: Python, limit_mb: int, block_mb: int) -> None:
    """40 MB more than it needs are enough for twenty attaches.

    In 200 MB there is room for an arena of the C library, 64 MiB for each thread that has one of
    its own; and then none for the program's 150 MB.
    """
    program = "heap/short_of_memory.py"
    with Target(python, program, LIMIT_MB=str(limit_mb), BLOCK_MB=str(block_mb)) as target:
        n_threads = count_threads(target.pid)
        for _ in range(20):
            with Session(target.pid) as session:
                session.wait_for_samples(1)
                session.detach()
                session.wait_for_end()
            deadline = time.monotonic() + PATIENCE_S
            while count_threads(target.pid) > n_threads and time.monotonic() < deadline:
                time.sleep(0.01)
        assert target.finish()["refused"] == 0
