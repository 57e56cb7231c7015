"""A CPU profile of this very program: Go's ``StartCPUProfile`` and ``StopCPUProfile``.

One profile at a time::

    off ──start──▶ running ──stop──▶ writing ──▶ off

The engine keeps its samples in this process's memory; ``stop`` makes the file of them and returns
when it is complete. Other clients may be attached meanwhile: rates are the process's, the last
change wins, and every client gets all samples. A program that ends without ``stop`` writes nothing.
A forked child does not continue the profile, and may start its own.
"""

from __future__ import annotations

import _thread
import os
import time
from typing import Protocol

from stackglass.api import output as outputs
from stackglass.api.output import Output, Writer
from stackglass.api.whole_numbers import read_whole
from stackglass.errors import EngineError
from stackglass.named_tuple import NamedTuple
from stackglass.wire import framing, reader
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.rates import DEFAULT, MOST
from stackglass.wire.recording import Recording

MAX_ASKED_HZ = 1_000_000  # Go's limit on what may be asked


class Engine(Protocol):
    """The part of the extension that runs a session in this process."""

    def session_start(self, hz: int, clock: str, wall_hz: int, /) -> None:
        """Begin to sample; ``wall_hz`` 0 = no wall samples. Raises RuntimeError, or BlockingIOError
        if a profile runs already, with a sentence that says why not."""

    def session_stop(self) -> bytes | None:
        """End it; every frame of FromEngine messages since the start. None: it was not on. Raises
        MemoryError if they became too many."""


class _Running(NamedTuple):
    output: str | Writer
    hz: int
    pid: int
    start_mono_ns: int
    is_wall: bool


class CpuProfiler:
    """The state machine above. Any thread; ``_guard`` guards every change of a field."""

    __slots__ = ("_engine", "_guard", "_next_hz", "_running")

    def __init__(self, engine: Engine) -> None:
        # _thread's, not threading's: the latter may have been replaced by a green one. A signal
        # handler may start or stop a profile while its own thread is doing so.
        self._guard = _thread.RLock()
        self._engine = engine
        self._running: _Running | None = None
        self._next_hz = DEFAULT.cpu_hz

    @property
    def is_running(self) -> bool:
        """Whether a profile is on."""
        return self._find_running() is not None

    def reset_after_fork(self) -> None:
        """In a forked child: another thread of the parent may have had the lock."""
        self._guard = _thread.RLock()

    def read_rate(self) -> int:
        """What ``set_cpu_profile_rate`` has set."""
        return self._next_hz

    def set_rate(self, hz: int) -> int:
        """The rate of profiles that are started without one; below 0 is 0, off. Returns the old
        rate.

        Raises EngineError while a profile runs: one profile has one rate.
        """
        with self._guard:
            if self._find_running() is not None:
                raise EngineError(
                    "the rate cannot be changed while a CPU profile runs",
                    "stop_cpu_profile() first",
                )
            old, self._next_hz = self._next_hz, clamp_rate(hz)
        return old

    def start(self, output: Output, hz: int | None = None) -> None:
        """Begin a profile that ``stop`` will write to ``output``, a path or a binary file.

        Raises EngineError if one runs already, which then is as it was; OutputError if the path
        cannot be written.
        """
        self._start(output, hz)

    def start_wall(self, output: Output, hz: int) -> None:
        """The same for a profile of all threads by the wall clock, ``hz`` samples a second of each;
        running threads are sampled at the rate of CPU profiles."""
        wall_hz = read_whole("the rate of a wall profile", hz)
        self._start(output, None, max(1, min(wall_hz, MOST.wall_hz)))

    def _start(self, output: Output, hz: int | None, wall_hz: int = 0) -> None:
        target = outputs.settle(output)
        with self._guard:
            if self._find_running() is not None:
                raise EngineError(
                    "the CPU profiler is already in use",
                    "a process has one CPU or wall profile at a time; stop_cpu_profile(), or the "
                    "end of the block that began it, ends the one that runs",
                )
            hz = min(self._next_hz if hz is None else clamp_rate(hz), MOST.cpu_hz)
            running = _Running(target, hz, os.getpid(), time.monotonic_ns(), wall_hz > 0)
            self._running = running  # now: Ctrl+C may come as the engine has started it
            try:
                self._engine.session_start(hz, "auto", wall_hz)
            except (RuntimeError, BlockingIOError) as error:
                self._running = None
                raise EngineError(f"a CPU profile cannot be started: {error}") from error
            if self._running is running:  # else a signal handler has ended it
                self._running = running._replace(start_mono_ns=time.monotonic_ns())

    def stop(self) -> None:
        """End the profile; returns when all of it is written. Nothing runs: nothing happens.

        Raises OutputError, whatever the binary file raises, and MemoryError if the engine had no
        memory for the samples.
        """
        ended = self._end()
        if ended is not None:
            running, tables = ended
            # The program's own write() does not run under the lock.
            outputs.write(running.output, encode_file(tables))

    def stop_and_build(self) -> ProfileTables | None:
        """The same, but the profile is returned as tables, and nothing is written."""
        ended = self._end()
        return ended[1] if ended is not None else None

    def _end(self) -> tuple[_Running, ProfileTables] | None:
        with self._guard:
            running, self._running = self._find_running(), None
            content = self._engine.session_stop() if running else None
            if running is None or content is None:
                return None
        recording = _read_session(content, running)
        return running, recording.build_wall() if running.is_wall else recording.build()

    def _find_running(self) -> _Running | None:
        """The profile that runs; None if there is none. One that a forked child has inherited is
        its parent's."""
        running = self._running
        return running if running is not None and running.pid == os.getpid() else None


def clamp_rate(hz: int) -> int:
    """0 … 1 000 000, as Go does. The sampler is started with 10 000 at most. Raises TypeError."""
    return max(0, min(read_whole("the rate of a CPU profile", hz), MAX_ASKED_HZ))


def _read_session(content: bytes, running: _Running) -> Recording:
    recording = Recording(running.hz, running.start_mono_ns)
    frames = framing.FrameReader(max_bytes=max(len(content), 1))
    for message in map(reader.decode, frames.feed(content)):
        if message is not None:
            recording.add(message)
    frames.finish()
    return recording
