"""Child process: a command started so that its first Python loads the engine."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from typing import NamedTuple

from stackglass.errors import OutputError, StackglassError

_MAX_ARRIVALS = 4096
_PAYLOAD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup_payload.py")


class ChildHello:
    """A Python's report: its PID, and why the engine could not start there."""

    __slots__ = ("pid", "trouble")

    def __init__(self, pid: int, trouble: str) -> None:
        self.pid = pid
        self.trouble = trouble  # "" = the engine has started


class Startup(NamedTuple):
    """How a Python of the command loads the engine."""

    bootstrap: str  # path
    library: str  # path
    arguments: bytes  # of the engine, with ``{process}`` for PID-STARTTIME


class Child:
    """A running command. It has the recorder's standard streams, terminal and process group, and
    the descriptors that the recorder has inherited.

    ::

        folder/                 0700, first on the child's PYTHONPATH
            sitecustomize.py    startup_payload.py
            start               bootstrap, library, arguments of the engine
            PID.taken           the file ``start``, renamed by the first Python
            PID                 a Python's report; that Python waits until the file is removed
            arrivals            with children: a FIFO into which each Python writes a byte

    The first Python takes ``start`` away, so that its children run without the engine. With
    ``has_children`` the file stays, and the folder stays on PYTHONPATH; ``PID.taken`` is then an
    empty file of each Python that loads the engine, or that the recorder enters from outside. Both
    may try to create it; only the one that succeeds brings the engine in.
    """

    __slots__ = ("_arrivals", "_folder", "_has_ignored", "_is_lost", "_process")

    def __init__(
        self,
        command: Sequence[str],
        startup: Startup,
        signal_mask: set[signal.Signals],
        *,
        has_children: bool = False,
    ) -> None:
        """Start the command. Raises StackglassError if this fails. Main thread."""
        self._folder = _make_folder()
        # Where SIGCHLD is ignored, the system reaps the command: nothing learns its exit status,
        # and its PID may be another process's before the recorder has seen the end.
        self._has_ignored = signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
        self._arrivals = -1
        self._is_lost = False
        try:
            if has_children:
                self._arrivals = self._open_arrivals()
            shutil.copyfile(_PAYLOAD, os.path.join(self._folder, "sitecustomize.py"))
            with open(os.path.join(self._folder, "start"), "wb") as file:
                paths = (os.fsencode(startup.bootstrap), os.fsencode(startup.library))
                file.write(b"\n".join((*paths, startup.arguments)))
            if self._has_ignored:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._process = subprocess.Popen(
                command,
                env=self._make_environment(),
                close_fds=False,  # the recorder's own descriptors are not inheritable
                preexec_fn=lambda: self._give_signals(signal_mask),
            )
        except BaseException as error:
            self._clean_up()
            if isinstance(error, OSError):
                raise StackglassError(f"cannot start {command[0]}: {error.strerror}") from error
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        """Whether the command still runs. Does not reap it, so that its PID is not used again."""
        return not self._has_ended(os.WNOHANG)

    def wait(self) -> None:
        """Wait for the command's end, without reaping it."""
        self._has_ended()

    def reap(self) -> int | None:
        """Wait for the end, clean up, and return the exit status; below 0, minus the signal that
        ended the command; None if something else has reaped it."""
        self._has_ended()
        status = self._process.wait()  # 0 if it was reaped
        self._clean_up()
        return None if self._is_lost else status

    def _has_ended(self, flags: int = 0) -> bool:
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | flags) is not None
        except ChildProcessError:  # something else in this process waits for all children
            self._is_lost = True
            return True

    def find_hello(self) -> ChildHello | None:
        """A report of a Python that waits for ``release``; None = there is none yet."""
        return next(iter(self.list_hellos()), None)

    def list_hellos(self) -> list[ChildHello]:
        """The reports of all Pythons that wait for ``release``."""
        hellos = []
        for name in os.listdir(self._folder):
            # A Python removes its report itself if the recorder hears no more.
            with contextlib.suppress(FileNotFoundError):
                if name.isdigit():
                    with open(os.path.join(self._folder, name), encoding="utf-8") as file:
                        hellos.append(ChildHello(int(name), file.read()))
        return hellos

    def wait_for_hello(self, timeout_s: float) -> None:
        """Return when a Python has reported, or after this time. Only with ``has_children``."""
        if select.select([self._arrivals], [], [], timeout_s)[0]:
            os.read(self._arrivals, _MAX_ARRIVALS)

    def refuse_hellos(self) -> None:
        """Let Pythons that start from now on run without the engine. Only with ``has_children``."""
        os.close(self._arrivals)
        self._arrivals = -1

    def release(self, pid: int | None = None) -> None:
        """Let Python ``pid`` (None: each Python that waits) run its program, whether or not the
        recorder could connect."""
        for hello in self.list_hellos():
            if pid in (None, hello.pid):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(self._folder, str(hello.pid)))

    def withdraw_start(self) -> bool:
        """Keep the command from loading the engine, which will enter from outside. False if it has
        just begun to load it. Its children still load it, if they are recorded."""
        if self._arrivals >= 0:
            with contextlib.suppress(FileExistsError):
                own = os.path.join(self._folder, f"{self.pid}.taken")
                # The PID stays the command's until it is reaped: no child will find this file.
                os.close(os.open(own, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
                return True
            return False
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, "start"))
            return True
        return False

    def _give_signals(self, mask: set[signal.Signals]) -> None:
        """Give the command the signals that the recorder was started with. In the new process."""
        if self._has_ignored:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def _clean_up(self) -> None:
        if self._has_ignored:
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        if self._arrivals >= 0:
            os.close(self._arrivals)
            self._arrivals = -1
        shutil.rmtree(self._folder, ignore_errors=True)

    def _open_arrivals(self) -> int:
        path = os.path.join(self._folder, "arrivals")
        os.mkfifo(path, 0o600)
        # Also for writing: a FIFO without a writer is always at its end.
        return os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def _make_environment(self) -> dict[str, str]:
        before = os.environ.get("PYTHONPATH", "")
        # An empty entry would mean the current folder: no separator at the end.
        path = self._folder + (os.pathsep + before if before else "")
        return {**os.environ, "PYTHONPATH": path}


def _make_folder() -> str:
    try:
        return tempfile.mkdtemp(prefix="stackglass-record-")
    except OSError as error:
        raise OutputError(
            f"cannot make a temporary folder: {error.strerror}",
            "set TMPDIR to a folder that you may write to",
        ) from error
