"""The program's own rates, which it requests from the engine in its process.

Rates belong to the process: of all clients, the last request decides. A program that sets a
rate keeps the engine until it withdraws; a rate of 0 stops recording and keeps the data so far.
A forked child has no rates.
"""

from __future__ import annotations

import _thread
import os

from stackglass.api.own_engine import ProgramEngine
from stackglass.api.whole_numbers import read_whole
from stackglass.errors import EngineError
from stackglass.wire.rates import MOST

_MOST = {
    "heap": MOST.heap_rate,
    "block": MOST.block_rate_ns,
    "mutex": MOST.mutex_fraction,
    "gil": MOST.gil_hz,
    "threadcreate": 1,
}
"""The largest value of each rate; a larger value counts as this one."""


class ProgramRates:
    """The values of the rates, by the name of the profile. Any thread; ``_guard`` is held while a
    rate is set, so that the values agree with the engine's."""

    __slots__ = ("_engine", "_guard", "_n_withdrawals", "_pid", "_values")

    def __init__(self, engine: ProgramEngine) -> None:
        self._engine = engine
        self._values: dict[str, int] = {}
        self._pid = os.getpid()
        self._n_withdrawals = 0
        # _thread's, not threading's, which gevent may have replaced.
        self._guard = _thread.RLock()  # a signal handler may set a rate, too

    @property
    def n_withdrawals(self) -> int:
        """How often all rates were withdrawn. Data that was recorded before the last time is
        gone."""
        return self._n_withdrawals

    def list_names(self) -> set[str]:
        """Return the rates that the program has set, even to 0, and not withdrawn since."""
        return set(self._find_values())

    def read(self, name: str) -> int:
        """Return the rate that the program has requested; 0 = none. The rate in force may be
        another client's."""
        return self._find_values().get(name, 0)

    def set(self, name: str, value: int) -> int:
        """Request a rate, and return the old one. Returns when the new one is in force.

        Raises EngineError if nothing can be recorded at the rate; the request is then withdrawn.
        Raises TypeError, and changes nothing, if the value is no whole number.
        """
        value = min(max(read_whole(f"the rate of {name}", value), 0), _MOST[name])
        self._find_values()
        with self._guard:
            return self._set(name, value)

    def _set(self, name: str, value: int) -> int:
        values = self._find_values()
        old = values.get(name, 0)
        if not value and name not in values:
            return old  # so that the engine is not started for nothing
        values[name] = value  # first: if Ctrl+C comes meanwhile, the engine may have it
        try:
            self._engine.set_own_rate(name, value)
        except RuntimeError as error:
            values[name] = 0
            raise EngineError(f"the {name} profile cannot be recorded: {error}") from error
        return old

    def withdraw(self) -> None:
        """Withdraw all requests. Without another client the engine leaves, and drops its data."""
        self._find_values()
        with self._guard:
            self._withdraw()

    def _withdraw(self) -> None:
        values = self._find_values()
        if not values:
            return
        values.clear()
        self._n_withdrawals += 1
        try:
            self._engine.withdraw()
        except RuntimeError as error:
            raise EngineError(f"cannot turn off this program's rates: {error}") from error

    def _find_values(self) -> dict[str, int]:
        """Return the values. In a forked child they are reset, and so is the lock, which another
        thread of the parent may have held."""
        if self._pid != os.getpid():
            self._pid, self._values, self._guard = os.getpid(), {}, _thread.RLock()
        return self._values

    def set_heap_profile_rate(self, rate_bytes: int) -> int:
        """Sample one allocation in so many bytes on average; 1 = all, 0 or less = none.

        Returns the old rate. Go's ``MemProfileRate``, changeable at any time.
        """
        return self.set("heap", rate_bytes)

    def heap_profile_rate(self) -> int:
        """Return what ``set_heap_profile_rate`` has set."""
        return self.read("heap")

    def set_block_profile_rate(self, rate_ns: int) -> int:
        """Record every wait for a lock of at least so many ns, shorter ones in proportion; 1 = all,
        0 or less = none, as in Go. Returns the old rate."""
        return self.set("block", rate_ns)

    def block_profile_rate(self) -> int:
        """Return what ``set_block_profile_rate`` has set."""
        return self.read("block")

    def set_mutex_profile_fraction(self, fraction: int) -> int:
        """Record one in so many of the releases that other threads waited for; 1 = all, 0 = none.

        Returns the old fraction. A negative one changes nothing, as in Go.
        """
        fraction = read_whole("the fraction of mutex", fraction)
        return self.set("mutex", fraction) if fraction >= 0 else self.read("mutex")

    def mutex_profile_fraction(self) -> int:
        """Return what ``set_mutex_profile_fraction`` has set."""
        return self.read("mutex")

    def set_gil_profile_rate(self, hz: int) -> int:
        """Sample the holder of the GIL so many times a second while others wait; 0 or less = never,
        1000 at most. Returns the old rate."""
        return self.set("gil", hz)

    def gil_profile_rate(self) -> int:
        """Return what ``set_gil_profile_rate`` has set."""
        return self.read("gil")

    def set_threadcreate_profile_rate(self, rate: int) -> int:
        """Record the stack that starts each thread, which every other rate does, too. Above 0 = all
        threads; 0 or less = this rate is off. Returns the old rate."""
        return self.set("threadcreate", rate)

    def threadcreate_profile_rate(self) -> int:
        """Return what ``set_threadcreate_profile_rate`` has set."""
        return self.read("threadcreate")
