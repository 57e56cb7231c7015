"""The flight recorder of a program, by the number of the checklist, and the ends of programs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from harness.matrix import NEWEST, some_pythons
from harness.pythons import Python
from harness.recorder import PATIENCE_S, wait_until
from harness.session_file import OBJECT_ALLOC, REGION_BEGIN, REGION_END, SessionFile
from harness.targets import FOLDER

pytestmark = pytest.mark.attach

N_KEPT = 5000


def run(python: Python, program: str, *words: object) -> subprocess.CompletedProcess[str]:
    """A program of ``targets/flight``. It ends with its streams: no companion may hold them."""
    return subprocess.run(
        [python.executable, FOLDER / "flight" / program, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def list_regions(file: SessionFile) -> list[tuple[int, str]]:
    """Kind and name of each region's begin and end; there is one region at most, with a number."""
    events = file.list_events()
    is_region = np.isin(events["kind"], (REGION_BEGIN, REGION_END))
    numbers = set(events["size"][is_region].tolist())
    assert 0 not in numbers
    assert len(numbers) <= 1
    names = [file.strings[of] for of in events["type"][is_region].tolist()]
    return list(zip(events["kind"][is_region].tolist(), names, strict=True))


@pytest.mark.checklist(120)
@some_pythons
def test_120_a_program_keeps_a_flight_recorder(python: Python, tmp_path: Path) -> None:
    """Checklist 120: enabled or not, an error where it is off or writes already, an exact count of
    bytes, one at a time, started again, beside another profile."""
    done = run(python, "recorder.py", tmp_path, python.executable)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["enabled"] == [False, True, False, True]
    assert facts["write when off"] == "the flight recorder is off: call start() first"
    assert "on already" in facts["started again"]
    assert "another flight recorder is on already" in facts["another one"]
    assert facts["bytes"][0] == facts["bytes"][1] > 0
    assert facts["bytes"][2] == facts["bytes"][3] > 0
    assert len(facts["while it writes"]) == 3
    assert all("writing" in each for each in facts["while it writes"])
    assert facts["a file that fails"]
    assert "there is no folder" in facts["no folder"]
    assert facts["is its own"]
    assert facts["child"] == facts["forked child"] == 0
    assert (tmp_path / "child.sgm").exists()
    file = SessionFile(tmp_path / "first.sgm")
    assert file.is_whole
    # What happened right before the call is in it.
    assert (file.list_events()["kind"] == OBJECT_ALLOC).sum() > N_KEPT
    assert list_regions(file) == [
        (REGION_BEGIN, "before the file"),
        (REGION_END, "before the file"),
    ]
    assert list_regions(SessionFile(tmp_path / "second.sgm")) == []  # another recording


@pytest.mark.parametrize("how", ["kill", "leave", "exit"])
def test_only_a_signal_is_a_kill(how: str, tmp_path: Path) -> None:
    done = run(NEWEST, "dying.py", tmp_path, NEWEST.executable, how)
    assert done.returncode == (-9 if how == "kill" else 0), done.stderr
    pid, companion = map(int, done.stdout.split())
    wait_until(lambda: _has_ended(companion), "the end of the companion")
    path = tmp_path / f"{pid}.sgm"
    assert path.exists() == (how == "kill")
    if how == "kill":
        file = SessionFile(path)
        assert file.is_whole
        assert list_regions(file) == [(REGION_BEGIN, "the last one")]


def _has_ended(pid: int) -> bool:
    """Also if its parent, which is not the program, has not reaped it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"
