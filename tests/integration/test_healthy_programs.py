"""Programs that fight for locks and are healthy: no false cycle, no false holder.

A short part of ``make waits-proof``, which looks a thousand times at each on every Python.
"""

from __future__ import annotations

import pytest

from harness.healthy import MAY_LOOK_STUCK, PROGRAMS, look_at
from harness.matrix import PYTHONS, each_python
from harness.pythons import Python

pytestmark = pytest.mark.attach

N_LOOKS = 15
IN_TURN = [
    pytest.param(PYTHONS[place % len(PYTHONS)], program, id=f"{program}-{python.label}")
    for place, program in enumerate(PROGRAMS)
    for python in [PYTHONS[place % len(PYTHONS)]]
]


@pytest.mark.parametrize(("python", "program"), IN_TURN)
def test_a_healthy_program_has_no_deadlock(python: Python, program: str) -> None:
    found = look_at(python, program, N_LOOKS)
    assert found.wrong == ()
    assert found.n_looks == N_LOOKS


@each_python
def test_holders_are_those_that_the_program_knows(python: Python) -> None:
    """Three threads that each take the lock again at once: the one that has it is reported."""
    found = look_at(python, "unfair", 2 * N_LOOKS)
    assert found.wrong == ()
    assert found.n_checked > N_LOOKS


@each_python
def test_a_block_with_a_constructor_is_read(python: Python) -> None:
    """From 3.12 on `__init__` may be called by a frame of the interpreter's own, whose code object
    is a constant: 3.13 to 3.15 crashed when an attribute of it was read."""
    found = look_at(python, "constructed", N_LOOKS)
    assert found.wrong == ()
    assert found.n_checked > 0


def test_every_program_is_looked_at() -> None:
    assert len(PROGRAMS) >= 20
    assert set(PROGRAMS) > MAY_LOOK_STUCK
