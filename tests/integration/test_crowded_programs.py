"""Programs of thousands of threads: what is sampled while the engine still arms them."""

from __future__ import annotations

import pytest

from harness.matrix import some_pythons
from harness.pythons import Python
from harness.session import Session, SessionError
from harness.targets import Target

pytestmark = pytest.mark.attach

N_THREADS, HZ = 3000, 100
DECISIVE_NS = 80_000_000  # of CPU time while they were armed: eight periods
MOST_TRIES = 10


@some_pythons
def test_a_busy_thread_ticks_while_the_others_are_armed(python: Python) -> None:
    """The first status comes when all of them are. A thread's first tick is after a random part of
    a period; without the full period, which follows it, there would be no other."""
    with Target(python, "crowded.py") as target:
        for _ in range(MOST_TRIES):
            with Session(target.pid, hz=HZ) as session:
                while session.status.n_threads < N_THREADS:
                    session.wait_for_status()
                used_ns, n_samples = session.status.process_cpu_ns, session.status.n_samples
                session.detach()
            if used_ns >= DECISIVE_NS:
                assert n_samples >= used_ns * HZ / 1e9 / 3
                break
        else:
            raise SessionError(f"all were armed within {used_ns} ns of CPU time")
        target.finish()
