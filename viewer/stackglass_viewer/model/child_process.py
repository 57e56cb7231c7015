"""Wait for the end of a child process, which the user can cancel."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

from stackglass_viewer.model.errors import CancelledError


def wait_for(
    child: subprocess.Popen[bytes],
    is_cancelled: Callable[[], bool],
    most_s: float,
    poll_s: float = 0.02,
) -> bool:
    """Wait until ``child`` ends; returns False if it has not ended within ``most_s`` seconds.

    ``is_cancelled`` is called every ``poll_s`` seconds. Does not end the process. Any thread.
    Raises CancelledError.
    """
    end = time.monotonic() + most_s
    while True:
        try:
            child.wait(poll_s)
        except subprocess.TimeoutExpired:
            if is_cancelled():
                raise CancelledError from None
            if time.monotonic() > end:
                return False
        else:
            return True
