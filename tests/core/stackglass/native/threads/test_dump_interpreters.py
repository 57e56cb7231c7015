"""The interpreter of each thread in a dump, by the order of their creation."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from harness.matrix import each_python
from harness.probes import run_probe
from harness.pythons import Python
from native import _core_testing as core

interpreters = pytest.importorskip("_xxsubinterpreters")
MANY = 70


@pytest.fixture(autouse=True)
def _walks() -> Iterator[None]:
    assert core.cpu_prepare() is None
    yield
    core.cpu_unprepare()


@pytest.fixture
def make() -> Iterator[list[object]]:
    made: list[object] = []
    yield made
    for interpreter in made:
        interpreters.destroy(interpreter)


@pytest.mark.parametrize("n", [0, 1, MANY])
def test_the_main_one_is_0_however_many_there_are(make: list[object], n: int) -> None:
    make.extend(interpreters.create() for _ in range(n))
    assert core.dump_interpreters()[threading.get_native_id()] == 0


@each_python
def test_the_main_thread_is_one_row_with_its_name(python: Python) -> None:
    """Up to 3.12 the thread keeps a state in each interpreter that it has created."""
    assert run_probe(python, "interpreters/idle_states.py") == {"rows": [["MainThread", 0, True]]}
