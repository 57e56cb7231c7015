"""Bootstrap: loads the extension into the process that executes this file, and starts the engine.

The profiled program executes this file: a running program on request (``sys.remote_exec``'s
protocol), a recorded one before its first line. The extension is loaded by its path and never put
into ``sys.modules``; ``sys.path`` is not used; no module is imported that is not loaded already,
not even ``__future__``. The syntax is that of Python 3.9.
"""

import _imp
import sys

TYPE_CHECKING = False  # as mypy knows it: typing is a module that may not be loaded
if TYPE_CHECKING:
    from types import ModuleType


def load(library: str) -> "ModuleType":
    """Load the extension at this path, without an entry in ``sys.modules``. Raises ImportError."""
    spec = sys.modules["_frozen_importlib"].ModuleSpec("_core", None, origin=library)
    core = _imp.create_dynamic(spec)
    _imp.exec_dynamic(core)
    return core


def enter(library: str, arguments: "str | bytes") -> int:
    """Load ``library`` and start the engine.

    ``arguments`` are those of ``stackglass_enter`` (agent/agent.h), as bytes or as text. Returns 0
    if the engine starts, 1 if it was running, else -errno. With ``wait=1`` among the arguments the
    function returns when the profiler runs, or cannot. Raises ImportError.
    """
    if isinstance(arguments, str):
        arguments = arguments.encode(sys.getfilesystemencoding(), "surrogateescape")
    outcome: int = load(library).enter(arguments)
    return outcome


def enter_if_wanted(library: str, arguments: bytes, wanted: str) -> None:
    """Load ``library`` and start the engine, if the file ``wanted`` exists. Raises ImportError.

    A thread may call this long after the client has found another way in and left: the client
    removes the file then. The engine checks the file again, as the client may leave just now.
    """
    core = load(library)
    try:
        sys.modules["posix"].stat(wanted)
    except FileNotFoundError:
        return
    field = b"wanted=" + wanted.encode(sys.getfilesystemencoding(), "surrogateescape") + b"\0"
    core.enter(field + arguments)
