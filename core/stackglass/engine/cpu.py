"""A CPU profile that a program takes of itself: Go's ``pprof.StartCPUProfile``, in Python.

It samples as an attached viewer does, by the same C engine, and goes on beside one: rates are the
process's, the last change wins, and everybody gets all samples. Nothing is written before the
profile is stopped; a program that ends without stopping it writes nothing.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Protocol, Union

from stackglass.errors import EngineError
from stackglass.native import _core
from stackglass.wire import pprof, reader
from stackglass.wire.framing import FrameReader
from stackglass.wire.profile_file import check_writable, write_file
from stackglass.wire.recording import Recording

DEFAULT_HZ = 100
MAX_HZ = 10_000


class BinaryFile(Protocol):
    """What can be written to: an open file, ``io.BytesIO``, a socket's ``makefile("wb")``."""

    def write(self, content: bytes, /) -> object:
        """Take bytes."""


Destination = Union[str, "os.PathLike[str]", BinaryFile]


class _Profile:
    """The one that is being taken. Guarded by _lock."""

    __slots__ = ("destination", "hz", "pid", "start_mono_ns")

    def __init__(self, destination: str | BinaryFile, hz: int) -> None:
        self.destination = destination
        self.hz = hz
        self.pid = os.getpid()
        self.start_mono_ns = time.monotonic_ns()


_lock = threading.Lock()  # of what follows; held while a profile is started or stopped
_profile: _Profile | None = None
_next_hz = DEFAULT_HZ


def start_cpu_profile(file: Destination, hz: int | None = None) -> None:
    """Sample the CPU time of every thread of this process until ``stop_cpu_profile``.

    ``file`` is a path, or something with ``write(bytes)``; it gets a gzipped pprof file when the
    profile is stopped. ``hz``: samples per second of CPU time, by default 100 or what
    ``set_cpu_profile_rate`` said; at most 10 000, and below 1 none are taken. Returns when
    samples are taken. Any thread.

    Raises EngineError if a profile is being taken (which goes on), or none can be taken here;
    OutputError if the path cannot be written.
    """
    global _profile
    with _lock:
        if _current() is not None:
            raise _in_use()
        destination = _check(file)
        started = _Profile(destination, _clamp(_next_hz if hz is None else hz))
        try:
            _core.session_start(started.hz, "auto")
        except BlockingIOError as error:
            raise _in_use() from error
        except RuntimeError as error:
            raise EngineError(f"no CPU profile can be taken: {error}") from error
        _profile = started


def stop_cpu_profile() -> None:
    """End the profile, if one is being taken, and write it; nothing is written afterwards.

    Returns when the file is complete, and the engine's threads are gone unless somebody is
    attached. Any thread. Raises OutputError, or what ``file.write`` raises; the profile has ended
    all the same.
    """
    global _profile
    with _lock:
        stopped, _profile = _current(), None
        if stopped is None:
            return
        framed = _core.session_stop()
        if framed is None:
            return
        content = _make_file(framed, stopped)
        if isinstance(stopped.destination, str):
            write_file(stopped.destination, content)
        else:
            stopped.destination.write(content)


def set_cpu_profile_rate(hz: int) -> None:
    """The rate of profiles that are started without one.

    Raises EngineError while a profile is being taken, and changes nothing: one file, one rate.
    """
    global _next_hz
    with _lock:
        if _current() is not None:
            raise EngineError(
                "the rate cannot be changed while a CPU profile is being taken",
                "call stop_cpu_profile() first",
            )
        _next_hz = _clamp(hz)


def _current() -> _Profile | None:
    """Under _lock. A forked child's parent goes on profiling; the child does not."""
    return _profile if _profile is not None and _profile.pid == os.getpid() else None


def _clamp(hz: int) -> int:
    return min(max(hz, 0), MAX_HZ)


def _check(file: Destination) -> str | BinaryFile:
    if not isinstance(file, (str, os.PathLike)):
        return file
    path = os.path.abspath(os.fspath(file))  # the program may change its folder meanwhile
    check_writable(path)
    return path


def _make_file(framed: bytes, profile: _Profile) -> bytes:
    recording = Recording(profile.hz, profile.start_mono_ns)
    frames = FrameReader(max_bytes=len(framed))
    for frame in frames.feed(framed):
        message = reader.decode(frame)
        if message is not None:
            recording.add(message)
    frames.finish()
    return pprof.pack(pprof.encode(recording.build()))


def _in_use() -> EngineError:
    return EngineError("the CPU profiler is already in use", "call stop_cpu_profile() first")
