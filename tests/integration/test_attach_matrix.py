"""Every Python present × every state of its main thread: attach, see its stack, leave.

The table at the end of the run shows, for each cell, the time from asking to the first stack, for
information: no time decides a test. A cell that is not there has its reason below the table.
"""

from __future__ import annotations

import pytest

from harness.pythons import MINORS, Python, find_pythons, pythons_with_gil
from harness.report import Table
from harness.session import Session
from harness.targets import STATES, start_in_state

PYTHONS = pythons_with_gil()


@pytest.fixture(scope="module")
def matrix(tables: dict[str, Table]) -> Table:
    table = Table("attach matrix: ms from asking to the first stack", corner="target")
    tables["attach matrix"] = table
    found = find_pythons()
    for minor in MINORS:
        if minor in found.missing:
            table.notes.append(f"no row for 3.{minor}: {found.missing[minor]}")
    table.notes += [
        f"no row for {python.label}: free-threaded builds are refused"
        for python in found.present
        if python.is_free_threaded
    ]
    return table


@pytest.mark.attach
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.label)
def test_attach(python: Python, state: str, matrix: Table) -> None:
    matrix.put(python.label, state, "FAILED")
    with start_in_state(python, state) as target:
        with Session(target.pid) as session:
            took_ms = session.wait_for_function(STATES[state].function) * 1e3
            assert session.ready.python_version == python.version
            session.set_rate(1000)
            if not STATES[state].is_waiting:
                session.wait_for_samples(20)
            session.detach()
        target.finish()
    matrix.put(python.label, state, f"{took_ms:.0f}")


@pytest.mark.attach
def test_no_cell_is_absent(matrix: Table, request: pytest.FixtureRequest) -> None:
    """Every version from 3.9 to 3.15 is in the table or has a reason for not being there."""
    asked = {item.name for item in request.session.items if item.name.startswith("test_attach[")}
    if len(asked) < len(PYTHONS) * len(STATES):
        pytest.skip("only a part of the matrix was asked for")
    assert matrix.find_absent() == []
    rows = {python.minor for python in PYTHONS}
    unexplained = [
        minor for minor in MINORS if minor not in rows and not find_pythons().missing.get(minor)
    ]
    assert unexplained == []
