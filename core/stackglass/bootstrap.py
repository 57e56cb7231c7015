"""Bootstrap: loads the engine into the process that runs this file, and enters it.

Executed inside foreign programs: by a thread that runs it (``sys.remote_exec``'s protocol), and
before the first line of a recorded one. The extension is loaded by its path and never put
into ``sys.modules``; ``sys.path`` is not used; nothing is imported that is not loaded
already, which is why there is no ``from __future__`` here: that is a module too. Any Python that
runs is good enough: nothing here is newer than 3.9.
"""

import _imp
import sys

TYPE_CHECKING = False  # as mypy knows it: typing is a module that may not be loaded
if TYPE_CHECKING:
    from types import ModuleType


def load(library: str) -> "ModuleType":
    """The extension at this path, in no table of modules. Raises ImportError."""
    spec = sys.modules["_frozen_importlib"].ModuleSpec("_core", None, origin=library)
    core = _imp.create_dynamic(spec)
    _imp.exec_dynamic(core)
    return core


def enter(library: str, arguments: "str | bytes") -> int:
    """Load ``library`` and start the engine.

    ``arguments`` are those of ``stackglass_enter`` (agent/agent.h), as bytes or as text. Returns 0
    if the engine starts, 1 if it was running, else -errno. Raises ImportError. With ``wait=1``
    among the arguments it returns when the profiler runs, or cannot.
    """
    if isinstance(arguments, str):
        arguments = arguments.encode(sys.getfilesystemencoding(), "surrogateescape")
    outcome: int = load(library).enter(arguments)
    return outcome


def enter_if_wanted(library: str, arguments: bytes, wanted: str) -> None:
    """Load ``library`` and start the engine, if there is the file ``wanted``: a thread may run this
    long after the caller has found another way, and left. Raises ImportError.

    The engine looks at the file, too: the caller may give up just now.
    """
    core = load(library)
    try:
        sys.modules["posix"].stat(wanted)
    except FileNotFoundError:
        return
    field = b"wanted=" + wanted.encode(sys.getfilesystemencoding(), "surrogateescape") + b"\0"
    core.enter(field + arguments)
