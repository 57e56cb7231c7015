"""Child process that reads one file: waiting for its end."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from stackglass_viewer.model.errors import CancelledError

_POLL_S = 0.02


def wait_for(
    child: subprocess.Popen[bytes], is_cancelled: Callable[[], bool], most_s: float
) -> bool:
    """Wait until ``child`` ends; False = it has not ended within ``most_s``. Raises CancelledError.
    May run in any thread. The caller ends the process."""
    end = time.monotonic() + most_s
    while True:
        try:
            child.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            if is_cancelled():
                raise CancelledError from None
            if time.monotonic() > end:
                return False
        else:
            return True
