"""A CPU profile of this very program: Go's ``StartCPUProfile`` and ``StopCPUProfile``.

One profile at a time::

    off ──start──▶ running ──stop──▶ writing ──▶ off

The engine keeps the samples in this process's memory; ``stop`` writes them to the file and returns
when it is complete. ``build_so_far`` reads them earlier, and does not disturb the profile. Other
clients may be attached meanwhile: rates are the process's, the last change wins, and every client
gets all samples. A program that ends without ``stop`` writes nothing. A forked child does not
continue the profile, and may start its own.
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
from stackglass.wire import framing, reader
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.rates import DEFAULT, MOST
from stackglass.wire.recording import Recording

MAX_REQUESTED_HZ = 1_000_000  # Go's limit on the rate that a program may request
_OFF = "no samples: the rate of this CPU profile is 0 Hz, which is off"


class SelfProfileEngine(Protocol):
    """The part of the extension that runs a profile of this process."""

    def self_profile_start(self, hz: int, clock: str, wall_hz: int, /) -> None:
        """Start sampling; ``wall_hz`` 0 = no wall samples. Raises RuntimeError, or BlockingIOError
        if a profile runs already, with a sentence that says why not."""

    def self_profile_take(self) -> bytes | None:
        """Return the framed FromEngine messages since the last call, and sample on; None = no
        profile runs. Raises MemoryError if the messages became too many."""

    def self_profile_stop(self) -> bytes | None:
        """Stop sampling. Returns the messages since they were last taken; None = no profile ran.
        Raises MemoryError if they became too many."""


class _Running:
    """The profile that runs, and its samples that were read so far."""

    __slots__ = (
        "_recording",
        "hz",
        "is_read",
        "is_stop_wanted",
        "is_wall",
        "output",
        "pid",
        "start_mono_ns",
    )

    def __init__(self, output: str | Writer, hz: int, is_wall: bool) -> None:
        self.output = output
        self.hz = hz
        self.is_wall = is_wall
        self.pid = os.getpid()
        self.start_mono_ns = time.monotonic_ns()
        self.is_read = False  # a thread reads samples
        self.is_stop_wanted = False  # a signal handler of that thread has called `stop`
        self._recording: Recording | None = None

    def build(self, content: bytes, is_wall: bool) -> ProfileTables:
        """Add messages of the engine. Returns all samples so far as tables. A CPU profile at the
        rate 0 says in a comment why it is empty."""
        recording = self._read(content)
        if is_wall:
            return recording.build_wall()
        tables = recording.build()
        if self.hz:
            return tables
        return tables._replace(comments=(*tables.comments, _OFF))

    def _read(self, content: bytes) -> Recording:
        if self._recording is None:
            self._recording = Recording(self.hz, self.start_mono_ns)
        frames = framing.FrameReader(max_bytes=max(len(content), 1))
        for message in map(reader.decode, frames.feed(content)):
            if message is not None:
                self._recording.add(message)
        frames.finish()
        return self._recording


class CpuProfiler:
    """Starts and stops a profile, as drawn above. Any thread; ``_guard`` guards every change of a
    field."""

    __slots__ = ("_engine", "_guard", "_next_hz", "_running")

    def __init__(self, engine: SelfProfileEngine) -> None:
        # _thread's, not threading's, which gevent may have replaced. A signal
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
        """Replace the lock in a forked child: another thread of the parent may have held it."""
        self._guard = _thread.RLock()

    def read_rate(self) -> int:
        """Return the rate that ``set_cpu_profile_rate`` has set, in Hz."""
        return self._next_hz

    def set_rate(self, hz: int) -> int:
        """Set the rate, in Hz, of profiles that are started without one; below 0 counts as 0, off.
        Returns the old rate.

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
        """Begin a profile that ``stop`` will write to ``output``, a path or a binary file. Without
        ``hz`` it has the rate that ``set_cpu_profile_rate`` has set. A rate of 0 or less is off, as
        in Go's ``SetCPUProfileRate``: the file has no samples, and a comment that says so.

        Raises EngineError if a profile runs already, which then goes on; OutputError if the path
        cannot be written.
        """
        self._start(output, hz)

    def start_wall(self, output: Output, hz: int) -> None:
        """Begin, as ``start`` does, a profile of all threads by the wall clock: each thread is
        sampled ``hz`` times a second, and while it runs, at the rate of CPU profiles. ``hz`` below
        1 counts as 1."""
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
            running = _Running(target, hz, wall_hz > 0)
            self._running = running  # first: Ctrl+C may come once the engine has started
            try:
                self._engine.self_profile_start(hz, "auto", wall_hz)
            except (RuntimeError, BlockingIOError) as error:
                self._running = None
                raise EngineError(f"a CPU profile cannot be started: {error}") from error
            running.start_mono_ns = time.monotonic_ns()

    def stop(self) -> None:
        """End the profile; returns when all of it is written. Does nothing if no profile runs. A
        signal handler that interrupts ``build_so_far`` returns at once, and that writes it.

        Raises OutputError, whatever the binary file raises, and MemoryError if the engine had no
        memory for the samples.
        """
        ended = self._end()
        if ended is not None:
            running, tables = ended
            # The program's own write() does not run under the lock.
            outputs.write(running.output, encode_file(tables))

    def stop_and_build(self) -> ProfileTables | None:
        """End the profile and return it as tables, without writing it; None = no profile runs."""
        ended = self._end()
        return ended[1] if ended is not None else None

    def build_so_far(self, is_wall: bool) -> ProfileTables | None:
        """Return what the profile has so far as tables, and let it run on; None = no profile runs,
        or with ``is_wall`` none by the wall clock.

        An exception that interrupts it, such as KeyboardInterrupt, ends the profile without a file.
        Raises MemoryError if the engine had no memory for the samples, EngineError if a signal
        handler calls it while its own thread reads the profile.
        """
        with self._guard:
            running = self._find_running()
            if running is None or (is_wall and not running.is_wall):
                return None
            if running.is_read:
                raise EngineError("the signal handler has interrupted code that reads the profile")
            content = self._engine.self_profile_take()
            if content is None:
                return None
            running.is_read = True
            try:
                tables = running.build(content, is_wall)
            except BaseException:
                # Messages may be missing now, to which later ones refer.
                self._running = None
                self._engine.self_profile_stop()
                raise
            running.is_read = False
        if running.is_stop_wanted:
            self.stop()
        return tables

    def _end(self) -> tuple[_Running, ProfileTables] | None:
        with self._guard:
            running = self._find_running()
            if running is not None and running.is_read:
                running.is_stop_wanted = True
                return None
            self._running = None
            content = self._engine.self_profile_stop() if running else None
            if running is None or content is None:
                return None
        return running, running.build(content, running.is_wall)

    def _find_running(self) -> _Running | None:
        """Return the profile that runs; None if there is none. A forked child does not run the
        profile of its parent."""
        running = self._running
        return running if running is not None and running.pid == os.getpid() else None


def clamp_rate(hz: int) -> int:
    """Limit a rate to 0 … 1 000 000 Hz, as Go does. ``start`` samples at 10 000 Hz at most. Raises
    TypeError."""
    return max(0, min(read_whole("the rate of a CPU profile", hz), MAX_REQUESTED_HZ))
