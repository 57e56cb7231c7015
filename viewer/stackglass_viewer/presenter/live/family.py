"""Family of processes: the Python processes that descend from them, found by listing processes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass.attach.child_commands import RESOURCE_TRACKER
from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.presenter.worker import Worker

_LOOK_MS = 500  # between two listings: a child that lives for less may not be seen
_NOTABLE_CPU_NS = 1_000_000_000  # many times the CPU time of starting Python


def list_descendants(roots: Collection[int], rows: Sequence[ProcessRow]) -> list[ProcessRow]:
    """Return the rows of the descendants of any of ``roots``, which are PIDs, in the same order."""
    parent_of = {row.pid: row.parent_pid for row in rows}

    def descends(row: ProcessRow) -> bool:
        seen = set()
        at = row.parent_pid
        while at and at not in roots and at not in seen:
            seen.add(at)
            at = parent_of.get(at, 0)
        return at in roots

    return [row for row in rows if descends(row)]


def is_notable(row: ProcessRow) -> bool:
    """Return False for multiprocessing's resource tracker while it has used little CPU: it runs
    none of the program's code."""
    return row.role != RESOURCE_TRACKER or row.cpu_ns >= _NOTABLE_CPU_NS


class Family(QObject):
    """Reports new descendants. A worker of its own lists the processes. GUI thread."""

    joined = Signal(object)  # ProcessRow: a process that the last listing did not have
    looked = Signal()  # a listing is done; about twice a second
    failed = Signal(str)  # why the processes cannot be listed

    def __init__(
        self, pid: int, find_rows: Callable[[], list[ProcessRow]], parent: QObject | None = None
    ) -> None:
        """``pid``: the first root, see ``set_roots``."""
        super().__init__(parent)
        self._roots = frozenset((pid,))
        self._find_rows = find_rows
        self._known: frozenset[int] = frozenset()  # of the last listing: a PID may be used again
        self._worker = Worker(f"family {pid}", self)
        self._timer = QTimer(self)
        self._timer.setInterval(_LOOK_MS)
        self._timer.timeout.connect(self._look)

    def set_roots(self, pids: frozenset[int]) -> None:
        """Choose the processes that the next listings report descendants of."""
        self._roots = pids

    def start(self) -> None:
        self._timer.start()
        self._look()

    def leave(self) -> None:
        """Stop the thread; no signal is emitted any more."""
        self.blockSignals(True)
        self._timer.stop()
        self._worker.leave()

    @property
    def has_ended(self) -> bool:
        """Whether the thread has ended, after ``leave``."""
        return self._worker.has_ended

    def wait(self) -> None:
        """Wait until the thread has ended, after ``leave``."""
        self._worker.wait()

    def _look(self) -> None:
        if not self._worker.is_busy("look"):
            roots, find_rows = self._roots, self._find_rows
            self._worker.submit(
                "look",
                lambda: list_descendants(roots, find_rows()),
                self._on_found,
                lambda error: self.failed.emit(_describe(error)),
            )

    def _on_found(self, rows: list[ProcessRow]) -> None:
        # A process that cannot be attached to yet, as between fork and exec, joins later.
        members = [row for row in rows if row.is_attachable and is_notable(row)]
        fresh = [row for row in members if row.pid not in self._known]
        self._known = frozenset(row.pid for row in members)
        for row in fresh:
            self.joined.emit(row)
        self.looked.emit()


def _describe(error: Exception) -> str:
    """Return the error in one line; never "": some errors have no text."""
    return " ".join(str(error).split()) or type(error).__name__
