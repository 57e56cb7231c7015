"""Session behind a process's tab: recorded from a running process, or read from a file."""

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
from stackglass_viewer.model.session.notes import Head, Marks
from stackglass_viewer.model.session.recorder import SessionRecorder
from stackglass_viewer.model.session.saved_session import SavedSession
from stackglass_viewer.model.session.session_copy import copy_session
from stackglass_viewer.model.units import format_value
from stackglass_viewer.presenter.live.capture import Capture, Connect
from stackglass_viewer.presenter.live.data_users import DataUsers
from stackglass_viewer.presenter.live.native_line_reader import NativeLineReader
from stackglass_viewer.presenter.live.status_tracker import StatusTracker
from stackglass_viewer.presenter.live.symbols import SYMBOLS
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.live.target_process import list_threads, read_command
from stackglass_viewer.presenter.settings.view_state import LiveStatus


class Session(Protocol):
    """The data of a tab of a process, and where they come from."""

    @property
    def live(self) -> LiveProfile:
        """The captured data."""

    @property
    def data_users(self) -> DataUsers:
        """The tabs that read ``live``."""

    @property
    def name(self) -> str:
        """The file's name; "" = the session is not from a file."""

    @property
    def pid(self) -> int:
        """The PID of a process that may run; 0 = the session is from a file."""

    @property
    def alive(self) -> frozenset[int] | None:
        """The threads when the session was saved; None = not known, or it is not from a file."""

    @property
    def marks(self) -> Marks | None:
        """The marks to set on the timeline at first; None = there are none."""

    def make_capture(self, connect: Connect, parent: QObject) -> Capture:
        """Make the capture of the session. Called once."""

    def write(self, path: str, marks: Marks | None = None) -> str:
        """Write the session to a file; a ``WriteSession``."""

    def read_names_anew(self) -> None:
        """Read names and lines of machine code again from new debug files, and wait for them. Any
        thread but the GUI's."""

    def close(self) -> None:
        """Release resources and the data, once the tab's threads have ended. Any thread."""


class RecordedSession:
    """The session of a process, recorded from its beginning."""

    name = ""
    alive: frozenset[int] | None = None
    marks: Marks | None = None

    def __init__(self, target: Target) -> None:
        self._target = target
        self.pid = target.pid
        connected_ns = time.monotonic_ns()
        self._recorder = SessionRecorder(Head(target.pid, read_command(target.pid), connected_ns))
        name_natives = partial(SYMBOLS.name, target.pid)
        self.live = LiveProfile(connected_ns, name_natives, self._recorder)
        self.data_users = DataUsers(self.live)
        self._lines = NativeLineReader(
            self.live,
            partial(SYMBOLS.locate, target.pid),
            partial(SYMBOLS.list_problems, target.pid),
        )

    def make_capture(self, connect: Connect, parent: QObject) -> Capture:
        """Make the capture that attaches to the process."""
        return Capture(self._target, self.live, connect, parent, self._note)

    def _note(self) -> None:
        """Spill the recording and read lines: a message was applied. On the listening thread."""
        self._recorder.spill()
        self._lines.wake()

    def write(self, path: str, marks: Marks | None = None) -> str:
        """Write the recording to a file; returns a message. Raises OutputError."""
        self._recorder.add_marks(marks)
        self._recorder.add_alive(list_threads(self.pid))
        n_bytes = self._recorder.write(path)
        text = f"The session is saved: {format_value(n_bytes, 'bytes')} in {Path(path).name}"
        problem = self._recorder.problem
        return f"{text}. Its end is missing: {problem}" if problem else text

    def read_names_anew(self) -> None:
        """Read names and lines again; the recording gets them, too."""
        SYMBOLS.forget(self.pid)
        natives = self.live.lines.list_natives()
        found = SYMBOLS.name(self.pid, list(natives.values())) or []
        names = {number: each.text for number, each in zip(natives, found, strict=False)}
        self.live.apply(wire_pb2.FromEngine(batch=wire_pb2.Batch()), names)
        self._lines.read_anew()

    def close(self) -> None:
        """End the line reader, and release the recording's spool file and the data."""
        self._lines.close()
        self._recorder.close()
        self.data_users.leave()


class SavedFile:
    """A session from a file; there is nothing to attach to."""

    pid = 0

    def __init__(self, saved: SavedSession) -> None:
        self._saved = saved
        self.live = saved.live
        self.data_users = DataUsers(self.live)

    @property
    def alive(self) -> frozenset[int] | None:
        """The threads that the process had when it was saved."""
        return self._saved.alive

    @property
    def marks(self) -> Marks | None:
        """The marks that the file keeps."""
        return self._saved.marks

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self._saved.path).name

    def make_capture(self, _connect: Connect, parent: QObject) -> Capture:
        """Make a capture that has ended already."""
        return _SavedCapture(self._saved, parent)

    def write(self, path: str, marks: Marks | None = None) -> str:
        """Copy the file, with ``marks``; returns a message. Raises OutputError, ContentError,
        OSError."""
        write_pieces(path, copy_session(self._saved.path, marks))
        return f"The session is saved: {Path(path).name}"

    def read_names_anew(self) -> None:
        """Do nothing: the file has the names that were recorded."""

    def close(self) -> None:
        """Release the data; no file is open."""
        self.data_users.leave()


def make_session(target: Target | SavedSession) -> Session:
    """Return the session of a process, or of a file."""
    return SavedFile(target) if isinstance(target, SavedSession) else RecordedSession(target)


class _SavedCapture(Capture):
    """The capture of a session from a file: its thread never runs."""

    def __init__(self, saved: SavedSession, parent: QObject) -> None:
        super().__init__(Target(saved.head.pid, OFF), saved.live, _refuse, parent)
        self._shown = describe_saved(saved)

    def start(self) -> None:
        """Do nothing: there is no engine to listen to."""


def describe_saved(saved: SavedSession) -> LiveStatus:
    """Return the status of the capture when it was saved."""
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
