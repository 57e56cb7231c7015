"""What /proc's files say, strange names included."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.fake_proc import FakeProc, hide
from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PAGE_BYTES, PROC
from stackglass.attach.process_end import is_dying


def test_a_name_may_hold_parentheses_and_spaces(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, name="a) R 1 (b", state="T", start=77)
    stat = fake.proc.read_stat(42)
    assert (stat.state, stat.start_time, stat.rss_bytes) == ("T", 77, 250 * PAGE_BYTES)
    assert not stat.is_kernel_thread


def test_status_holds_users_tracer_and_signals(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, uid=33, tracer=9)
    status = fake.proc.read_status(42)
    assert (status.uids, status.tracer, status.caught_signals) == ((33, 33, 33), 9, 2)


def test_a_forked_process_and_what_it_waited_for(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42, flags=0x40, n_waits=3)
    assert fake.proc.read_stat(42).is_forked
    assert fake.proc.read_status(42).n_waits == 3


def test_a_process_that_is_not_there_says_so(tmp_path: Path) -> None:
    proc = FakeProc(tmp_path).proc
    for look in (proc.read_stat, proc.read_status, proc.read_maps, proc.list_threads):
        with pytest.raises(NoSuchProcessError, match="there is no process 42"):
            look(42)
    assert proc.read_thread_state(42, 43) == ""


def test_pids_are_the_numbers_among_the_names(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(10)
    fake.add(9)
    fake.set_scope(1)
    assert fake.proc.list_pids() == [9, 10]
    assert fake.proc.read_scope() == 1


def test_without_yama_the_scope_is_the_classic_one(tmp_path: Path) -> None:
    assert FakeProc(tmp_path).proc.read_scope() == 0


def test_the_real_one_knows_this_process() -> None:
    pid = os.getpid()
    assert PROC.read_stat(pid).parent == os.getppid()
    assert PROC.read_status(pid).uids == os.getresuid()
    assert PROC.list_threads(pid)[0] == pid
    assert PROC.read_command(pid)


def test_a_hidden_process_has_not_ended(tmp_path: Path) -> None:
    fake = FakeProc(tmp_path)
    fake.add(42)
    hidden = hide(fake.proc, 42)
    assert not hidden.has_ended(42)
    assert not is_dying(42, hidden)
