"""The interpreter of each thread in a dump, by the order of their creation."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

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
