"""What is said of a process that does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.fake_clock import FakeClock
from harness.fake_proc import FakeProc
from stackglass.attach.errors import NoSuchProcessError
from stackglass.waits.unresponsive import explain_silence

S = 10**9


def explain(proc: FakeProc, gil_wait_ns: int = 9 * S) -> str:
    return str(explain_silence(7, 10 * S, gil_wait_ns, FakeClock(), proc.proc))


def test_the_thread_that_runs_is_named_and_ours_is_not(tmp_path: Path) -> None:
    proc = FakeProc(tmp_path)
    proc.add(7, state="R")
    (tmp_path / "7" / "task" / "7" / "comm").write_text("cruncher\n")
    own = tmp_path / "7" / "task" / "8"
    own.mkdir()
    (own / "stat").write_text("8 (stackglass) R 1 1\n")
    (own / "comm").write_text("stackglass\n")
    assert explain(proc) == (
        "process 7 has not answered for 10 s, because the engine waits for the GIL; C code may "
        "hold it, or the process gets too little time on a processor; thread 7 (cruncher) ran: "
        "`gdb -p 7 -batch -ex 'thread apply all bt'` shows where; --timeout sets the limit"
    )


def test_none_that_runs_is_worth_a_word(tmp_path: Path) -> None:
    proc = FakeProc(tmp_path)
    proc.add(7)
    assert "for the GIL; no thread runs, so C code that sleeps may hold it: `gdb" in explain(proc)


def test_another_reason_is_not_made_up(tmp_path: Path) -> None:
    proc = FakeProc(tmp_path)
    proc.add(7)
    assert explain(proc, gil_wait_ns=0) == "process 7 has not answered for 10 s: try again"


def test_one_that_has_ended_meanwhile(tmp_path: Path) -> None:
    with pytest.raises(NoSuchProcessError):
        explain(FakeProc(tmp_path))
