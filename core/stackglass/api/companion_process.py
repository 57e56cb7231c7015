"""Companion process: started beside the program to hold its flight recorder.

The companion does not stay a child of the program: the process that the program starts forks the
companion and exits at once. The companion inherits two sockets. It inherits no standard streams,
nothing else that would keep a pipe open, and no signal mask.
"""

from __future__ import annotations

import _socket
import contextlib
import fcntl
import os
import posix  # not os: gevent replaces its functions
import signal
import sys
import time

from stackglass.errors import EngineError
from stackglass.wire.flight_link import ENGINE_DESCRIPTOR, LINK_DESCRIPTOR, FlightLink

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# -s -S: no site-packages, and none of the hooks that they install; the standard library first.
_PROGRAM = (
    "import sys; sys.path[0:1] = []; sys.path.append(sys.argv.pop(1)); "
    "from stackglass.record.companion import main; main(sys.argv[1:])"
)
_LEAST_DESCRIPTOR = 10  # of copies; above ENGINE_DESCRIPTOR and LINK_DESCRIPTOR
_REAP_S, _REAP_POLL_S = 5.0, 0.002
_KEPT_VARIABLES = frozenset(("PYTHONHOME", "PYTHONPLATLIBDIR"))


def launch(engine: int, arguments: list[str]) -> tuple[FlightLink, str]:
    """Start the program's companion with the ``arguments`` of ``record.companion``.

    ``engine`` is the descriptor of a connection to the engine; it is closed here. Returns the link
    to the companion and, if the started process failed, a sentence that says how, else "". Raises
    EngineError.
    """
    try:
        executable = find_interpreter(
            "the flight recorder starts a Python process",
            "record from outside: stackglass record --profile memory --window 30s PID",
        )
        own_end, its_end = _socket.socketpair()
    except BaseException:
        os.close(engine)
        raise
    try:
        pid = _spawn(executable, engine, its_end.fileno(), arguments)
    except OSError as error:
        own_end.close()
        raise EngineError(
            f"the process of the flight recorder cannot be started: {error.strerror}"
        ) from error
    finally:
        its_end.close()
        os.close(engine)
    how_ended = wait_for_fork(pid)
    return FlightLink(own_end), how_ended and f"{executable} ended with {how_ended}"


def read_start(pid: int) -> bytes:
    """Return when a process began, in clock ticks since the boot; b"" = there is no process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19]
    except (OSError, IndexError):
        return b""


def reap(pid: int, start: bytes) -> None:
    """Wait some seconds for a companion to end, and reap it if it is a child of this process: the
    first process of a container adopts the companion, and must reap it.

    ``start`` is when the companion began: once it is reaped, another child may get its ``pid``.
    """
    until_s = time.monotonic() + _REAP_S
    with contextlib.suppress(ChildProcessError):
        while read_start(pid) == start and posix.waitpid(pid, posix.WNOHANG)[0] == 0:
            if time.monotonic() >= until_s:
                return  # it hangs
            time.sleep(_REAP_POLL_S)


def find_interpreter(purpose: str, remedy: str) -> str:
    """Return the path of the interpreter. Raises EngineError if ``sys.executable`` is not known to
    be one: a frozen program, for example, would start itself again."""
    executable = sys.executable or ""
    name = os.path.basename(executable).lower()
    if getattr(sys, "frozen", False) or "python" not in name or not os.path.isfile(executable):
        raise EngineError(
            f"{purpose}, and sys.executable is no interpreter ({executable or 'empty'})",
            remedy,
        )
    return executable


def _spawn(executable: str, engine: int, link: int, arguments: list[str]) -> int:
    copies = []
    try:
        for descriptor in (engine, link):
            copies.append(fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _LEAST_DESCRIPTOR))
        return posix.posix_spawn(
            executable,
            [executable, "-s", "-S", "-c", _PROGRAM, _ROOT, *arguments],
            _choose_environment(),
            file_actions=[
                (posix.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
                (posix.POSIX_SPAWN_DUP2, 0, 1),
                (posix.POSIX_SPAWN_DUP2, 0, 2),
                (posix.POSIX_SPAWN_DUP2, copies[0], ENGINE_DESCRIPTOR),
                (posix.POSIX_SPAWN_DUP2, copies[1], LINK_DESCRIPTOR),
            ],
            setsigmask=[],
            setsigdef=[signal.SIGUSR1, signal.SIGPIPE, signal.SIGCHLD, signal.SIGINT],
        )
    finally:
        for copy in copies:
            os.close(copy)


def _choose_environment() -> dict[str, str]:
    """Return the program's environment without variables that would change or profile Python."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT_VARIABLES or not name.startswith(("PYTHON", "STACKGLASS_"))
    }


def wait_for_fork(pid: int) -> str:
    """Wait for a started process that exits once it has forked. Returns how it failed; "" = it did
    not."""
    status = 0
    with contextlib.suppress(ChildProcessError):  # the program reaps all children itself
        status = posix.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return f"signal {os.WTERMSIG(status)}"
    return f"exit status {os.WEXITSTATUS(status)}" if status else ""
