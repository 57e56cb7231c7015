"""``stackglass record --window`` on real processes: the flight recorder and its triggers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from harness.matrix import NEWEST, some_pythons
from harness.proc_state import read_caught_signals
from harness.pythons import Python
from harness.recorder import PATIENCE_S, record, start_record, wait_until
from harness.session_file import OBJECT, OBJECT_ALLOC, Replay, SessionFile
from harness.targets import FOLDER, Target

pytestmark = pytest.mark.attach


def open_window(path: Path) -> tuple[SessionFile, Replay]:
    """A file, which is whole; what it frees lives, and it begins with what lived before."""
    file = SessionFile(path)
    assert file.is_whole
    replay = Replay().apply(file.list_events())
    assert replay.counts[OBJECT]
    if not file.info.n_lost:
        assert replay.n_doubled[0] == replay.n_doubled[1] == 0
        assert replay.n_unknown_frees[0] + replay.n_unknown_frees[1] <= file.info.hidden_blocks
    return file, replay


@some_pythons
def test_the_program_is_killed(python: Python, tmp_path: Path) -> None:
    """On request, and after SIGKILL: whole files of no more than the window.

    Beside ten busy processes and 22 tests a program once did not run at all for a second.
    """
    path = tmp_path / "trace.sgm"
    window = ("--profile", "memory", "--window", "4s", "-o", path)
    with Target(python, "allocating_threads.py") as target:
        with start_record(*window, target.pid) as recorder:
            wait_until(lambda: _handles_requests(recorder.pid), "the recorder")
            wait_until(lambda: _request(recorder, path), "a file")
            os.kill(target.pid, signal.SIGKILL)
            _, errors = recorder.communicate(timeout=PATIENCE_S)
        assert recorder.returncode == 0, errors
    assert b"trace.sgm: requested" in errors
    assert re.search(rb": the recording has ended; (the last|all) [0-4]\.", errors)
    last = max(tmp_path.glob("trace-*.sgm"), key=lambda each: each.stat().st_mtime_ns)
    file, replay = open_window(last)
    assert replay.counts[OBJECT_ALLOC]
    times = file.list_events()["time_ns"]
    assert times[-1] - times[0] < 5 * 10**9
    open_window(path)


def test_triggers_of_a_command(tmp_path: Path) -> None:
    """Resident memory passes a limit; the end of the program is no trigger here."""
    path = tmp_path / "trace.sgm"
    status, _, errors = record(
        *("--profile", "memory", "--window", "5s", "--trigger", "rss>1MiB", "-o", path, "--"),
        *(NEWEST.executable, "-c", "import time; kept = [[] for _ in range(9999)]; time.sleep(1)"),
    )
    assert status == 0, errors
    assert "trace.sgm: resident memory passed 1 MiB; all " in errors
    assert " s since the trace began, " in errors
    assert [each.name for each in tmp_path.iterdir()] == ["trace.sgm"]


def test_no_trigger_fires(tmp_path: Path) -> None:
    path = tmp_path / "trace.sgm"
    status, _, errors = record(
        *("--profile", "memory", "--window", "5s", "--trigger", "wait>20s", "-o", path, "--"),
        *(NEWEST.executable, FOLDER / "heap" / "memory_trace.py", 10),
    )
    assert status == 0, errors
    assert f"no trigger has fired: {path} was not written" in errors
    assert not path.exists()


def _handles_requests(pid: int) -> bool:
    return bool(read_caught_signals(pid) >> (signal.SIGUSR1 - 1) & 1)


def _request(recorder: subprocess.Popen[bytes], path: Path) -> bool:
    """Request a file until it is there: a trace that has not begun has none."""
    assert recorder.poll() is None, recorder.communicate()[1].decode()
    recorder.send_signal(signal.SIGUSR1)
    time.sleep(0.2)
    return path.exists()
