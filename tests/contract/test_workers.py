"""Tests that are shared out among workers: who is alone is alone, and tables arrive."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from harness.checklist import PROMISED
from harness.pythons import CHECKOUT
from harness.recorder import wait_until
from harness.workers import being_in_room

PATIENCE_S = 20.0


class Visitor(threading.Thread):
    """Enters the room, and leaves on request."""

    def __init__(self, folder: Path, *, is_alone: bool = False) -> None:
        super().__init__()
        self._folder, self._is_alone = folder, is_alone
        self.is_inside, self._may_leave = threading.Event(), threading.Event()
        self.start()

    def run(self) -> None:
        with being_in_room(self._folder, is_alone=self._is_alone):
            self.is_inside.set()
            self._may_leave.wait(PATIENCE_S)

    def leave(self) -> None:
        self._may_leave.set()
        self.join()


def is_waiting(path: Path) -> bool:
    """Whether a thread waits for the lock of a file."""
    inode = f":{path.stat().st_ino} "
    lines = Path("/proc/locks").read_text().splitlines()
    return any("->" in line and inode in line for line in lines)


def test_who_is_alone_waits_for_all_and_is_not_overtaken(tmp_path: Path) -> None:
    first, second = Visitor(tmp_path), Visitor(tmp_path)
    assert first.is_inside.wait(PATIENCE_S)
    assert second.is_inside.wait(PATIENCE_S)
    alone = Visitor(tmp_path, is_alone=True)
    wait_until(lambda: is_waiting(tmp_path / "room"), "the one who would be alone")
    late = Visitor(tmp_path)
    wait_until(lambda: is_waiting(tmp_path / "turnstile"), "the late one")
    first.leave()
    assert not alone.is_inside.is_set()
    second.leave()
    assert alone.is_inside.wait(PATIENCE_S)
    assert not late.is_inside.is_set()
    alone.leave()
    assert late.is_inside.wait(PATIENCE_S)
    late.leave()


@pytest.mark.timeout(600)  # pytest in pytest, which collects all tests
def test_tables_of_workers_are_printed_once_and_whole() -> None:
    command = "-m pytest -q -n 2 --list-checklist tests/conformance/test_checklist.py -k promised"
    outside = {name: it for name, it in os.environ.items() if not name.startswith("PYTEST_")}
    run = subprocess.run(
        [sys.executable, *command.split()],
        cwd=CHECKOUT,
        env=outside,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    lines = run.stdout.splitlines()
    assert sum("conformance checklist" in line for line in lines) == 1
    assert " passed in " in lines[-1]
    numbers = [int(line.split()[0]) for line in lines[:-1] if line[:1].isdigit()]
    assert numbers == [*PROMISED]
