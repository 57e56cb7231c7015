"""Sessions with every profile at a high rate, for as long as a process lives."""

from __future__ import annotations

import threading
import time

from harness.session import Session
from stackglass.errors import StackglassError
from stackglass.wire import requests

HZ = 1000
HEAP_RATE = 4096
GIL_HZ = 100
PROFILES = ("cpu", "heap", "locks", "gil")


def ask_for(session: Session, profiles: tuple[str, ...]) -> None:
    """Ask for profiles at the highest rates that people use, and do not wait."""
    if "heap" in profiles:
        session._connection.send(requests.encode_set_heap_rate(HEAP_RATE, True))
    if "locks" in profiles or "gil" in profiles:
        locks = int("locks" in profiles)
        gil_hz = GIL_HZ if "gil" in profiles else 0
        session._connection.send(
            requests.encode_set_contention_rates(locks, locks, gil_hz, bool(locks), None)
        )


class Visitor:
    """Attaches to a process, stays with every profile until it ends. Close it."""

    def __init__(self, pid: int, after_s: float) -> None:
        self.refusal = ""
        self.n_samples = 0
        self._pid = pid
        self._after_s = after_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._stay)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _stay(self) -> None:
        if self._stop.wait(self._after_s):
            return
        try:
            with Session(self._pid, hz=HZ) as session:
                ask_for(session, PROFILES)
                while not session.is_at_end and not self._stop.is_set():
                    session.read_for(0.1)
                self.n_samples = session.n_samples
        except StackglassError as error:
            self.refusal = str(error)


def come_and_go(pid: int, profile: str, n_turns: int, end_s: float) -> int:
    """Attach and detach with one profile, so often or until the clock says so; how often."""
    for turn in range(n_turns):
        if time.monotonic() > end_s:
            return turn
        with Session(pid, hz=HZ if profile == "cpu" else 0) as session:
            ask_for(session, (profile,))
            session.read_for(0.05)
            session.detach()
    return n_turns
