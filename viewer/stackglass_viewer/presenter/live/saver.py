"""Saver of a capture: writes files in the background, and knows whether data are unsaved."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.transforms import Transform, transform_profile
from stackglass_viewer.model.session.notes import Marks
from stackglass_viewer.presenter.saving.file_names import suggest_path
from stackglass_viewer.presenter.saving.save_plan import SavePlan
from stackglass_viewer.presenter.saving.unsaved_changes import Unsaved
from stackglass_viewer.presenter.settings.command_texts import name_command
from stackglass_viewer.presenter.settings.view_state import LiveStatus, SaveChoice
from stackglass_viewer.presenter.worker import Worker

SESSION_SUFFIX = ".sgm"

WriteSession = Callable[[str, Marks | None], str]
"""Writes the whole session as a file, with the marks of its timeline; returns a message. Any thread
but the GUI's. Raises StackglassError, OSError."""


@dataclass(frozen=True, slots=True)
class SaveSubject:
    """What can be saved at one moment, and under which name."""

    plan: SavePlan
    status: LiveStatus
    marks: Marks | None = None  # marks of the timeline; None = there are none

    def describe(self) -> tuple[str, str]:
        """Return what ``shown`` and ``everything`` would save, in words."""
        return self.plan.describe()

    def suggest_path(self, choice: SaveChoice = "shown") -> str:
        """Return a path in the current folder, made of program, PID, profile and time."""
        name = name_command(self.status.command).removesuffix(".py")
        kind, ending = (self.plan.suffix, ".pb.gz") if choice != "session" else ("", SESSION_SUFFIX)
        return suggest_path(f"{name}-{self.status.pid}{kind}", ending)


class CaptureSaver(QObject):
    """Writes files in a worker of its own. GUI thread."""

    saved = Signal(str)  # message on the written file
    written = Signal(str)  # path of the file
    failed = Signal(object)  # Exception

    def __init__(
        self, live: LiveProfile, write_session: WriteSession, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._write_session = write_session
        self._live = live
        self._worker = Worker("save", self)
        self._n_saves = 0
        # By path, in the order of the saves: number of the save, and its callback.
        self._waiting: dict[str, list[tuple[int, Callable[[], None]]]] = {}
        self.unsaved = Unsaved()

    def save(
        self,
        subject: SaveSubject,
        path: str,
        choice: SaveChoice,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        """Write a file; ``saved`` or ``failed`` follows. ``after`` is called once it is saved.

        If a file with the same path is still to be written, only this one is: then the callbacks of
        both are called.
        """
        live, plan, status = self._live, subject.plan, subject.status
        self._n_saves += 1
        number = self._n_saves
        self._waiting.setdefault(path, []).append((number, after))

        def on_done(text: str) -> None:
            if choice == "session":
                self.unsaved.remember_all(status)
            elif choice == "everything":
                self.unsaved.remember(plan, status)
            self.saved.emit(text)
            self.written.emit(path)
            for each in self._take_waiting(path, number):
                each()

        def on_failed(error: Exception) -> None:
            self._take_waiting(path, number)
            self.failed.emit(error)

        def write() -> str:
            if choice == "session":
                return self._write_session(path, subject.marks)
            return plan.write(live, path, choice)

        # The path is the key: another file does not replace one that is still to be written.
        self._worker.submit(path, write, on_done, on_failed)

    def _take_waiting(self, path: str, number: int) -> list[Callable[[], None]]:
        """Remove the callbacks of the save ``number`` and of earlier ones that it replaced."""
        waiting = self._waiting.pop(path, [])
        later = [each for each in waiting if each[0] > number]
        if later:
            self._waiting[path] = later
        return [after for at, after in waiting if at <= number]

    def leave(self) -> None:
        """Stop the thread; no signal is emitted any more."""
        self.blockSignals(True)
        self._worker.leave()

    def wait(self) -> None:
        """Wait until the thread has ended. Any thread may call this method, after ``leave``."""
        self._worker.wait()


def read_shown(
    live: LiveProfile, plan: SavePlan, transforms: tuple[Transform, ...] = ()
) -> Profile:
    """Return what the tab shows, after ``transforms``, as if its file had been read.

    Any thread but the GUI's. Raises StackglassError.
    """
    from stackglass_viewer.model.readers.opener import open_profile  # here for start-up time

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "shown.pb.gz")
        plan.write(live, path, "shown")
        content = open_profile(path)
    assert isinstance(content, Profile)
    return transform_profile(content, transforms)
