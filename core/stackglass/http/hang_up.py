"""Hang-up: a wait that ends when the client closes the connection."""

from __future__ import annotations

import select
import socket
import time
from typing import Callable

_SLICE_S = 0.1


def wait(connection: socket.socket, seconds: float, is_closing: Callable[[], bool]) -> bool:
    """Wait so many seconds; False at once if the client closes its end, and soon if ``is_closing``.

    Polls the socket: a wait for an event is a wait for a lock, and would be in the program's block
    profile.
    """
    until_s = time.monotonic() + seconds
    poller = select.poll()
    poller.register(connection, select.POLLRDHUP)
    while True:
        left_s = max(until_s - time.monotonic(), 0.0)
        has_left = poller.poll(min(left_s, _SLICE_S) * 1000)
        if has_left or is_closing():
            return False
        if not left_s:
            return True
