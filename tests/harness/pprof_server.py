"""Programs that serve ``/debug/pprof/``: one in Go, the reference, and one in Python."""

from __future__ import annotations

import http.client
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from harness.go_tool import find_go
from harness.mutants import CHECKOUT
from harness.pythons import Python
from harness.targets import FOLDER, start_bound

_BINARY = CHECKOUT / "build" / "go_pprof_server"
_SOURCE = FOLDER / "go_pprof_server"
_NOT_COMPARED = ("Date", "Content-Length", "Transfer-Encoding")
"""Headers of the moment and of the body. Go sends long bodies without their length."""


class Answer(NamedTuple):
    """The compared parts of a server's answer, all headers but those of its body, and its body."""

    status: int
    headers: dict[str, str]
    body: bytes


class PprofServer(NamedTuple):
    """A server at a port of this machine."""

    port: int
    pid: int = 0  # PID of the program; 0 = it serves another program

    def url(self, rest: str) -> str:
        """Return the URL of a page, for ``go tool pprof``."""
        return f"http://127.0.0.1:{self.port}/debug/pprof/{rest}"

    def ask(self, path: str, method: str = "GET", host: str | None = None) -> Answer:
        """Make one request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.putrequest(method, path, skip_host=host is not None)
            if host:
                connection.putheader("Host", host)
            connection.endheaders()
            response = connection.getresponse()
            headers = {
                name.title(): value
                for name, value in response.getheaders()
                if name.title() not in _NOT_COMPARED
            }
            return Answer(response.status, headers, response.read())
        finally:
            connection.close()


@contextmanager
def serve_go() -> Iterator[PprofServer]:
    """Run the Go program, which is built once. Skips the test without Go."""
    try:
        go = find_go()
    except AssertionError as error:
        pytest.skip(str(error))
    changed_s = max(path.stat().st_mtime for path in _SOURCE.iterdir())
    if not _BINARY.exists() or _BINARY.stat().st_mtime < changed_s:
        made = _BINARY.with_suffix(f".{os.getpid()}")
        subprocess.run([go, "build", "-o", made, "."], cwd=_SOURCE, check=True, timeout=280)
        shutil.move(made, _BINARY)  # atomic, because other workers build it, too
    with _run([str(_BINARY)]) as server:
        yield server


@contextmanager
def serve_python(python: Python) -> Iterator[PprofServer]:
    """Run ``targets/own_server.py``, which ends when its standard input does."""
    with _run([python.executable, str(FOLDER / "own_server.py")]) as server:
        yield server


@contextmanager
def _run(command: list[str | Path] | list[str]) -> Iterator[PprofServer]:
    words = [str(word) for word in command]
    with start_bound(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        try:
            assert line, f"{command[0]} ended with {process.wait()}"
            yield PprofServer(int(line), process.pid)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            if Path(command[0]) == _BINARY:
                process.kill()
            process.wait(60)
