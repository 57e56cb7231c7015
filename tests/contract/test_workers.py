"""Tests that are shared out among workers: who is alone is alone, and tables arrive."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from harness.pythons import CHECKOUT
from harness.recorder import wait_until
from harness.workers import TOGETHER, being_in_room

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


FILLING = """
import pytest
from harness.report import Table

@pytest.mark.parametrize("number", range(30))
def test_row(number, tables):
    table = tables.setdefault({title!r}, Table({title!r}, "number", is_listing={is_listing}))
    table.put(str(number), "square", str(number * number))
"""


def test_tables_of_workers_are_printed_once_and_whole(tmp_path: Path) -> None:
    """In a pytest of their own, with the conftest.py of all tests and two of its modules."""
    for module, title, is_listing in zip(
        TOGETHER, ("squares", "list"), (False, True), strict=False
    ):
        path = tmp_path / module
        path.parent.mkdir(parents=True)
        path.write_text(FILLING.format(title=title, is_listing=is_listing))
    shutil.copy(CHECKOUT / "tests/conftest.py", tmp_path / "tests")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    assert run_pytest(tmp_path) == {"squares": [*range(30)]}
    assert run_pytest(tmp_path, "--list-checklist") == {
        "squares": [*range(30)],
        "list": [*range(30)],
    }


def run_pytest(folder: Path, *options: str) -> dict[str, list[int]]:
    """Numbers of the rows under each title that two workers' run prints."""
    outside = {name: it for name, it in os.environ.items() if not name.startswith("PYTEST_")}
    command = "-m pytest -q -n 2 -p no:cacheprovider -p no:stackglass"
    run = subprocess.run(
        [sys.executable, *command.split(), *options, "tests"],
        cwd=folder,
        env={**outside, "PYTHONPATH": str(CHECKOUT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    printed: dict[str, list[int]] = {}
    lines = run.stdout.splitlines()
    assert " passed in " in lines[-1]
    for line in lines[:-1]:
        if line.startswith("==="):
            title = line.strip("= ")
            assert title not in printed, run.stdout
            rows = printed[title] = []
        elif line[:1].isdigit():
            number, square = map(int, line.split())
            assert square == number**2
            rows.append(number)
    return printed
