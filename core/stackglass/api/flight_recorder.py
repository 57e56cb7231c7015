"""Flight recorder: the last seconds of the program, as Go's ``runtime/trace.FlightRecorder``.

::

    off ──start──▶ on ──write_to──▶ writing ──▶ on ──stop──▶ off

Another process (``companion_process``) keeps the window, which survives whatever ends the program.
"""

from __future__ import annotations

import contextlib
import os
import time
from _thread import RLock, allocate_lock, get_ident
from collections.abc import Iterator, Sequence
from typing import Callable

from stackglass.api import companion_process, output
from stackglass.api.whole_numbers import read_whole
from stackglass.errors import EngineError, OutputError, WireError
from stackglass.native import _core
from stackglass.wire import flight_link, profile_file
from stackglass.wire.flight_link import FlightLink

_LEAST_BYTES = 1 << 20
_START_S = 30.0  # C code of the program may hold the interpreter's lock
_ANSWER_S = 60.0
_STOP_S = 30.0
DEFAULT_PROFILES = ("cpu", "wall", "block", "mutex", "gil", "tasks", "stalls")


class FlightRecorder:
    """Keeps a window, the last seconds of what the program does: allocations, frees, collections,
    regions, and the samples of ``profiles``. A context manager; any thread.

    ``min_age_s`` and ``max_bytes`` are Go's MinAge and MaxBytes: a window of ``max_bytes`` may be
    shorter than ``min_age_s``. ``triggers`` are conditions at which ``path`` is written without a
    call, as those of ``stackglass record --trigger``: ``killed``, ``exit``, ``signal``,
    ``deadlock``, ``rss>2GiB``, ``wait>1s``, ``stall>500ms``. ``{pid}`` in the path is the process's
    id; later files have a number.
    """

    __slots__ = (
        "_arguments",
        "_is_unread",
        "_link",
        "_pid",
        "_requesters",
        "_start_of_companion",
        "_stoppers",
        "_writing",
        "companion_pid",
    )

    def __init__(
        self,
        *,
        min_age_s: float = 10.0,
        max_bytes: int = 10 << 20,
        profiles: Sequence[str] = DEFAULT_PROFILES,
        path: str | os.PathLike[str] | None = None,
        triggers: Sequence[str] | None = None,
    ) -> None:
        """Nothing is recorded before ``start``. Without ``triggers``, ``path`` is written when a
        signal ends the program. Raises ValueError, TypeError, OutputError."""
        if not isinstance(min_age_s, (int, float)):
            raise TypeError(f"min_age_s is a number of seconds, not {min_age_s!r:.80}")
        max_bytes = read_whole("max_bytes", max_bytes)
        if not 0 < min_age_s < 1e9:
            raise ValueError(f"min_age_s is {min_age_s}, not a number of seconds above 0")
        if max_bytes < _LEAST_BYTES:
            raise ValueError(f"max_bytes is {max_bytes}, not at least {_LEAST_BYTES}")
        if isinstance(profiles, str) or isinstance(triggers, str):
            raise ValueError("profiles and triggers are lists of names")
        if triggers is None:
            triggers = ("killed",) if path is not None else ()
        place = ""
        if path is not None:
            place = os.path.abspath(os.fspath(path))
            profile_file.check_writable(place)
        self._arguments = [
            place,
            str(int(min_age_s * 1e9)),
            str(max_bytes),
            ",".join(profiles),
            *triggers,
        ]
        self._writing = allocate_lock()  # guards the link; held while a request is under way
        self._requesters: set[int] = set()  # threads that hold it, or are about to try
        self._stoppers: set[int] = set()  # threads inside stop
        self._is_unread = False  # an answer was not read to its end: a call was interrupted
        self._link: FlightLink | None = None
        self._pid = 0  # the process that called start: not a child that it forked
        self._start_of_companion = b""
        self.companion_pid = 0
        """The process that keeps the window; 0 = the recorder is off."""

    def __enter__(self) -> FlightRecorder:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def enabled(self) -> bool:
        """Return whether the recorder is on."""
        return self._link is not None and self._pid == os.getpid()

    def start(self) -> None:
        """Start recording; returns when recording has begun.

        Raises EngineError if a recorder of this process is on, or nothing can be recorded.
        """
        _claim(self)
        try:
            self._start()
        except BaseException:
            _release(self)
            raise

    def _start(self) -> None:
        try:
            descriptor = _core.connect()
        except RuntimeError as error:
            raise EngineError(f"cannot send a request to the engine: {error}") from error
        link, how_ended = companion_process.launch(descriptor, [str(os.getpid()), *self._arguments])
        try:
            answer = None if how_ended else link.receive(_START_S)
        except BaseException:
            link.close()
            raise
        word, content = answer or ("", b"")
        if word != flight_link.STARTED:
            link.close()
            why = content.decode() or how_ended or "no answer in time: C code may hold the GIL"
            raise EngineError(f"the flight recorder did not start: {why}")
        self.companion_pid = int(content)
        self._start_of_companion = companion_process.read_start(self.companion_pid)
        self._pid = os.getpid()
        self._link = link

    def stop(self) -> None:
        """Stop recording and discard the window, once a ``write_to`` of another thread has ended.
        Does nothing if the recorder is off, and in a signal handler or finalizer that interrupts
        another ``stop`` in the same thread.

        Raises EngineError in a signal handler or finalizer that interrupts ``write_to`` in the same
        thread.
        """
        thread = get_ident()
        if not self.enabled() or thread in self._stoppers:
            return
        if thread in self._requesters:
            raise EngineError("the flight recorder is writing in this very thread")
        self._stoppers.add(thread)
        try:
            self._stop()
        finally:
            self._stoppers.discard(thread)

    def _stop(self) -> None:
        with self._writing:
            link, self._link = self._link, None
            if link is None:
                return
            with link, contextlib.suppress(EngineError, WireError):
                link.send(flight_link.STOP)
                while link.receive(_STOP_S) is not None:
                    continue
            self._reap()
        _release(self)

    def write_to(self, file: output.Output) -> int:
        """Write the window, with everything up to this call, as a session file. Returns the number
        of bytes.

        ``file`` is a path, replaced as a whole, or anything with ``write(bytes)``. Raises
        EngineError if the recorder is off or another call writes; OutputError; and whatever the
        file raises.
        """
        asked_ns = time.monotonic_ns()
        target = output.settle(file)
        with self._request(flight_link.WRITE, str(asked_ns).encode()) as link:
            if not isinstance(target, str):
                return self._copy(link, lambda piece: output.write(target, piece))
            with profile_file.replace_file(target) as opened:
                return self._copy(link, opened.write)

    def reports(self) -> list[str]:
        """Return a sentence for each file that a trigger has written, with its cause, and for each
        file that could not be written. Raises EngineError as ``write_to``."""
        lines = []
        with self._request(flight_link.REPORTS) as link:
            while True:
                word, content = self._receive(link)
                if word == flight_link.WRITTEN:
                    break
                lines.append(content.decode())
        return lines

    @contextlib.contextmanager
    def _request(self, word: str, content: bytes = b"") -> Iterator[FlightLink]:
        """Send a request, and yield the link; the block reads the answer to its end."""
        if not self.enabled():
            raise EngineError("the flight recorder is off", "call start() first")
        if get_ident() in self._requesters or not self._claim_link():
            raise EngineError("the flight recorder is writing already: another call has not ended")
        try:
            link = self._link
            if link is None:
                raise EngineError("the flight recorder was stopped")
            if self._is_unread:
                with contextlib.suppress(OutputError):  # the reason is the interrupted call's
                    self._copy(link, lambda _: None)
            self._is_unread = True
            link.send(word, content)
            yield link
        finally:
            if self._link is not None and self._link.is_lost:
                self._forget()
            self._writing.release()
            self._requesters.discard(get_ident())

    def _claim_link(self) -> bool:
        """Take the lock, and return False if another thread holds it. This thread becomes a
        requester first: a signal handler that calls ``stop`` may run before the lock is taken."""
        self._requesters.add(get_ident())
        is_claimed = False
        try:
            is_claimed = self._writing.acquire(blocking=False)
        finally:
            if not is_claimed:
                self._requesters.discard(get_ident())
        return is_claimed

    def _receive(self, link: FlightLink) -> tuple[str, bytes]:
        """Return the next message of the answer to a request. Raises EngineError if none comes."""
        message = link.receive(_ANSWER_S)
        if message is None:
            link.lose()
            raise EngineError("the process of the flight recorder does not answer")
        self._is_unread = message[0] not in (flight_link.WRITTEN, flight_link.FAILED)
        return message

    def _copy(self, link: FlightLink, write: Callable[[bytes], object]) -> int:
        """Pass each piece of a file to ``write``, and read all pieces even if ``write`` fails.
        Returns the number of bytes."""
        n_bytes = 0
        failure: Exception | None = None
        while True:
            word, content = self._receive(link)
            if word == flight_link.DATA and failure is None:
                try:
                    write(content)
                except Exception as error:  # noqa: BLE001 - raised once all is read
                    failure = error
                n_bytes += len(content)
            elif word == flight_link.FAILED:
                raise OutputError(content.decode())
            elif word == flight_link.WRITTEN:
                break
        if failure is not None:
            raise failure
        return n_bytes

    def _forget(self) -> None:
        """Turn the recorder off after the companion has ended."""
        if self._link is not None:
            self._link.close()
        self._link = None
        self._reap()
        _release(self)

    def _reap(self) -> None:
        pid, self.companion_pid = self.companion_pid, 0
        companion_process.reap(pid, self._start_of_companion)

    def forget_parent(self) -> None:
        """Turn the recorder off in a forked child: the companion is the parent's."""
        if self._link is not None:
            self._link.close()
        self._link = None
        self._writing = allocate_lock()
        self._requesters.clear()
        self._stoppers.clear()
        self.companion_pid = 0
        self._is_unread = False


_lock = RLock()  # a signal handler may start or stop one meanwhile
_current: FlightRecorder | None = None  # guarded by _lock: the recorder of this process


def _claim(recorder: FlightRecorder) -> None:
    """Make ``recorder`` the process's recorder. Raises EngineError if there is one already."""
    global _current
    with _lock:
        if _current is not None:
            whose = "this" if _current is recorder else "another"
            raise EngineError(f"{whose} flight recorder is on already: a process has one at a time")
        _current = recorder


def _release(recorder: FlightRecorder) -> None:
    global _current
    with _lock:
        if _current is recorder:
            _current = None


def reset_after_fork() -> None:
    """Drop the parent's recorder in a forked child, which may start its own."""
    global _current, _lock
    _lock = RLock()
    recorder, _current = _current, None
    if recorder is not None:
        recorder.forget_parent()
