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
_COMPARED = (
    "Content-Type",
    "Content-Disposition",
    "X-Content-Type-Options",
    "X-Go-Pprof",
    "Allow",
    "Location",
    "Access-Control-Allow-Origin",
)


class Answer(NamedTuple):
    """What a server answered: what is compared, and the body."""

    status: int
    headers: dict[str, str]
    body: bytes


class PprofServer(NamedTuple):
    """A server at a port of this machine."""

    port: int
    pid: int = 0  # of the program; 0 = it serves another one

    def url(self, rest: str) -> str:
        """For ``go tool pprof``."""
        return f"http://127.0.0.1:{self.port}/debug/pprof/{rest}"

    def ask(self, path: str, method: str = "GET", host: str | None = None) -> Answer:
        """One request on a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.putrequest(method, path, skip_host=host is not None)
            if host:
                connection.putheader("Host", host)
            connection.endheaders()
            response = connection.getresponse()
            headers = {name: value for name in _COMPARED if (value := response.getheader(name))}
            return Answer(response.status, headers, response.read())
        finally:
            connection.close()


@contextmanager
def serve_go() -> Iterator[PprofServer]:
    """The Go program; it is built once. Skips the test where there is no Go."""
    try:
        go = find_go()
    except AssertionError as error:
        pytest.skip(str(error))
    changed_s = max(path.stat().st_mtime for path in _SOURCE.iterdir())
    if not _BINARY.exists() or _BINARY.stat().st_mtime < changed_s:
        made = _BINARY.with_suffix(f".{os.getpid()}")
        subprocess.run([go, "build", "-o", made, "."], cwd=_SOURCE, check=True, timeout=280)
        shutil.move(made, _BINARY)  # other workers build it too; each move is whole
    with _run([str(_BINARY)]) as server:
        yield server


@contextmanager
def serve_python(python: Python) -> Iterator[PprofServer]:
    """``targets/own_server.py``; it ends with its standard input."""
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
