"""A program of the usual kind, and the same in Go: the waiters and holders of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.matrix import some_pythons
from harness.pythons import Python
from harness.recorder import record
from harness.saved_profile import Row, SavedProfile

pytestmark = pytest.mark.attach

CORPUS = Path(__file__).parent.parent / "corpus"
DELAY = 1  # position among the sample types


def find_largest(profile: SavedProfile) -> Row:
    return max(profile.rows, key=lambda row: row.values[DELAY])


def share_of(profile: SavedProfile, function: str) -> float:
    """Of all delay, that of stacks that hold a function."""
    total = sum(row.values[DELAY] for row in profile.rows)
    return sum(row.values[DELAY] for row in profile.rows if function in row.stack) / total


@some_pythons
def test_the_lock_is_the_one_that_a_reader_would_name(python: Python, tmp_path: Path) -> None:
    """Sixteen workers share a log whose disk is slow: its handler's lock."""
    folder = tmp_path / "profiles"
    words = ["--profile", "mutex", "--profile", "block", "--mutex-fraction", "1"]
    command = [python.executable, CORPUS / "fetch.py", "2"]
    status, _, err = record(*words, "-o", folder, "--", *command)
    assert (status, err) == (0, "")
    mutex, block = (SavedProfile.read(folder / f"{name}.pb.gz") for name in ("mutex", "block"))
    assert find_largest(mutex).stack[-2] in ("logging.Handler.handle", "logging.Handler.release")
    assert share_of(mutex, "__main__.fetch_pages") > 0.7
    assert share_of(block, "logging.Handler.handle") > 0.05
    assert share_of(block, "queue.Queue.get") > 0.05


def test_go_says_the_same_of_the_same_program() -> None:
    mutex, block = (
        SavedProfile.read(CORPUS / f"go.fetch.{name}.pb.gz") for name in ("mutex", "block")
    )
    assert find_largest(mutex).stack[-2] == "log.(*Logger).output"
    assert share_of(mutex, "main.fetchPages") > 0.7
    assert share_of(block, "log.(*Logger).output") > 0.05
    assert share_of(block, "runtime.chanrecv2") > 0.05
