"""A CPU profile of this very program: Go's ``StartCPUProfile`` and ``StopCPUProfile``.

One profile at a time::

    off ──start──▶ running ──stop──▶ writing ──▶ off

The engine keeps its samples in this process's memory; ``stop`` makes the file of them and returns
when it is whole. An ordinary client can be attached in the meantime or not: not both at once.
"""

from __future__ import annotations

import _thread
from typing import BinaryIO, NamedTuple, Protocol, Union

from stackglass.errors import EngineError
from stackglass.wire import framing, profile_file, reader
from stackglass.wire.pprof import encode, pack
from stackglass.wire.recording import Recording

DEFAULT_HZ = 100
MAX_ASKED_HZ = 1_000_000  # Go's limit on what may be asked
MAX_HZ = 10_000  # what the sampler does at most

Output = Union[str, BinaryIO]


class Engine(Protocol):
    """The part of the extension that runs a session in this process."""

    def session_start(self, hz: int, clock: str, /) -> None:
        """Begin to sample. Raises RuntimeError with a sentence that says why not."""

    def session_stop(self) -> bytes:
        """End it; every frame of FromEngine messages since the start."""


class _Running(NamedTuple):
    output: Output
    hz: int


class CpuProfiler:
    """The state machine above. Any thread; ``_guard`` guards everything in here."""

    __slots__ = ("_engine", "_guard", "_next_hz", "_running")

    def __init__(self, engine: Engine) -> None:
        # _thread's, not threading's: the latter may have been replaced by a green one.
        self._guard = _thread.allocate_lock()
        self._engine = engine
        self._running: _Running | None = None
        self._next_hz = DEFAULT_HZ

    def set_rate(self, hz: int) -> None:
        """The rate of profiles that are started without one; below 0 is 0, off.

        Raises EngineError while a profile runs: one profile has one rate.
        """
        with self._guard:
            if self._running is not None:
                raise EngineError(
                    "the rate cannot be changed while a CPU profile runs",
                    "stop_cpu_profile() first",
                )
            self._next_hz = clamp_rate(hz)

    def start(self, output: Output, hz: int | None = None) -> None:
        """Begin a profile that ``stop`` will write to ``output``, a path or a binary file.

        Raises EngineError if one runs already, which then is as it was; OutputError if the path
        cannot be written.
        """
        if isinstance(output, str):
            profile_file.check_writable(output)
        with self._guard:
            if self._running is not None:
                raise EngineError(
                    "a CPU profile is already in use: it runs", "stop_cpu_profile() ends it"
                )
            hz = self._next_hz if hz is None else clamp_rate(hz)
            try:
                self._engine.session_start(min(hz, MAX_HZ), "auto")
            except RuntimeError as error:
                raise EngineError(f"a CPU profile cannot be started: {error}") from error
            self._running = _Running(output, hz)

    def stop(self) -> None:
        """End the profile; returns when all of it is written. Nothing runs: nothing happens.

        Raises OutputError, and whatever the binary file raises.
        """
        with self._guard:
            if self._running is None:
                return
            output, hz = self._running
            self._running = None
            content = self._engine.session_stop()
            profile = pack(encode(_read_session(content, min(hz, MAX_HZ)).build()))
            if isinstance(output, str):
                profile_file.write_file(output, profile)
            else:
                output.write(profile)


def clamp_rate(hz: int) -> int:
    """0 … 1 000 000, as Go does; above 10 000 the sampler gives what it can."""
    return max(0, min(hz, MAX_ASKED_HZ))


def _read_session(content: bytes, hz: int) -> Recording:
    recording = Recording(hz)
    frames = framing.FrameReader()
    for message in map(reader.decode, frames.feed(content)):
        if message is not None:
            recording.add(message)
    frames.finish()
    return recording
