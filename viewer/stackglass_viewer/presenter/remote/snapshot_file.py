"""Saver of a snapshot: writes what a server sent to a file, in the background."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass.wire.profile_file import write_file
from stackglass_viewer.model.remote.address import Address
from stackglass_viewer.presenter.saving.file_names import suggest_path
from stackglass_viewer.presenter.worker import Worker


def name_snapshot(address: Address) -> str:
    """Return a path in the current folder, made of server, profile and time."""
    return suggest_path(f"{address.host_text}-{address.profile}".replace("/", "-"), ".pb.gz")


class SnapshotFile(QObject):
    """Writes files in a worker of its own. GUI thread."""

    saved = Signal(str, object)  # message on the written file; the origin
    failed = Signal(str, object)  # why the file could not be written, in one sentence; the origin

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = Worker("save snapshot", self)

    def save(self, path: str, content: bytes, origin: object) -> None:
        """Write a file; ``saved`` or ``failed`` follows. ``origin``: the window that asked for it,
        or None."""
        self._worker.submit(
            path,
            lambda: write_file(path, content),
            lambda _: self.saved.emit(f"Saved {path}.", origin),
            lambda error: self.failed.emit(" ".join(str(error).split()), origin),
        )

    def stop(self, deadline_s: float | None = None) -> None:
        """Wait until the files are written, and end the thread. ``deadline_s``: see
        ``Worker.finish``."""
        self.blockSignals(True)
        self._worker.finish(deadline_s)
