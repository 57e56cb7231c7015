"""Signals end a recording, or go on to a child."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys

from harness.recorder import CORE
from stackglass.record import signals

CATCHER = """
import os, signal
def say(number, frame):
    os.write(1, b"%d\\n" % number)  # a handler may interrupt a print()
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
    signal.signal(number, say)
os.write(1, b"caught\\n")
while True:
    signal.pause()
"""

# A process of its own: among this one's threads some may take the signal instead.
RELAYER = """
import subprocess, sys
from stackglass.record import signals
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=subprocess.DEVNULL)
with signals.block() as before:
    relay = signals.Relay(child.pid)
    relay.start()
    print("passed on", flush=True)
    sys.stdin.read()
    relay.stop()
child.kill()
child.wait()
print(sorted(before & signals.FORWARDED), flush=True)
"""


def read_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    readable, _, _ = select.select([process.stdout], [], [], 20.0)
    assert readable, "the child is silent"
    return process.stdout.readline().decode().strip()


def test_what_a_process_sends_goes_on_to_the_child() -> None:
    relayer = subprocess.Popen(
        [sys.executable, "-c", RELAYER, CATCHER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,  # select() knows nothing of lines that have been read ahead
        env={**os.environ, "PYTHONPATH": str(CORE)},
    )
    with relayer:
        try:
            assert {read_line(relayer), read_line(relayer)} == {"caught", "passed on"}
            for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
                relayer.send_signal(number)
                assert read_line(relayer) == str(int(number))
            assert relayer.stdin is not None
            relayer.stdin.close()
            assert read_line(relayer) == "[]"
        finally:
            relayer.kill()


def test_ctrl_c_ends_without_an_exception() -> None:
    before = signal.getsignal(signal.SIGINT)
    with signals.catch_end() as is_stopped:
        assert not is_stopped()
        signal.raise_signal(signal.SIGINT)
        assert is_stopped()
    assert signal.getsignal(signal.SIGINT) is before
