"""Scheduling of tests among several workers (pytest-xdist).

Each worker is a process that knows all tests, and is assigned the next test to run. Added here are
tests that need the machine for themselves, modules that stay with one worker, and tables that one
process fills and another prints.

Every test takes the lock "turnstile", then the lock "room", and releases the turnstile. A test that
is `alone` takes the room exclusively. Until the others have left the room, it holds the turnstile,
so that no other test can pass.

      outside           turnstile          room
    test, test   -->   alone test   -->   test, test
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from harness.report import Table

# Modules whose tests fill a table together: each runs in one worker, in order.
TOGETHER = (
    "tests/conformance/test_checklist.py",
    "tests/integration/test_attach_matrix.py",
    "tests/integration/test_detach.py",
)
_OUTPUT = "stackglass tables"


class Scheduling(LoadScopeScheduling):  # type: ignore[misc] # has no types
    """Assigns a module of TOGETHER, or a single test, to the next free worker. Large modules come
    first, then tests in the order in which they were collected."""

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        return module if module in TOGETHER else nodeid


def is_alone(item: pytest.Item) -> bool:
    """Whether no other test may run at the same time."""
    return item.get_closest_marker("alone") is not None


@contextlib.contextmanager
def being_in_room(folder: Path, *, is_alone: bool) -> Iterator[None]:
    """Hold the room for a test. A test that is alone never shares it.

    ``folder`` is the same for all tests that share a machine.
    """
    with (folder / "turnstile").open("w") as turnstile, (folder / "room").open("w") as room:
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        fcntl.flock(room, fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH)
        fcntl.flock(turnstile, fcntl.LOCK_UN)
        try:
            yield
        finally:  # closing would not unlock while a forked child has the file open
            fcntl.flock(room, fcntl.LOCK_UN)


class Worker:
    """Plugin of a worker. ``tables`` go to the process that started it."""

    def __init__(self, config: pytest.Config, tables: dict[str, Table]) -> None:
        self._output: dict[str, Any] = config.workeroutput  # type: ignore[attr-defined] # xdist's
        self._folder = Path(config.getoption("basetemp")).parent  # above the folders of each
        self._tables = tables

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Put tests that are alone last, when no worker has another test to run."""
        for item in items:
            module = item.nodeid.partition("::")[0]
            if "tables" in getattr(item, "fixturenames", ()) and module not in TOGETHER:
                raise pytest.UsageError(f"{module} fills a table, but is not in workers.TOGETHER")
        items.sort(key=is_alone)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # the wait does not count as the test's time
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        with being_in_room(self._folder, is_alone=is_alone(item)):
            return (yield)

    def pytest_sessionfinish(self) -> None:
        self._output[_OUTPUT] = {
            key: dataclasses.asdict(table) for key, table in self._tables.items()
        }


def read_tables(output: dict[str, Any]) -> dict[str, Table]:
    """Return the tables that a worker has filled; none if it died."""
    return {key: Table(**fields) for key, fields in output.get(_OUTPUT, {}).items()}
