"""Signals end a recording, or go on to a child."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys

from stackglass.record import signals

CATCHER = """
import signal, sys
def say(number, frame):
    print(number, flush=True)
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
    signal.signal(number, say)
print("ready", flush=True)
while True:
    signal.pause()
"""


def read_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], 20.0)
    assert readable, "the child is silent"
    return process.stdout.readline().strip()


def test_what_a_process_sends_goes_on_to_the_child() -> None:
    child = subprocess.Popen([sys.executable, "-c", CATCHER], stdout=subprocess.PIPE, text=True)
    try:
        assert read_line(child) == "ready"
        with signals.block() as before:
            relay = signals.Relay(child.pid)
            relay.start()
            for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
                os.kill(os.getpid(), number)
                assert read_line(child) == str(int(number))
            relay.stop()
        assert not before & signals.PASSED_ON
    finally:
        child.kill()
        child.communicate()


def test_ctrl_c_ends_without_an_exception() -> None:
    before = signal.getsignal(signal.SIGINT)
    with signals.catch_end() as is_stopped:
        assert not is_stopped()
        signal.raise_signal(signal.SIGINT)
        assert is_stopped()
    assert signal.getsignal(signal.SIGINT) is before
