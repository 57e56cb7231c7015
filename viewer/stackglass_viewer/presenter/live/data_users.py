"""The tabs that read the data of a session; the last one that is closed empties them.

The objects of a tab refer to each other in circles, and to the data. The collector frees such
circles, but none that was there when pyqtgraph was imported: what exists then is frozen (see
``gui_collector``). So the data of the first process with a timeline would stay until the end.
"""

from __future__ import annotations

import threading

from stackglass_viewer.model.live_profile import LiveProfile


class DataUsers:
    """Counts the tabs that read a session's data: its own, and those of groups. Any thread."""

    def __init__(self, live: LiveProfile) -> None:
        """The session's own tab is counted."""
        self._live = live
        self._lock = threading.Lock()
        self._n = 1  # guarded by _lock

    def join(self) -> None:
        """Count one more tab, while another one still reads the data."""
        with self._lock:
            self._n += 1

    def leave(self) -> None:
        """Count a tab less; empty the data if it was the last. Large arrays are freed here, which
        may take longer than a frame."""
        with self._lock:
            self._n -= 1
            is_last = self._n == 0
        if is_last:
            vars(self._live).update(vars(LiveProfile(0)))  # for a thread that still reads: no data
