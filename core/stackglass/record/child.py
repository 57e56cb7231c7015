"""Child process: a command started so that its first Python loads the engine."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence

from stackglass.errors import StackglassError

_FIRST_LINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup_payload.py")


class Hello:
    """The report of the first Python: its PID, and why the engine could not start there."""

    __slots__ = ("pid", "trouble")

    def __init__(self, pid: int, trouble: str) -> None:
        self.pid = pid
        self.trouble = trouble  # "" = the engine has started


class Child:
    """A running command. Its standard streams, its terminal and its group are the recorder's.

    ::

        folder/                 0700, first on the child's PYTHONPATH
            sitecustomize.py    startup_payload.py
            start               bootstrap, library, arguments of the engine
            PID                 written by the first Python once the engine is in it; it waits
                                until the recorder has removed it
    """

    __slots__ = ("_folder", "_process")

    def __init__(
        self,
        command: Sequence[str],
        bootstrap: str,
        library: str,
        arguments: bytes,
        signal_mask: set[signal.Signals],
    ) -> None:
        """Start it. ``arguments`` are the engine's, with ``{process}`` for PID-STARTTIME.

        Raises StackglassError if there is no such command.
        """
        self._folder = tempfile.mkdtemp(prefix="stackglass-record-")
        try:
            shutil.copyfile(_FIRST_LINE, os.path.join(self._folder, "sitecustomize.py"))
            with open(os.path.join(self._folder, "start"), "wb") as file:
                file.write(b"\n".join((os.fsencode(bootstrap), os.fsencode(library), arguments)))
            self._process = subprocess.Popen(
                command,
                env=self._make_environment(),
                # The recorder blocks what it forwards; the child gets the mask from before that.
                preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, signal_mask),
            )
        except BaseException as error:
            shutil.rmtree(self._folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise StackglassError(f"cannot start {command[0]}: {error.strerror}") from error
            raise

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_running(self) -> bool:
        """Whether it has not ended. Does not reap it, so that its PID is not used again."""
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def wait(self) -> None:
        """Wait for its end, without reaping it."""
        os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

    def reap(self) -> int:
        """The exit status of an ended child, as shells have it: 128 + n for a signal. Cleans
        up."""
        status = self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)
        return 128 - status if status < 0 else status

    def find_hello(self) -> Hello | None:
        """The report of the Python that has loaded the engine; None = there is none yet."""
        for name in os.listdir(self._folder):
            if name.isdigit():
                with open(os.path.join(self._folder, name), encoding="utf-8") as file:
                    return Hello(int(name), file.read())
        return None

    def release(self) -> None:
        """Let the first Python start its program, whether or not the engine could be reached."""
        for name in os.listdir(self._folder):
            if name.isdigit():
                os.unlink(os.path.join(self._folder, name))

    def withdraw_start(self) -> bool:
        """Keep the child's Pythons from loading the engine: it enters from outside. False if one of
        them has just begun to."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, "start"))
            return True
        return False

    def _make_environment(self) -> dict[str, str]:
        before = os.environ.get("PYTHONPATH", "")
        # An empty entry would mean the current folder: no separator at the end.
        path = self._folder + (os.pathsep + before if before else "")
        return {**os.environ, "PYTHONPATH": path}
