"""Loader of files and of servers' profiles: each is read in a thread of its own."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from stackglass_viewer.model.errors import CancelledError, ViewerError
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.opened_folder import list_summed, read_folder
from stackglass_viewer.presenter.settings.view_state import LoadProgress

_MIN_STEP = 0.01  # share of the whole between two reports; smaller steps are not worth a signal


Read = Callable[[Callable[[], bool], Callable[[float], None]], Any]
"""Reads one thing in a thread of its own; receives ``is_cancelled`` and ``report``. Raises
ViewerError, OSError."""

_ACTS = {"Opening": "open", "Comparing": "compare", "Keeping": "keep"}
"""What an error could not do, by ``LoadItem.verb``: the names of files stand inside its sentence,
which begins with a capital letter. Others are not of files."""


@dataclass(frozen=True, slots=True)
class LoadItem:
    """A thing to read: a file, or a server's profile."""

    place: str  # path, or URL
    name: str  # of the file, as the errors of its reader have it
    read: Read
    verb: str = "Opening"
    called: str = ""  # what messages call it; "" = by its name

    @property
    def title(self) -> str:
        """What messages call it, safe to show."""
        return make_printable(self.called or self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """The content that was read."""

    place: str
    content: Any  # what ``LoadItem.read`` returned; for a file see ``open_content``
    origin: object = None  # what ``find_origin`` returned when reading was requested


@dataclass(frozen=True, slots=True)
class LoadFailure:
    """A file or profile that could not be read; ``text`` says why, in one line."""

    place: str
    text: str
    origin: object = None


class _Reading:
    """One item being read. The GUI thread sets the cancel flag, and the reading thread polls it."""

    def __init__(
        self, item: LoadItem, origin: object, report: Callable[[LoadProgress], None]
    ) -> None:
        self.item = item
        self.origin = origin
        self.thread: threading.Thread | None = None
        self._report = report
        self._reported = -1.0
        self._is_cancelled = threading.Event()

    def cancel(self) -> None:
        self._is_cancelled.set()

    def is_cancelled(self) -> bool:
        return self._is_cancelled.is_set()

    def report(self, share: float) -> None:
        if share - self._reported >= _MIN_STEP and not self.is_cancelled():
            self._reported = share
            self._report(LoadProgress(self.item.title, share, self.item.verb))


class Loader(QObject):
    """Reads each item in a thread of its own. Signals arrive on the GUI thread."""

    begun = Signal()  # reading begins, after a time in which nothing was read
    loaded = Signal(object)  # Loaded
    failed = Signal(object)  # LoadFailure
    progressed = Signal(object)  # LoadProgress; None = nothing is being read any more

    _done = Signal(object, object)  # _Reading; Loaded, LoadFailure or None (cancelled)
    _reported = Signal(object)

    def __init__(
        self,
        parent: QObject | None = None,
        find_origin: Callable[[], object] = lambda: None,
    ) -> None:
        """``find_origin`` returns where a request comes from, such as a window. It is called with
        each request, and its value comes back with the outcome."""
        super().__init__(parent)
        self._find_origin = find_origin
        self._readings: list[_Reading] = []
        queued = Qt.ConnectionType.QueuedConnection
        self._done.connect(self._on_done, queued)
        self._reported.connect(self._on_reported, queued)

    @property
    def is_busy(self) -> bool:
        return bool(self._readings)

    @property
    def _is_reading(self) -> bool:
        """Whether anything is being read that was not cancelled."""
        return not all(reading.is_cancelled() for reading in self._readings)

    def load(self, path: str, called: str = "") -> None:
        """Begin to read a file; ``loaded`` or ``failed`` follows, unless cancelled. ``called``:
        what messages call the file instead of its name. Of a folder, ``Loaded.content`` is an
        ``OpenedFolder``."""

        def read(is_cancelled: Callable[[], bool], report: Callable[[float], None]) -> Any:
            # Here for start-up time: the readers of all formats.
            from stackglass_viewer.model.memory_trace.any_file import open_any

            if os.path.isdir(path):
                return read_folder(path, is_cancelled)
            return open_any(path, is_cancelled=is_cancelled, report=report)

        self.run(LoadItem(path, Path(path).name, read, called=called))

    def load_sum(self, paths: Sequence[str]) -> None:
        """Begin to read several files and add them up: ``Loaded.content`` is a ``FileSum``. A
        folder stands for its profiles."""

        def read(is_cancelled: Callable[[], bool], report: Callable[[float], None]) -> Any:
            # Here for start-up time: the readers of all formats.
            from stackglass_viewer.model.memory_trace.any_file import open_file
            from stackglass_viewer.model.profile.file_sum import sum_files

            files = tuple(list_summed(paths, is_cancelled))

            def report_of(number: int) -> Callable[[float], None]:
                return lambda share: report((number + share) / len(files))

            summed = sum_files(
                [
                    (
                        open_file(path, is_cancelled=is_cancelled, report=report_of(number)),
                        Path(path).name,
                    )
                    for number, path in enumerate(files)
                ]
            )
            return replace(summed, paths=files)

        place = name_files(paths)
        self.run(LoadItem(place, place, read))

    def run(self, item: LoadItem) -> None:
        """Begin to read an item of any kind; ``loaded`` or ``failed`` follows, unless cancelled."""
        if not self._is_reading:
            self.begun.emit()
        reading = _Reading(item, self._find_origin(), self._reported.emit)
        self._readings.append(reading)
        self.progressed.emit(LoadProgress(item.title, None, item.verb))
        reading.thread = threading.Thread(
            target=self._read, args=(reading,), name=f"read {item.name}", daemon=True
        )
        reading.thread.start()

    def cancel(self) -> None:
        """Cancel everything that is being read.

        ``progressed`` reports the end at once. Each thread ends at its next report; it then frees
        its memory, which takes a moment for a large file.
        """
        for reading in self._readings:
            reading.cancel()
        self.progressed.emit(None)

    def stop(self, timeout_s: float = 5.0) -> None:
        """Cancel and wait for the threads to end."""
        self.cancel()
        for reading in self._readings:
            if reading.thread is not None:
                reading.thread.join(timeout_s)

    def _read(self, reading: _Reading) -> None:
        item = reading.item
        outcome: Loaded | LoadFailure | None
        try:
            content = item.read(reading.is_cancelled, reading.report)
            outcome = Loaded(item.place, content, reading.origin)
        except CancelledError:
            outcome = None
        except (ViewerError, OSError) as error:
            outcome = LoadFailure(item.place, _describe(item, error), reading.origin)
        except Exception as error:  # noqa: BLE001 - the top of a thread: logged and reported
            traceback.print_exc()
            text = f"{item.title}: the reader failed ({type(error).__name__}: {error})"
            outcome = LoadFailure(item.place, " ".join(text.split()), reading.origin)
        self._done.emit(reading, None if reading.is_cancelled() else outcome)

    @Slot(object, object)
    def _on_done(self, reading: _Reading, outcome: Loaded | LoadFailure | None) -> None:
        self._readings.remove(reading)
        if reading.is_cancelled():
            pass  # cancelled after the item was read
        elif isinstance(outcome, Loaded):
            self.loaded.emit(outcome)
        elif isinstance(outcome, LoadFailure):
            self.failed.emit(outcome)
        if not self._is_reading:
            self.progressed.emit(None)

    @Slot(object)
    def _on_reported(self, progress: LoadProgress) -> None:
        if self._is_reading:
            self.progressed.emit(progress)


def name_paths(paths: Sequence[str]) -> str:
    """Return the ``LoadItem.place`` of a file, or of several that are read as one."""
    return paths[0] if len(paths) == 1 else name_files(paths)


def name_files(paths: Sequence[str]) -> str:
    """Return what messages call several files that are read as one."""
    first, n_others = Path(paths[0]).name, len(paths) - 1
    return f"{first} and {n_others} more" if n_others else first


def _describe(item: LoadItem, error: ViewerError | OSError) -> str:
    """Return the error in one line that names the item."""
    act = _ACTS.get(item.verb)
    subject = f"cannot {act} {item.title}" if act else item.title
    if isinstance(error, OSError) and error.strerror:
        return f"{subject}: {error.strerror.lower()}"
    text, name = (" ".join(each.split()) for each in (str(error), item.name))
    return text.replace(name, item.title) if name and name in text else f"{subject}: {text}"
