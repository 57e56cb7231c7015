"""Signals of the recorder: they end a recording, or are forwarded to a child.

A terminal sends Ctrl+C to all processes in the foreground, so the child has it already: only
signals that a process sent are forwarded, and of these not what was sent to the whole group. A
Python handler does not learn who sent a signal, so the signals are blocked, and a thread waits for
them with sigtimedwait, which reports the sender.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import threading
from types import FrameType

from stackglass.clock import SYSTEM_CLOCK
from stackglass.record import early_signals
from stackglass.record.bystander import Bystander
from stackglass.record.expected_signals import is_expected
from stackglass.record.lenient_output import write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FORWARDED = frozenset(
    (
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGTERM,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGALRM,
    )
)
WRITING = signal.SIGUSR1
"""Makes a flight recorder write its window."""
_WAKE_UP = signal.SIGALRM
_FOR_EVER_S = 3600.0
_LOOK_S = 0.005  # between two looks at the child's signal mask


class Ending:
    """The ending signals that came: calling it returns whether one did."""

    __slots__ = ("_has_come", "_is_held", "_notice")

    def __init__(self) -> None:
        self._has_come = False
        self._notice = ""
        self._is_held = False

    def __call__(self) -> bool:
        return self._has_come

    def hold(self, notice: str) -> None:
        """From now on files are written: the next signal, which often is a second Ctrl+C for the
        same end, prints ``notice``, and the one after it interrupts."""
        self._notice = notice

    def note(self, number: int, frame: FrameType | None) -> None:
        """A handler of signals."""
        self._has_come = True
        if not self._notice:
            return
        if self._is_held:
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)
        self._is_held = True
        # The stream may be in the middle of a line, and cannot be entered twice.
        with contextlib.suppress(OSError, ValueError):
            if sys.stderr is not None:
                os.write(sys.stderr.fileno(), f"stackglass: {self._notice}\n".encode())


@contextlib.contextmanager
def catch_end() -> Iterator[Ending]:
    """Catch the ending signals inside."""
    ending = Ending()
    before = [(number, signal.signal(number, ending.note)) for number in ENDING]
    try:
        yield ending
    finally:
        for number, handler in before:
            signal.signal(number, handler)


@contextlib.contextmanager
def count_requests(is_wanted: bool) -> Iterator[Counter]:
    """Inside, count the WRITING signals if ``is_wanted``; otherwise they act as before."""
    counter = Counter()
    if not is_wanted:
        early_signals.release()
        yield counter
        return
    before = signal.signal(WRITING, lambda *_: counter.add())
    early_signals.release()
    try:
        yield counter
    finally:
        signal.signal(WRITING, before)


@contextlib.contextmanager
def block() -> Iterator[set[signal.Signals]]:
    """Block the FORWARDED signals inside. Yields the mask from before, for a child."""
    before = {signal.Signals(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)}
    before -= early_signals.take()
    try:
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_by(number: int) -> None:
    """End this process by the signal that ended the command it ran: a shell's loop goes on after an
    exit status of 130, and stops only after an end by SIGINT.

    Writes no core file: the command's own is enough. Returns if the signal has no effect, as in a
    container's first process.
    """
    write_text(sys.stdout, "")
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    # 1 also keeps a program that core_pattern starts from being run, which 0 does not.
    resource.setrlimit(resource.RLIMIT_CORE, (min(1, hard) if hard >= 0 else 1, hard))
    with contextlib.suppress(OSError):  # SIGKILL has no handler
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (number,))
    os.kill(os.getpid(), number)


class Counter:
    """Counts events. One thread adds, others read, one of them takes."""

    __slots__ = ("_n_taken", "count")

    def __init__(self) -> None:
        self.count = 0
        self._n_taken = 0

    def add(self) -> None:
        self.count += 1

    def take(self) -> bool:
        """Whether an event was added since the last call."""
        n_before, self._n_taken = self._n_taken, self.count
        return self._n_taken != n_before


class Relay:
    """Forwards signals, which must be blocked, to process ``pid`` from start to stop."""

    __slots__ = ("_bystander", "_is_stopped", "_kept", "_on_kept", "_pid", "_thread")

    def __init__(
        self,
        pid: int,
        kept: signal.Signals | None = None,
        on_kept: Callable[[], None] = lambda: None,
    ) -> None:
        """``kept`` is not forwarded to a process that it would end; ``on_kept`` is called
        instead."""
        self._pid = pid
        self._bystander = Bystander(SYSTEM_CLOCK)
        self._kept = kept
        self._on_kept = on_kept
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="signals", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Forward no more signals. To be called before the child is reaped, because its PID may be
        used again after that."""
        self._is_stopped.set()
        if self._thread.ident is not None:
            signal.pthread_kill(self._thread.ident, _WAKE_UP)
        self._thread.join()

    def _run(self) -> None:
        self._bystander.start()
        while True:
            came = signal.sigtimedwait(FORWARDED, _FOR_EVER_S)
            if self._is_stopped.is_set():
                self._bystander.stop()
                return
            if came is None:
                continue
            if came.si_code <= 0:  # SI_USER, SI_QUEUE, SI_TKILL: a process
                self._forward(came.si_signo)
            else:  # the terminal: the bystander must not keep it for the next signal
                self._bystander.has_got(came.si_signo, self._pid)

    def _forward(self, number: int) -> None:
        if number == self._kept and not is_expected(self._pid, number, self._pause):
            self._on_kept()
            return
        if self._bystander.has_got(number, self._pid):
            return
        try:
            os.kill(self._pid, number)  # at worst a zombie, which is not reaped yet
        except ProcessLookupError:  # something else has reaped it
            pass
        except PermissionError:  # the command is sudo, for example
            name = signal.Signals(number).name
            write_text(
                sys.stderr, f"stackglass: the command runs as another user: it gets no {name}\n"
            )

    def _pause(self) -> None:
        self._is_stopped.wait(_LOOK_S)
