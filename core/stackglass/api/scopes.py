"""Profiles of a block of code: ``with stackglass.cpu_profile("cpu.pb.gz"): …``, or a decorator.

The file is written when the block ends, also by an exception. A profile that was on already goes
on after it; the file then has only what the block added.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Callable

from stackglass.api import output as outputs
from stackglass.api.builtin import Take
from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.output import Output, Writer
from stackglass.api.rates import Rates
from stackglass.wire import recorded_profiles
from stackglass.wire.delta import subtract
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.rates import DEFAULT


class _Scope(ContextDecorator):
    """A block of code that is profiled. Each call of a decorated function is a block by itself."""

    def __init__(self, begin: Callable[[], Callable[[], None]]) -> None:
        """``begin`` returns what ends the block."""
        self._begin = begin
        self._end: Callable[[], None] | None = None

    def _recreate_cm(self) -> _Scope:  # contextlib asks for it before each call
        return _Scope(self._begin)

    def __enter__(self) -> None:
        self._end = self._begin()

    def __exit__(self, *_: object) -> None:
        end, self._end = self._end, None
        if end is not None:
            end()


class Scopes:
    """The context managers of one engine."""

    __slots__ = ("_cpu", "_rates", "_take")

    def __init__(self, cpu: CpuProfiler, rates: Rates, take: Take) -> None:
        self._cpu = cpu
        self._rates = rates
        self._take = take

    def cpu_profile(self, output: Output, hz: int | None = None) -> _Scope:
        """The CPU time of a block of code, of all threads."""

        def begin() -> Callable[[], None]:
            self._cpu.start(output, hz)
            return self._cpu.stop

        return _Scope(begin)

    def wall_profile(self, output: Output, hz: int = DEFAULT.wall_hz) -> _Scope:
        """All threads during a block of code by the wall clock, running or not, with their states.
        Not while a CPU profile runs."""

        def begin() -> Callable[[], None]:
            self._cpu.start_wall(output, hz)
            return self._cpu.stop

        return _Scope(begin)

    def heap_profile(self, output: Output, rate_bytes: int = DEFAULT.heap_rate) -> _Scope:
        """What a block of code allocates; what of it is in use at the end is shown first."""
        return self._scope("heap", "heap", output, rate_bytes)

    def allocs_profile(self, output: Output, rate_bytes: int = DEFAULT.heap_rate) -> _Scope:
        """What a block of code allocates, whether it is in use at the end or not."""
        return self._scope("allocs", "heap", output, rate_bytes)

    def block_profile(self, output: Output, rate_ns: int = 1) -> _Scope:
        """Waits for locks during a block of code; ``rate_ns`` as ``set_block_profile_rate``."""
        return self._scope("block", "block", output, rate_ns)

    def mutex_profile(self, output: Output, fraction: int = 1) -> _Scope:
        """Holders of locks that others waited for during a block of code."""
        return self._scope("mutex", "mutex", output, fraction)

    def gil_profile(self, output: Output, hz: int = 100) -> _Scope:
        """Holders of the GIL while others waited for it, during a block of code."""
        return self._scope("gil", "gil", output, hz)

    def _scope(self, profile: str, rate: str, output: Output, value: int) -> _Scope:
        def begin() -> Callable[[], None]:
            target = outputs.settle(output)
            is_first = not self._rates.are_any
            earlier = None if is_first else self._build(profile)
            old = self._rates.set(rate, value)
            return lambda: self._end(profile, rate, target, None if is_first else old, earlier)

        return _Scope(begin)

    def _build(self, profile: str) -> ProfileTables:
        return recorded_profiles.build(profile, self._take(profile))

    def _end(
        self,
        profile: str,
        rate: str,
        target: str | Writer,
        old: int | None,
        earlier: ProfileTables | None,
    ) -> None:
        """``old`` None: nothing was on before."""
        try:
            tables = self._build(profile)
        finally:
            if old is None:
                self._rates.withdraw()
            else:
                self._rates.set(rate, old)
        if earlier is not None:
            tables = subtract(tables, earlier)
        outputs.write(target, encode_file(tables))
