"""Session behind a process's tab: one that is recorded while it runs, or one from a file."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import NoReturn, Protocol

from PySide6.QtCore import QObject

from stackglass.errors import StackglassError
from stackglass.wire.profile_file import write_pieces
from stackglass.wire.rates import OFF
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session.copying import copy_session
from stackglass_viewer.model.session.notes import Head, Marks
from stackglass_viewer.model.session.recorder import SessionRecorder
from stackglass_viewer.model.session.saved import SavedSession
from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.live.capture import Capture, Connect
from stackglass_viewer.presenter.live.native_line_reader import NativeLineReader
from stackglass_viewer.presenter.live.status_tracker import StatusTracker
from stackglass_viewer.presenter.live.symbols import SYMBOLS
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.live.target_process import read_command
from stackglass_viewer.presenter.settings.view_state import LiveStatus


class Session(Protocol):
    """What a tab of a process shows."""

    @property
    def live(self) -> LiveProfile:
        """Its data."""

    @property
    def name(self) -> str:
        """Of its file; "" = it is no file."""

    @property
    def pid(self) -> int:
        """Of the process, if it may run; 0 = it is a file."""

    @property
    def marks(self) -> Marks | None:
        """That its timeline begins with."""

    def make_capture(self, connect: Connect, parent: QObject) -> Capture:
        """Once."""

    def write(self, path: str, marks: Marks | None = None) -> str:
        """As ``WriteSession``."""

    def read_names_anew(self) -> None:
        """There are debug files that were not there: names and lines of machine code. It waits for
        them. Any thread but the GUI's."""

    def close(self) -> None:
        """Release what it has, after its threads have ended. Any thread."""


class RecordedSession:
    """Recorded from its beginning on."""

    name = ""
    marks: Marks | None = None

    def __init__(self, target: Target) -> None:
        self._target = target
        self.pid = target.pid
        connected_ns = time.monotonic_ns()
        self._recorder = SessionRecorder(Head(target.pid, read_command(target.pid), connected_ns))
        name_natives = partial(SYMBOLS.name, target.pid)
        self.live = LiveProfile(connected_ns, name_natives, self._recorder)
        self._lines = NativeLineReader(
            self.live,
            partial(SYMBOLS.locate, target.pid),
            partial(SYMBOLS.list_problems, target.pid),
        )

    def make_capture(self, connect: Connect, parent: QObject) -> Capture:
        """It attaches."""
        return Capture(self._target, self.live, connect, parent, self._note)

    def _note(self) -> None:
        """Messages were applied."""
        self._recorder.spill()
        self._lines.wake()

    def write(self, path: str, marks: Marks | None = None) -> str:
        """Raises OutputError."""
        self._recorder.add_marks(marks)
        n_bytes = self._recorder.write(path)
        text = f"The session is saved: {format_value(n_bytes, 'bytes')} in {Path(path).name}"
        problem = self._recorder.problem
        return f"{text}. Its end is missing: {problem}" if problem else text

    def read_names_anew(self) -> None:
        """As the session's file will have it, too."""
        SYMBOLS.forget(self.pid)
        natives = self.live.lines.list_natives()
        found = SYMBOLS.name(self.pid, list(natives.values())) or []
        names = {number: each.text for number, each in zip(natives, found, strict=False)}
        self.live.apply(wire_pb2.FromEngine(batch=wire_pb2.Batch()), names)
        self._lines.read_anew()

    def close(self) -> None:
        """The spool goes."""
        self._lines.close()
        self._recorder.close()


class SavedFile:
    """Read from a file; there is nothing to attach to."""

    pid = 0

    def __init__(self, saved: SavedSession) -> None:
        self._saved = saved
        self.live = saved.live

    @property
    def marks(self) -> Marks | None:
        """What was chosen on its timeline."""
        return self._saved.marks

    @property
    def name(self) -> str:
        """Of the file."""
        return Path(self._saved.path).name

    def make_capture(self, _connect: Connect, parent: QObject) -> Capture:
        """It ended when it was saved."""
        return _SavedCapture(self._saved, parent)

    def write(self, path: str, marks: Marks | None = None) -> str:
        """Copy the file. Raises OutputError, ProfileError, OSError."""
        write_pieces(path, copy_session(self._saved.path, marks))
        return f"The session is saved: {Path(path).name}"

    def read_names_anew(self) -> None:
        """It has the names that were recorded."""

    def close(self) -> None:
        """It has nothing open."""


def make_session(target: Target | SavedSession) -> Session:
    """Of a process, or of a file."""
    return SavedFile(target) if isinstance(target, SavedSession) else RecordedSession(target)


class _SavedCapture(Capture):
    """It never runs."""

    def __init__(self, saved: SavedSession, parent: QObject) -> None:
        super().__init__(Target(saved.head.pid, OFF), saved.live, _refuse, parent)
        self._shown = describe_saved(saved)

    def start(self) -> None:
        """There is nothing to listen to."""


def describe_saved(saved: SavedSession) -> LiveStatus:
    """How the capture stood when it was saved."""
    head = saved.head
    tracker = StatusTracker(LiveStatus("connecting", head.pid, head.command))
    for message in saved.last:
        tracker.apply(message)
    begin_ns = saved.live.to_unix_ns(head.connected_mono_ns)
    when = time.strftime("%d %B %Y, %H:%M", time.localtime(begin_ns / 1e9))
    text = f"a saved session of process {head.pid}, begun {when}; nothing is attached"
    tracker.end("saved", "; ".join((text, *saved.warnings)))
    return tracker.status


def _refuse(_pid: int, _hz: int) -> NoReturn:
    raise StackglassError("a saved session has no process")
