"""Gradual import of a large package: some milliseconds at a time, with room for events between.

pyqtgraph imports two hundred modules: 0.1 to 0.3 s of CPU time without a break. Another
thread cannot do it: PySide makes types without a lock. So an import that has had its time is broken
off before its next module, and begun again later. Modules that were finished by then are not run
again; the package's own ``__init__`` is, from its beginning, which costs next to nothing.
"""

from __future__ import annotations

import importlib.util
import sys
import threading
import time
from collections.abc import Generator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


class _Pause(BaseException):
    """Breaks off an import; code that handles errors lets it pass."""


class _Limit:
    """A finder that finds nothing, and lets no import of its thread begin after its time."""

    def __init__(self, limit_s: float) -> None:
        self._thread = threading.get_ident()
        self._end_s = time.thread_time() + limit_s

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if threading.get_ident() == self._thread and time.thread_time() > self._end_s:
            raise _Pause
        return None


def import_gradually(name: str, step_s: float) -> Generator[None, None, None]:
    """Import the package ``name``; yields after each step of about ``step_s`` of CPU time, which a
    single module may exceed.

    Code that imports it in the meantime gets it half made, as with any import under way: callers
    must prevent that. After an error, or if the generator is closed, it is not in ``sys.modules``.
    Raises ImportError if there is no such package.
    """
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(f"no source file found for {name}", name=name)
    # The same module in every step: its parts keep what they have taken from it.
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    limit_s = step_s
    try:
        while True:
            n_before = len(sys.modules)
            if _run(spec, module, limit_s):
                return
            # A step that was too short to finish a module would be so again.
            limit_s = step_s if len(sys.modules) > n_before else 2 * limit_s
            yield
    except BaseException:
        del sys.modules[name]
        raise


def _run(spec: ModuleSpec, module: ModuleType, limit_s: float) -> bool:
    """Run the package; False = broken off.

    The list of finders is replaced, never changed: another thread that imports goes through it
    meanwhile, and where an item is taken out of the list it would pass over the next finder.
    """
    assert spec.loader is not None
    limit = _Limit(limit_s)
    sys.meta_path = [limit, *sys.meta_path]
    try:
        spec.loader.exec_module(module)
    except _Pause:
        return False
    finally:
        sys.meta_path = [finder for finder in sys.meta_path if finder is not limit]
    return True
