"""Programs that no one here wrote, profiled at a high rate while they work."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.session import Session
from stackglass.attach.errors import NotPythonError

PATIENCE_S = 60.0


@contextlib.contextmanager
def serve_folder(python: Python, folder: Path) -> Iterator[tuple[int, str]]:
    """``python -m http.server`` on some free port: its PID and address."""
    server = subprocess.Popen(
        [python.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    with server:
        assert server.stdout is not None
        port = re.search(r"port (\d+)", server.stdout.readline())
        assert port is not None
        try:
            yield server.pid, f"http://127.0.0.1:{port[1]}/"
        finally:
            server.kill()


@pytest.mark.attach
@each_python
def test_http_server_under_load(python: Python, tmp_path: Path) -> None:
    content = b"stackglass " * 2000
    (tmp_path / "page.txt").write_bytes(content)
    digests: list[str] = []
    is_over = threading.Event()

    def request_pages() -> None:
        end = time.monotonic() + PATIENCE_S
        while not is_over.is_set() and time.monotonic() < end:
            with urllib.request.urlopen(address + "page.txt", timeout=PATIENCE_S) as answer:
                digests.append(hashlib.sha256(answer.read()).hexdigest())

    with serve_folder(python, tmp_path) as (pid, address):
        client = threading.Thread(target=request_pages)
        client.start()
        try:
            with Session(pid, hz=2000) as session:
                session.wait_for_function("do_GET")
                session.detach()
        finally:
            is_over.set()
            client.join()
    assert digests == [hashlib.sha256(content).hexdigest()] * len(digests)
    assert digests


def attach_to_new(pid: int) -> Session:
    """Attach to a process that may not have got as far as being a Python yet."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return Session(pid, hz=2000)
        except NotPythonError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.001)


@pytest.mark.attach
@some_pythons
def test_compileall_at_work(python: Python, tmp_path: Path) -> None:
    """A program that ends while it is profiled; what it has written is what it always writes."""
    library = Path(os.__file__).parent
    sources = [str(library / name) for name in ("email", "unittest", "xml", "http", "logging")]
    compiled = []
    for is_profiled in (False, True):
        place = tmp_path / str(is_profiled)
        command = [python.executable, "-X", f"pycache_prefix={place}", "-m", "compileall", "-qf"]
        # What a set's constants look like when compiled depends on the seed of hashes.
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        with subprocess.Popen(
            [*command, *sources], stdin=subprocess.DEVNULL, env=environment
        ) as work:
            if is_profiled:
                with attach_to_new(work.pid) as session:
                    session.wait_for_end(PATIENCE_S)
            assert work.wait(PATIENCE_S) == 0
        files = sorted(path for path in place.rglob("*.pyc"))
        compiled.append([hashlib.sha256(path.read_bytes()).hexdigest() for path in files])
    assert compiled[0] == compiled[1]
    assert compiled[0], sys.executable
