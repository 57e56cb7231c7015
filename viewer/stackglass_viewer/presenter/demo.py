"""Demo program, started as an ordinary process without the engine; an example of a recording."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import resources

EXAMPLE = resources.files("stackglass_resources") / "demo" / "photo_album.sgm"
"""A recording of ``photo_album.py``, which is beside it; both come with Stackglass."""

_STOP_S = 3.0
_KEEP_OUT = ("PYTHONPATH", "VIRTUAL_ENV", "QT_QPA_PLATFORM")


def start_demo(program: str) -> tuple[int, Callable[[], None]]:
    """Start the Python file ``program`` as a process; returns its PID and a function that ends it.

    The demo also ends by itself, after an hour.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _KEEP_OUT}
    process = subprocess.Popen(
        [sys.executable, program, "--seconds", "3600"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )

    def stop() -> None:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    return process.pid, stop
