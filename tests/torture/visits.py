"""Sessions with profiles at high rates, once for a process's whole life or again and again."""

from __future__ import annotations

import threading
import time

from harness.session import PATIENCE_S, Session, SessionError
from stackglass.errors import StackglassError
from stackglass.wire import requests

HZ = 1000
HEAP_RATE = 4096
GIL_HZ = 1000  # the most that there is
WALL_HZ = 1000  # the most that there is
NATIVE = "native"  # CPU samples whose stacks have C frames
MEMORY = "memory"  # the trace of every allocation and free
PROFILES = ("cpu", "wall", "heap", "locks", "gil", NATIVE, MEMORY)
CUSTOM = "custom"  # the profiles that the program fills, where it has any
VARIABLES = ("__main__:REQUEST",)  # labels, where a program has such a context variable


class ProfileRefusedError(StackglassError):
    """The engine is in the process, but refuses a profile; the message has the reason."""


def ask_for(session: Session, profiles: tuple[str, ...]) -> None:
    """Request profiles at the highest usual rates, and do not wait."""
    if "cpu" in profiles or "wall" in profiles:
        session._connection.send(requests.encode_label_variables(VARIABLES))
    if "wall" in profiles:
        session._connection.send(requests.encode_set_wall_rate(WALL_HZ))
    if NATIVE in profiles:
        session._connection.send(requests.encode_set_native_stacks(True))
    if MEMORY in profiles:
        session._connection.send(requests.encode_set_memory_trace(True))
    if CUSTOM in profiles:
        session._connection.send(requests.encode_take_custom_profiles())
    if "heap" in profiles:
        session._connection.send(requests.encode_set_heap_rate(HEAP_RATE, True))
    if "locks" in profiles or "gil" in profiles:
        locks = int("locks" in profiles)
        gil_hz = GIL_HZ if "gil" in profiles else 0
        session._connection.send(
            requests.encode_set_contention_rates(locks, locks, gil_hz, bool(locks), None)
        )


def find_refusal(session: Session) -> str:
    """Return the engine's reason why a requested profile is not recorded; "" = none."""
    heap, contention = session.heap.status, session.contention.status
    problems = [heap.problem] if heap else []
    # Until this rate is in force, the reason may be from an earlier session.
    problems += [heap.native_problem] if heap and heap.rate == HEAP_RATE else []
    problems += [session.status.native_problem]
    problems += [session.trace.problem] if session.trace else []
    if contention:
        problems += [contention.problem]
        problems += [contention.gil_problem] if contention.gil_hz else []
    return "; ".join(problem for problem in problems if problem)


def is_recording(session: Session, profile: str) -> bool:
    """Whether the engine has reported that a requested profile is in force."""
    heap, contention = session.heap.status, session.contention.status
    if profile == "cpu":
        return session.rates is not None and session.rates.cpu_hz == HZ
    if profile == "wall":
        return session.rates is not None and session.rates.wall_hz == WALL_HZ
    if profile == NATIVE:
        return bool(session.status.is_native_ready)
    if profile == MEMORY:
        return session.trace is not None and not session.trace.problem
    if profile == CUSTOM:
        return session.custom is not None
    if profile == "heap":
        return heap is not None and heap.rate == HEAP_RATE and heap.start_mono_ns > 0
    if profile == "locks":
        return contention is not None and contention.block_rate_ns == 1 and not contention.problem
    return contention is not None and contention.gil_hz == GIL_HZ


class Visitor:
    """Attaches to a process, and records these profiles until it ends. Close it."""

    def __init__(self, pid: int, profiles: tuple[str, ...], after_s: float) -> None:
        self.refusal = ""
        self.n_samples = 0
        self.n_events = 0  # of the memory trace
        self.recorded: frozenset[str] = frozenset()  # the profiles that were in force
        self.covered_s = 0.0  # from the attach to the end of the session
        self.last_words = ""  # the engine's reason for its end
        self._pid = pid
        self._profiles = profiles
        self._after_s = after_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._stay)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _stay(self) -> None:
        if self._stop.wait(self._after_s):
            self.refusal = "it ended before the attach"
            return
        try:
            with Session(self._pid, hz=HZ) as session:
                self._watch(session)
        except StackglassError as error:
            self.refusal = str(error)

    def _watch(self, session: Session) -> None:
        began_s = time.monotonic()
        ask_for(session, self._profiles)
        while not session.is_at_end and not self._stop.is_set():
            session.read_for(0.1)
            self.recorded |= {
                profile for profile in self._profiles if is_recording(session, profile)
            }
            self.refusal = self.refusal or find_refusal(session)
            self.n_samples = session.n_samples
            self.n_events = session.trace.n_events if session.trace else 0
            self.covered_s = time.monotonic() - began_s
        self.last_words = session.bye.reason if session.bye else ""


def come_and_go(pid: int, profile: str, n_turns: int, end_s: float) -> int:
    """Attach and detach with one profile, ``n_turns`` times or until ``end_s``. Returns how often.

    Every other turn waits until the profile is in force; the others leave at any moment. Raises
    StackglassError for a refusal, SessionError if a profile never begins.
    """
    for turn in range(n_turns):
        if turn and time.monotonic() > end_s:
            return turn
        with Session(pid, hz=HZ if profile in ("cpu", NATIVE) else 0) as session:
            ask_for(session, (profile,))
            session.read_for(0.05)
            if turn % 2 == 0:
                wait_until_recording(session, profile)
            session.detach()
    return n_turns


def wait_until_recording(session: Session, profile: str) -> None:
    """Wait for a profile. Raises ProfileRefusedError, or SessionError if it is late."""
    end_s = time.monotonic() + PATIENCE_S
    while not is_recording(session, profile):
        refusal = find_refusal(session)
        if refusal:
            raise ProfileRefusedError(refusal)
        if session.is_at_end or time.monotonic() > end_s:
            raise SessionError(f"{profile} is not recorded; {session.bye}")
        session.read_for(0.02)
