"""Gradual import of a large package: some milliseconds at a time, so that events run in between.

pyqtgraph imports two hundred modules, which takes 0.1 to 0.3 s of CPU time. Another thread cannot
do that, because PySide makes types without a lock. So a finder on ``sys.meta_path`` raises an
exception before the next module once the step's time is over, and the import begins again later.
Modules that are finished are in ``sys.modules`` and do not run again. The package's own
``__init__`` runs again from its beginning, which costs next to nothing.
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
    """Breaks off an import. A BaseException, so that ``except Exception`` does not catch it."""


class _Limit:
    """A finder that finds nothing, and raises _Pause once its thread has used its time."""

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

    Code that imports the package before the last step gets it half made, as with any import under
    way: callers must prevent that. After an error, or if the generator is closed early, the package
    is not in ``sys.modules``.
    Raises ImportError if there is no such package.
    """
    if name in sys.modules:
        return
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(f"no source file found for {name}", name=name)
    # The module is the same in every step: its submodules may hold objects from it.
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    limit_s = step_s
    try:
        while True:
            n_before = len(sys.modules)
            if _run(spec, module, limit_s):
                return
            # A step that finished no module would not finish one in the same time either.
            limit_s = step_s if len(sys.modules) > n_before else 2 * limit_s
            yield
    except BaseException:
        del sys.modules[name]
        raise


def _run(spec: ModuleSpec, module: ModuleType, limit_s: float) -> bool:
    """Run the package's code; return False if it was broken off.

    ``sys.meta_path`` is replaced, never changed in place: another thread may iterate over it, and
    would skip a finder if an item were removed.
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
