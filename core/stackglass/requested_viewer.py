"""The viewer that the environment requests: ``STACKGLASS_VIEW=1`` opens it on the program, as it
imports stackglass. Instead of 1 the variable may have the path of the ``stackglass`` of another
environment, because the viewer needs a newer Python than the program may have.

The program itself starts the engine, which listens where ``stackglass attach`` looks first, so
nothing has to trace the program. The engine keeps everything until the viewer has connected, and
leaves if none comes.

The viewer is no child of the program: the process that the program starts forks, and exits at once.
It inherits the terminal's standard error, for its own errors, and no other open file.
"""

from __future__ import annotations

import os
import posix  # not os: gevent replaces its functions
import signal
from collections.abc import MutableMapping

from stackglass.api.companion_process import find_interpreter, wait_for_fork
from stackglass.attach.entry import encode_arguments
from stackglass.attach.proc import PROC
from stackglass.attach.socket_directory import SocketDirectory, name_socket
from stackglass.errors import EngineError, UsageError
from stackglass.native import _core
from stackglass.wire.rates import DEFAULT

VARIABLE = "STACKGLASS_VIEW"
_PROGRAM = """
import os, sys
if os.fork():
    os._exit(0)
os.setsid()  # Ctrl+C ends the program, not the viewer
for name in os.listdir("/proc/self/fd"):
    if int(name) > 2:
        try:
            os.close(int(name))
        except OSError:  # the listing's own
            pass
os.execv(sys.argv[1], sys.argv[1:])
"""


def open_requested(environment: MutableMapping[str, str]) -> None:
    """Open the viewer on this process if the variable requests it. Removes the variable, so that
    the program's children open none.

    Raises StackglassError.
    """
    value = environment.pop(VARIABLE, "")
    if value in ("", "0"):
        return
    is_other = value != "1"
    if is_other and not (os.sep in value and os.access(value, os.X_OK)):
        raise UsageError(
            f"{VARIABLE}: {value!r} is neither 1 nor the path of a command",
            "for example ~/.local/bin/stackglass",
        )
    executable = find_interpreter(
        "the viewer is opened by a Python process", f"stackglass attach {os.getpid()}"
    )
    _begin_engine()
    command = [os.path.abspath(value)] if is_other else [executable, "-m", "stackglass"]
    kept = {
        name: text
        for name, text in environment.items()
        if not (is_other and name.startswith("PYTHON"))  # they are for the program's Python
    }
    try:
        pid = _spawn(executable, [*command, "attach", str(os.getpid())], kept)
    except OSError as error:
        raise EngineError(f"the viewer cannot be started: {error.strerror}") from error
    how_ended = wait_for_fork(pid)
    if how_ended:
        raise EngineError(f"the viewer cannot be started: {executable} ended with {how_ended}")


def _begin_engine() -> None:
    """Start the engine, and wait until it takes samples. An engine that runs already listens from
    now on, too."""
    pid, uid = os.getpid(), os.geteuid()
    with SocketDirectory(uid) as directory:
        directory.remove_stale()
        path = directory.path(name_socket(pid, PROC.read_stat(pid).start_time))
        outcome = _core.enter(
            encode_arguments(socket=path, uid=uid, wait=1, hz=DEFAULT.cpu_hz, clock="auto")
        )
    if outcome < 0:
        raise EngineError(f"the engine cannot be started: {os.strerror(-outcome)}")


def _spawn(executable: str, command: list[str], environment: dict[str, str]) -> int:
    return posix.posix_spawn(
        executable,
        [executable, "-c", _PROGRAM, *command],
        environment,
        file_actions=[
            (posix.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0),
            (posix.POSIX_SPAWN_DUP2, 0, 1),  # a pipe's reader waits for its last writer
        ],
        setsigmask=[],
        setsigdef=[signal.SIGPIPE, signal.SIGCHLD, signal.SIGINT],
    )
