"""Server that forks and ends workers on request."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stackglass.attach.processes import list_processes

PARENT = """
import atexit, os, signal, sys, time
def spin_in_child():
    return sum(range(1000))
def fork():
    pid = os.fork()
    if pid:
        return pid
    atexit.register(signal.pause)  # until SIGKILL; runs after the engine has left
    while True:
        spin_in_child()
        time.sleep(0.001)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
children, retired = [fork(), fork()], []
print(*children, flush=True)
for line in sys.stdin:
    if line == "retire\\n":
        retired.append(children.pop(0))
        os.kill(retired[-1], signal.SIGTERM)
    elif line == "end\\n":
        ended = children.pop(0)
        os.kill(ended, signal.SIGKILL)
        os.waitpid(ended, 0)
    else:
        children.append(fork())
    print(children[-1], flush=True)
for pid in children + retired:
    os.kill(pid, signal.SIGKILL)
"""


class Server:
    """The parent process, which forks and ends children on request."""

    def __init__(self, script: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-S", str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.children = [int(word) for word in self.process.stdout.readline().split()]
        self.is_abandoned = False  # whether the children live without their parent

    def ask(self, what: str) -> int:
        """Request ``end`` (of the first child) or ``fork``. Returns the last child's PID."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def abandon(self) -> None:
        """Kill the parent. The first children go on until the end of ``run_server``."""
        self.process.kill()
        self.process.wait()
        self.is_abandoned = True


@contextmanager
def run_server(folder: Path) -> Iterator[Server]:
    """Run ``server.py`` with two children. Skips the test if it cannot be attached to."""
    script = folder / "server.py"
    script.write_text(PARENT)
    server = Server(script)
    refusals = [info.reason for info in list_processes() if info.pid == server.process.pid]
    if any(refusals):
        server.process.communicate(timeout=30)
        pytest.skip(refusals[0])
    try:
        yield server
    finally:
        if server.is_abandoned:  # the children hold the pipe that ``communicate`` reads to its end
            for pid in server.children:
                os.kill(pid, signal.SIGKILL)
        server.process.communicate(timeout=30)
