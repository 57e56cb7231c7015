"""The bystander shows what was sent to many, and ends with the recorder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from harness.fake_clock import FakeClock
from harness.recorder import CORE, wait_until
from stackglass.attach.proc import PROC
from stackglass.record.bystander import Bystander

STARTER = """
import signal, sys
from stackglass.clock import SYSTEM_CLOCK
from stackglass.record import bystander
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
it = bystander.Bystander(SYSTEM_CLOCK)
it.start()
print(it._process.pid, flush=True)
sys.stdin.read()
"""


def test_it_ends_when_the_recorder_is_killed() -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(CORE)},
    )
    with starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        assert not PROC.has_ended(pid)
        starter.kill()
    wait_until(lambda: PROC.has_ended(pid), "the end of the bystander")


def test_a_process_of_another_group_got_nothing() -> None:
    """Even if the bystander did: the signal goes on to it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
    bystander = Bystander(FakeClock())
    bystander.start()
    command = [sys.executable, "-c", "input()"]
    try:
        with (
            subprocess.Popen(command, stdin=subprocess.PIPE) as beside,
            subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as apart,
        ):
            assert bystander._process is not None
            for process, has_got in ((apart, False), (beside, True)):
                bystander._process.send_signal(signal.SIGTERM)
                assert bystander.has_got(signal.SIGTERM, process.pid) is has_got
            assert not bystander.has_got(signal.SIGUSR1, beside.pid)
            beside.kill()
            apart.kill()
    finally:
        bystander.stop()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_without_one_each_signal_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    bystander = Bystander(FakeClock())
    bystander.start()
    assert not bystander.has_got(signal.SIGTERM, os.getpid())
    bystander.stop()
