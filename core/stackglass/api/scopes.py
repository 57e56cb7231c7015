"""Profiles of a block of code: ``with stackglass.cpu_profile("cpu.pb.gz"): …``, or a decorator.

The file is written when the block ends, also by an exception, and has only what the block added. A
profile that was on already goes on after it. Blocks of several threads may overlap. A child that is
forked in a block writes no file of it.
"""

from __future__ import annotations

import os
from typing import Callable, TypeVar

from stackglass.api import output as outputs
from stackglass.api.builtin import Exempt, Take, build_recorded
from stackglass.api.cpu_profile import CpuProfiler
from stackglass.api.decorated_functions import decorate
from stackglass.api.output import Output
from stackglass.api.temporary_rates import TemporaryRates
from stackglass.wire.delta import subtract
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.rates import DEFAULT

_F = TypeVar("_F", bound=Callable[..., object])


class _Scope:
    """Context manager that profiles a block of code. As a decorator of a function or a coroutine
    function, it profiles each call."""

    __slots__ = ("_begin", "_end")

    def __init__(self, begin: Callable[[], Callable[[], None]]) -> None:
        """``begin`` starts the profile, and returns the function that ends and writes it."""
        self._begin = begin
        self._end: Callable[[], None] | None = None

    def __call__(self, function: _F) -> _F:
        """Raises TypeError for a generator function."""
        return decorate("a profile", lambda: _Scope(self._begin), function)

    def __enter__(self) -> None:
        self._end = self._begin()

    def __exit__(self, *_: object) -> None:
        end, self._end = self._end, None
        if end is not None:
            end()


class Scopes:
    """The context managers of one engine."""

    __slots__ = ("_cpu", "_take", "_temporary")

    def __init__(self, cpu: CpuProfiler, temporary: TemporaryRates, take: Take) -> None:
        self._cpu = cpu
        self._temporary = temporary
        self._take = take

    def cpu_profile(self, output: Output, hz: int | None = None) -> _Scope:
        """Profile the CPU time of all threads during a block of code; ``hz`` as
        ``start_cpu_profile``."""

        def begin() -> Callable[[], None]:
            self._cpu.start(output, hz)
            return self._cpu.stop

        return _Scope(begin)

    def wall_profile(self, output: Output, hz: int = DEFAULT.wall_hz) -> _Scope:
        """Profile all threads by the wall clock during a block of code, running or not, with their
        states, ``hz`` times a second, at least once. The block's start raises EngineError while a
        CPU profile runs."""

        def begin() -> Callable[[], None]:
            self._cpu.start_wall(output, hz)
            return self._cpu.stop

        return _Scope(begin)

    def heap_profile(self, output: Output, rate_bytes: int = DEFAULT.heap_rate) -> _Scope:
        """Profile what a block of code allocates; the memory in use at its end is shown first."""
        return self._scope("heap", "heap", output, rate_bytes)

    def allocs_profile(self, output: Output, rate_bytes: int = DEFAULT.heap_rate) -> _Scope:
        """Profile what a block of code allocates, in use at its end or not."""
        return self._scope("allocs", "heap", output, rate_bytes)

    def block_profile(self, output: Output, rate_ns: int = 1) -> _Scope:
        """Profile waits for locks during a block of code; ``rate_ns`` as
        ``set_block_profile_rate``."""
        return self._scope("block", "block", output, rate_ns)

    def mutex_profile(self, output: Output, fraction: int = 1) -> _Scope:
        """Profile the holders of locks that others waited for during a block of code."""
        return self._scope("mutex", "mutex", output, fraction)

    def gil_profile(self, output: Output, hz: int = 100) -> _Scope:
        """Profile the holders of the GIL while others waited for it, during a block of code."""
        return self._scope("gil", "gil", output, hz)

    def threadcreate_profile(self, output: Output) -> _Scope:
        """Profile the stacks that start threads during a block of code; a second column counts
        those threads that are alive at its end."""
        return self._scope("threadcreate", "threadcreate", output, 1)

    def _scope(self, profile: str, rate: str, output: Output, value: int) -> _Scope:
        def begin() -> Callable[[], None]:
            target, pid = outputs.settle(output), os.getpid()
            number = self._temporary.begin(rate, value)
            try:
                # Even in the first block: a viewer may have recorded before.
                earlier, engine_began_ns = build_recorded(profile, self._take)
            except BaseException:
                self._temporary.end(rate, number)
                raise

            def end() -> None:
                if pid != os.getpid():
                    return
                try:
                    with Exempt():
                        tables, later_began_ns = build_recorded(profile, self._take)
                        # The code may have withdrawn the rates: if another engine has begun
                        # since, all that it recorded is new.
                        if later_began_ns == engine_began_ns:
                            tables = subtract(tables, earlier)
                        content = encode_file(tables)
                finally:
                    self._temporary.end(rate, number)
                outputs.write(target, content)

            return end

        return _Scope(begin)
