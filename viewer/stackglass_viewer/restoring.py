"""Windows and tabs of the last run, opened again; part of the composition root.

::

    start ─▶ OpenTabs ─┬─▶ files, one after the other: each becomes a tab, with its view and filters
                       └─▶ processes that still run: offered, since the user decides whether
                           to attach; with their children, and the tab of all of them, also if
                           only the children still run

Only a program that was started without a file or process opens the last tabs. It then remembers
its own in their place. At a logout the desktop closes the windows one by one: the tabs that were
open before the first window was closed are remembered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QSettings, Qt, QTimer

from stackglass.wire.rates import OFF
from stackglass_viewer.families import Families, Followed
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.live.target_process import read_beginning
from stackglass_viewer.presenter.load_errors import LoadErrors
from stackglass_viewer.presenter.loading import LoadFailure, name_paths
from stackglass_viewer.presenter.settings.open_families import (
    OpenFamily,
    gather_families,
    keep_families,
    keep_running,
)
from stackglass_viewer.presenter.settings.open_tabs import (
    OpenTabs,
    TabRecord,
    WindowRecord,
    decode_geometry,
    encode_geometry,
)
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.view_state import Notice, Tone
from stackglass_viewer.tab_records import (
    apply_record,
    prepare_tab,
    read_capture,
    read_growth,
    read_kept_zoom,
)
from stackglass_viewer.tabs import Tabs
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows

RECONNECT = "reconnect"
_STORE_AFTER_MS = 500
_STORE_EVERY_MS = 5_000  # a program that is killed loses the choices of at most this time
_CLOSING_MS = 3_000  # windows that are closed so soon after each other are restored together
LOGOUT_MS = 60_000  # the most that a desktop is expected to take to close all programs

_Opened = TypeVar("_Opened", bound=Document)


@dataclass(frozen=True, slots=True)
class Openers:
    """Functions that open a tab again."""

    open_as_one: Callable[[tuple[str, ...]], None]  # opens the sum of files in one tab
    attach: Callable[[TabRecord], LiveDocument]  # attaches to the process of this tab
    families: Families


class Restoring:
    """Remembers the open windows and tabs, and opens those of the last run. GUI thread."""

    def __init__(
        self,
        windows: Windows,
        tabs: Tabs,
        kept: tuple[QSettings, Preferences],
        openers: Openers,
    ) -> None:
        settings, self._preferences = kept
        self._windows = windows
        self._tabs = tabs
        self._openers = openers
        self._store = OpenTabs(settings)
        self._is_active = False
        self._paths: dict[ProfilePage, tuple[str, ...]] = {}  # one file, or those of a sum
        self._began: dict[Document, str] = {}  # when the processes began
        self._coming: deque[TabRecord] = deque()  # tabs of files still to be opened
        self._fronts: list[ProfilePage] = []  # to be brought up once all tabs are open
        self._last: tuple[WindowRecord, ...] = ()  # windows of the last run
        self._stored: tuple[list[TabRecord], list[WindowRecord]] | None = None
        self._opened: dict[int, MainWindow] = {}  # windows, by their numbers in the last run
        self._gone: list[str] = []  # names of files that exist no more
        self._errors = LoadErrors()  # of files that exist
        self._failed: Notice | None = None  # all of these errors
        self._running: tuple[TabRecord, ...] = ()  # tabs of processes that are offered
        self._fronts_of: set[Document] = set()  # like ``_fronts``, of processes
        self._timer = QTimer(windows)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_STORE_AFTER_MS)
        self._timer.timeout.connect(self.store)
        self._regular = QTimer(windows)
        self._regular.setInterval(_STORE_EVERY_MS)
        self._regular.timeout.connect(self.store)
        self._held = QTimer(windows)  # while it runs, ``store`` does nothing
        self._held.setSingleShot(True)
        self._held.timeout.connect(self.store)
        windows.current_changed.connect(lambda _: self._timer.start())
        windows.current_changed.connect(lambda _: self._withdraw())
        windows.on_each(self._connect_window)

    def _connect_window(self, window: MainWindow) -> None:
        window.message.action_requested.connect(self._take_action)
        window.message.closed.connect(self._decline)
        window.loading.cancel_requested.connect(self.cancel)

    # -- what is remembered

    def note(self, paths: tuple[str, ...], page: ProfilePage) -> None:
        """Remember the files of a new tab. If this is the next tab of the last run, prepare it as
        it was, and open the one after it."""
        self._paths[page] = paths
        document = self._tabs.documents[page]
        if self._coming and self._coming[0].paths == paths:
            record = self._coming.popleft()
            if record.is_front:
                self._fronts.append(page)
            prepare_tab(record, document, page)
            self._open_next()

    def forget(self, page: ProfilePage) -> None:
        """Forget a closed tab."""
        self._paths.pop(page, None)
        self._began.pop(self._tabs.documents[page], None)
        if page in self._fronts:
            self._fronts.remove(page)

    def hold(self, for_ms: int = _CLOSING_MS) -> None:
        """Store the tabs now, then suspend ``store`` for ``for_ms``, while windows may be closed.
        After that, store the tabs that are open then."""
        if not self._held.isActive():
            self.store()
        self._held.start(max(for_ms, self._held.remainingTime()))

    def release(self) -> None:
        """End ``hold``: the next ``store`` takes effect."""
        self._held.stop()

    def store(self) -> None:
        """Store a record of each tab and of each process that is still offered, unless tabs of the
        last run are still being opened or ``hold`` is in force."""
        self._timer.stop()
        if not self._is_active or self._coming or self._preferences.choice("start") != "tabs":
            return
        if self._held.isActive():
            return
        found = ([*self.list_records(), *self._list_offered()], self._read_windows())
        if found != self._stored:
            self._stored = found
            self._store.store(*found)

    def end(self) -> None:
        """Store the tabs for the last time: the windows are about to be closed."""
        self.store()
        self._is_active = False
        for timer in (self._timer, self._regular, self._held):
            timer.stop()

    def list_records(self) -> list[TabRecord]:
        """Return a record of each tab that can be opened again, from left to right."""
        pages = sorted(self._tabs.documents, key=self._windows.place_of)
        return [record for page in pages if (record := self._read(page)) is not None]

    def _list_offered(self) -> list[TabRecord]:
        """Return the tabs of the processes that the next run is to offer again."""
        last = max(len(self._windows.all) - 1, 0)
        return [
            replace(each, window=min(each.window, last), is_front=False) for each in self._running
        ]

    def _read(self, page: ProfilePage) -> TabRecord | None:
        document, paths = self._tabs.documents[page], self._paths.get(page, ())
        target, pid, began, followed = Target(0, OFF), 0, "", None
        if not paths:
            followed = self._openers.families.find(document)
            is_group = isinstance(document, GroupDocument)
            watched = followed.find_attached() if is_group and followed is not None else document
            if not isinstance(watched, LiveDocument) or not watched.status.is_attached:
                return None
            target = watched.capture.target
            pid = followed.target.pid if is_group and followed is not None else target.pid
            began = self._began.setdefault(document, read_beginning(pid))
        return TabRecord(
            paths[0] if paths else "",
            pid,
            began,
            self._windows.title_of(page),
            page.view,
            document.shown_type,
            document.transforms.chosen,
            document.labels.chosen,
            page in self._windows.fronts,
            *read_capture(document),
            self._windows.number_of(page),
            document.brush.chosen,
            read_kept_zoom(document, page),
            document.threads.named,
            read_growth(document),
            page.layout_choice.wanted if page.layout_choice.is_arranged else None,
            paths[1:],
            target.has_native,
            target.variables,
            followed.target.pid if followed is not None else 0,
            isinstance(document, GroupDocument),
            followed.title if followed is not None else "",
        )

    def _read_windows(self) -> list[WindowRecord]:
        active = self._windows.active
        return [
            WindowRecord(encode_geometry(window.saveGeometry()), window is active)
            for window in self._windows.all
        ]

    # -- opening

    def begin(self) -> None:
        """Open the tabs of the last run, if the user wants that, and remember this run's tabs."""
        records = self._store.read() if self._preferences.choice("start") == "tabs" else ()
        self._is_active = True
        self._regular.start()
        if records:
            self._last = self._store.read_windows()
        self._coming.extend(record for record in records if record.path)
        self._errors.begin([name_paths(record.paths) for record in self._coming])
        self._running = keep_running(records, read_beginning)
        self._open_next()

    def fail(self, failure: LoadFailure) -> bool:
        """If the next file of the last run has failed, open the one after it and return True.

        A notice gives the reason once all tabs are open: each further tab would hide the notice.
        """
        if not self._coming or name_paths(self._coming[0].paths) != failure.place:
            return False
        paths = self._coming.popleft().paths
        gone = [make_printable(Path(path).name) for path in paths if not Path(path).exists()]
        self._gone += gone
        if not gone:
            self._failed = self._errors.add(failure)
        self._open_next()
        return True

    def cancel(self) -> None:
        """Open no more tabs of the last run, and finish those that are open."""
        if self._coming:
            self._coming.clear()
            self._open_next()

    def _open_next(self) -> None:
        if self._coming:
            with self._windows.toward(self._find_window(self._coming[0].window)):
                self._openers.open_as_one(self._coming[0].paths)
            return
        self._bring_up_fronts()
        self._show_notice()

    def finish(self, *, is_idle: bool) -> None:
        """Bring up the tabs of processes that were in front, now that no tab is being opened. If no
        file is being read (``is_idle``), the next tab of the last run does not come: it was closed
        before it was whole, or its path is a folder now. Then open the one after it."""
        documents, self._fronts_of = self._fronts_of, set()
        self._fronts += [
            page for page, document in self._tabs.documents.items() if document in documents
        ]
        if self._coming and is_idle:
            self._coming.popleft()
            self._open_next()
        elif not self._coming:
            self._bring_up_fronts()

    def _bring_up_fronts(self) -> None:
        # The active window of the last run comes last, so that it is above the others.
        for page in sorted(self._fronts, key=self._was_in_active):
            self._windows.show_page(page)
            page.focus_view()
        self._fronts.clear()

    def _find_window(self, number: int) -> MainWindow:
        """Return the window that had this number in the last run, opened where it was.

        The first call returns the active window, which exists already.
        """
        window = self._opened.get(number)
        if window is None:
            window = self._windows.open() if self._opened else self._windows.active
            self._opened[number] = window
            if number < len(self._last):
                window.restoreGeometry(decode_geometry(self._last[number].geometry))
        return window

    def _was_in_active(self, page: ProfilePage) -> bool:
        """Whether the page's window was the active one in the last run."""
        window = self._windows.window_of(page)
        return any(
            record.is_active and self._opened.get(number) is window
            for number, record in enumerate(self._last)
        )

    def _show_notice(self) -> None:
        """Show a notice of all errors and of the processes that are offered, if there are any."""
        lines = []
        tone: Tone = "info"
        action = label = ""
        if self._gone:
            lines.append(f"Gone, so not opened again: {', '.join(self._gone)}.")
        if self._failed is not None:
            lines.append(self._failed.text)
            tone = self._failed.tone
        if self._running:
            names = ", ".join(each.title for each in gather_families(self._running))
            lines.append(f"Still running since the last session: {names}.")
            action, label = RECONNECT, "Attach again"
        if lines:
            self._windows.show_notice(Notice(tone, "\n".join(lines), action, label))

    def _withdraw(self) -> None:
        """Withdraw the offer to attach again for processes that the user has attached to."""
        live = (each for each in self._tabs.documents.values() if isinstance(each, LiveDocument))
        pids = {document.status.pid for document in live}
        left = keep_families(record for record in self._running if record.pid not in pids)
        if left == self._running:
            return
        self._running = left
        offers = {each: each.message.notice for each in self._windows.all}
        offering = [each for each, offer in offers.items() if offer and offer.action == RECONNECT]
        for window in offering:
            window.show_notice(None)
        if offering:
            self._show_notice()

    def _decline(self, notice: Notice) -> None:
        """Offer the processes no more if the user has dismissed the offer."""
        if notice.action == RECONNECT:
            self._running = ()

    def _take_action(self, action: str) -> None:
        if action != RECONNECT:
            return
        running, self._running = self._running, ()
        self._windows.show_notice(None)
        self._show_notice()  # the errors of files stay
        for family in gather_families(keep_running(running, read_beginning)):
            followed = self._reopen_first(family)
            if followed is not None:
                for record in family.others:
                    self._reopen(record, partial(self._reopen_other, followed))

    def _reopen_first(self, family: OpenFamily) -> Followed | None:
        """Attach to the followed process, if it still runs, or to a process without a family."""
        families = self._openers.families
        if family.first is not None:
            return families.find(self._reopen(family.first, self._openers.attach))
        group = family.others[0]
        target = Target(group.pid, self._preferences.rates, group.has_native, group.variables)
        return families.follow_survivors(target, group.family_name)

    def _reopen_other(self, followed: Followed, record: TabRecord) -> LiveDocument | GroupDocument:
        families = self._openers.families
        if record.is_group:
            return families.reopen_group(followed)
        return families.rejoin(followed, record.pid)

    def _reopen(self, record: TabRecord, open_tab: Callable[[TabRecord], _Opened]) -> _Opened:
        """Open the tab of a process in the window that it was in; prepare it once it is built."""
        with self._windows.toward(self._find_window(record.window)):
            document = open_tab(record)
        document.built.connect(
            partial(self._prepare_live, record, document),
            Qt.ConnectionType.SingleShotConnection,
        )
        if record.is_front:
            self._fronts_of.add(document)
        return document

    def _prepare_live(self, record: TabRecord, document: Document, _built: object) -> None:
        for page, each in self._tabs.documents.items():
            if each is document:
                apply_record(record, document, page)
