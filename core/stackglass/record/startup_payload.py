"""Startup payload: loads the engine into a recorded program before its first line.

``stackglass record -- python …`` copies this file as ``sitecustomize.py`` into a private folder
at the front of PYTHONPATH; Python imports it as it starts. The file ``start`` beside it has
the arguments. The program must not notice: everything is restored before anything else, the
program's own ``sitecustomize`` is imported if it has one, and no other module is imported that is
not loaded already.

The first Python to get here takes ``start`` away by renaming it. It reports in a file named by its
PID, for which the recorder waits. Later ones (children, the other side of a pipe) run as if nothing
were there.

If children are recorded too, ``start`` stays, PYTHONPATH stays in the environment, and a forked
child loads the engine as well. Each creates a file that its PID names, unless the recorder was
first and enters this Python from outside. The FIFO ``arrivals`` shows whether the recorder is
still there, and wakes the recorder.
"""

import os
import sys

TYPE_CHECKING = False  # as mypy knows it: typing is not loaded this early
if TYPE_CHECKING:
    from typing import Any

_PAUSE_S = 0.001
_MOST_PAUSES = 5000
# To sleep, because a wait for a lock would count as the program's. `time` is loaded already, and
# this is its original function, even if a patch replaces it later.
_sleep = sys.modules["time"].sleep


def _take_start(folder: str) -> "list[bytes] | None":
    """The lines of ``start``, if this process is the first, or if children are recorded and this
    one is not entered from outside; else None."""
    path, own = os.path.join(folder, "start"), _name_own(folder)
    try:
        if _has_children(folder):
            os.close(os.open(own, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        else:
            os.rename(path, own)
            path = own
        with open(path, "rb") as file:
            return file.read().split(b"\n", 2)
    except OSError:
        return None


def _name_own(folder: str) -> str:
    return os.path.join(folder, str(os.getpid()) + ".taken")


def _give_name_back(folder: str) -> None:
    """With children: the PID may be another process's later, which loads the engine, too."""
    if not _has_children(folder):
        return
    try:
        os.unlink(_name_own(folder))
    except OSError:
        return  # the recorder has gone, and its folder


def _has_children(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, "arrivals"))


def _wake_recorder(folder: str) -> bool:
    """Write to the FIFO. False if the recorder has gone: opening a FIFO without a reader fails.

    The recorder may go just then, and a write without a reader raises SIGPIPE. So the write is by a
    descriptor that reads, too."""
    path = os.path.join(folder, "arrivals")
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        fifo = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        os.write(fifo, b".")
    except BlockingIOError:
        pass  # it is full: the recorder is awake
    finally:
        os.close(fifo)
    return True


def _is_helper() -> bool:
    """Whether this is multiprocessing's resource tracker, which runs no code of the program."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return b"from multiprocessing.resource_tracker import main" in file.read()
    except OSError:
        return False  # there is no /proc


def _put_back(folder: str) -> None:
    """Restore PYTHONPATH (not with children, which need it), sys.path and the import system."""
    entries = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if entries[0] == folder and not _has_children(folder):
        rest = os.pathsep.join(entries[1:])
        if rest:
            os.environ["PYTHONPATH"] = rest
        else:
            del os.environ["PYTHONPATH"]
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path_importer_cache.pop(folder, None)
    sys.modules.pop("sitecustomize", None)


def _name_socket(arguments: bytes) -> bytes:
    """The engine's arguments, with this process's PID and start time as the socket's name."""
    with open("/proc/self/stat", "rb") as file:
        start_time = file.read().rpartition(b")")[2].split()[19]
    return arguments.replace(b"{process}", str(os.getpid()).encode() + b"-" + start_time)


def _start_engine(folder: str, lines: "list[bytes]") -> None:
    """Run bootstrap.py, start the engine, and report to the recorder. A failure never affects the
    program: the recorder then attaches to the first Python from outside, and does not record a
    child. Memory that is allocated here counts as the engine's, and is not sampled."""
    bootstrap, library = os.fsdecode(lines[0]), os.fsdecode(lines[1])
    scope: dict[str, Any] = {"__name__": "stackglass.bootstrap", "__file__": bootstrap}
    core: Any = None
    try:
        with open(bootstrap, encoding="utf-8") as file:
            exec(compile(file.read(), bootstrap, "exec"), scope)
        loaded = scope["load"](library)
        loaded.begin_exempt()
        core = loaded
        result = core.enter(_name_socket(lines[2]))
        problem = "" if result >= 0 else os.strerror(-result)
    except Exception as error:  # noqa: BLE001  no error may reach the program
        problem = type(error).__name__ + ": " + str(error)
    _report(folder, problem)
    _give_name_back(folder)
    if core is not None:
        core.end_exempt()


def _report(folder: str, problem: str) -> None:
    """Report the outcome, and wait until the recorder has read it."""
    own = os.path.join(folder, str(os.getpid()))
    try:
        with open(own + ".new", "w", encoding="utf-8") as file:
            file.write(problem)
        os.rename(own + ".new", own)
    except OSError:
        return  # the recorder has gone
    if _has_children(folder) and not _wake_recorder(folder):
        try:
            os.unlink(own)
        except OSError:
            return  # the recorder has just removed it
        return
    _wait_for_recorder(own)


def _wait_for_recorder(own: str) -> None:
    """Wait until the recorder has connected and removed the file, so that a program that ends at
    once is recorded, too. Gives up after some seconds: the recorder may have died."""
    for _ in range(_MOST_PAUSES):
        if not os.path.exists(own):
            break
        _sleep(_PAUSE_S)


def _run(folder: str) -> None:
    _put_back(folder)
    if _has_children(folder):
        if _is_helper() or not _wake_recorder(folder):
            return
        os.register_at_fork(after_in_child=lambda: _enter_fork(folder))
    lines = _take_start(folder)
    if lines is not None:
        _start_engine(folder, lines)


def _enter_fork(folder: str) -> None:
    """Load the engine in a forked child, as a Python that starts does."""
    lines = _take_start(folder) if _wake_recorder(folder) else None
    if lines is not None:
        _start_engine(folder, lines)


_run(os.path.dirname(os.path.abspath(__file__)))

# Import the program's own, which can be found now. Without one, this raises the error that Python's
# start-up expects for a missing sitecustomize.
__import__("sitecustomize")
