"""A program that imports one installation of Stackglass, and a client of another one."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import stackglass
from harness.pythons import Python, pythons_with_gil
from harness.session import Session
from harness.targets import FOLDER
from stackglass.attach.entry import attach
from stackglass.attach.errors import InjectionError

on_all = pytest.mark.parametrize("python", pythons_with_gil(), ids=lambda python: python.label)
pytestmark = pytest.mark.attach


class Program:
    """Runs own_rate.py with the installation in ``folder``."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.pid = process.pid
        self._process = process
        assert self.read() == "begun"

    def read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def set_rate(self) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self.read()


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """A copy of the package, as in a virtual environment of the program's."""
    source = Path(stackglass.__file__).parent
    shutil.copytree(source, tmp_path / "stackglass", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@contextlib.contextmanager
def start(python: Python, installation: Path) -> Iterator[Program]:
    with subprocess.Popen(
        [python.executable, str(FOLDER / "own_rate.py")],
        env={**os.environ, "PYTHONPATH": str(installation)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Program(process)
        finally:
            process.kill()


@on_all
def test_a_client_of_another_installation_shares_the_programs_engine(
    python: Python, installation: Path
) -> None:
    with start(python, installation) as program:
        assert program.set_rate() == "set"
        with Session(program.pid) as session:
            session.set_heap_rate(4096)
            session.wait_for_function("allocate")
        assert program.set_rate() == "set"


@on_all
def test_a_program_starts_no_second_engine_beside_the_clients(
    python: Python, installation: Path
) -> None:
    with start(python, installation) as program:
        with Session(program.pid) as session:
            session.wait_for_function("allocate")
            assert "another installation of Stackglass is in this process" in program.set_rate()
        while (answer := program.set_rate()) != "set":  # until the engine has left
            assert "another installation" in answer


def test_an_installation_that_was_replaced_is_reported(installation: Path) -> None:
    python = pythons_with_gil()[0]
    with start(python, installation) as program:
        assert program.set_rate() == "set"
        shutil.rmtree(installation / "stackglass" / "native")
        with pytest.raises(InjectionError, match="whose file was replaced since"):
            attach(program.pid)
        assert program.set_rate() == "set"
