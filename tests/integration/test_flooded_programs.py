"""Random stops and floods of signals while the engine comes, works and leaves."""

from __future__ import annotations

import pytest
from torture.visits import ask_for

from harness.flood import Flood
from harness.matrix import PYTHONS, choose_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target

N_TURNS = 6


@pytest.mark.attach
@pytest.mark.timeout(300)
@choose_pythons(PYTHONS, PYTHONS)
def test_no_signal_is_lost_and_nothing_stands_still(python: Python) -> None:
    """No entry is refused: the program is stopped for moments only."""
    with Target(python, "flooded.py") as target:
        with Flood(target.pid) as flood:
            for _ in range(N_TURNS):
                with Session(target.pid, hz=1000) as session:
                    ask_for(session, ("cpu", "wall", "heap", "locks", "gil"))
                    session.wait_for_samples(20)
                    session.detach()
                    session.wait_for_end()
        last = target.finish()
        assert target.read_errors() == ""
    assert flood.n_stops > 0
    assert (last["queued"], last["fetched"]) == (flood.n_queued, flood.n_queued)
    assert min(last["least"], last["children"]) > 0
