"""File of a snapshot: what a server sent, written in the background."""

from __future__ import annotations

import re
import time
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from stackglass.wire.profile_file import write_file
from stackglass_viewer.model.remote.address import Address
from stackglass_viewer.presenter.worker import Worker

_NOT_IN_A_NAME = re.compile(r"[^\w.-]+")


def suggest_path(address: Address) -> str:
    """A file in the current folder: server, profile, time."""
    name = _NOT_IN_A_NAME.sub("-", f"{address.host_text}-{address.profile}").strip("-")
    return str(Path.cwd() / f"{name}-{time.strftime('%Y%m%d-%H%M%S')}.pb.gz")


class SnapshotFile(QObject):
    """GUI thread; files are written by a worker."""

    saved = Signal(str)  # what was written
    failed = Signal(str)  # why not, in one sentence

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = Worker("save snapshot", self)

    def save(self, path: str, content: bytes) -> None:
        """Write a file; ``saved`` or ``failed`` follows."""
        self._worker.submit(
            path,
            lambda: write_file(path, content),
            lambda _: self.saved.emit(f"Saved {path}."),
            lambda error: self.failed.emit(" ".join(str(error).split())),
        )

    def stop(self) -> None:
        """Finish what is being written and end the thread."""
        self.blockSignals(True)
        self._worker.stop()
