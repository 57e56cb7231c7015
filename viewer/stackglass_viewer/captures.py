"""Tabs of processes: attaching, live controls and saving; part of the composition root.

::

    Target ─▶ LiveDocument ─▶ tab with the controls of a capture ─▶ attach
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources

from PySide6.QtCore import QSettings

from stackglass.symbols import debuginfod
from stackglass_viewer.appearance import Appearance
from stackglass_viewer.model.session.saved_session import SavedSession
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.demo import start_demo
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.gui_collector import Collector
from stackglass_viewer.presenter.live.attaching import connect_engine
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.settings.command_texts import name_tab
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.recent_files import RecentFiles
from stackglass_viewer.presenter.settings.view_state import WHOLE_SPAN
from stackglass_viewer.tabs import Step, Tabs
from stackglass_viewer.timelines import Timelines
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.dialogs import questions as dialogs
from stackglass_viewer.view.widgets.asker import Asker
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows
from stackglass_viewer.wiring import connect_live_document, remember_choices

_DEMO = resources.files("stackglass_resources") / "demo" / "corner_shop.py"


@dataclass(frozen=True, slots=True)
class PageActions:
    """Actions of ``Pages`` that ``Captures`` calls for its tabs."""

    collector: Collector  # paused during a long import
    connect: Callable[[Document, ProfilePage], None]
    bring_up: Step
    close: Callable[[ProfilePage], None]
    replace_document: Callable[[LiveDocument, LiveDocument], None]  # (old, new), in its family
    is_timeline_forced: Callable[[], bool]  # by the command line


@dataclass(frozen=True, slots=True)
class StoredSettings:
    """Settings that are stored from one run to the next."""

    settings: QSettings
    preferences: Preferences
    recent: RecentFiles
    is_quiet: bool  # ask nothing, and remember no views and layouts


class Captures:
    """Opens tabs of processes and of saved sessions, and saves captures. GUI thread."""

    def __init__(
        self,
        windows: Windows,
        tabs: Tabs,
        stored: StoredSettings,
        appearance: Appearance,
        actions: PageActions,
    ) -> None:
        self._windows = windows
        self._tabs = tabs
        self._preferences, self._recent = stored.preferences, stored.recent
        self._appearance = appearance
        self._actions = actions
        self._is_quiet = stored.is_quiet
        self._timelines = Timelines(actions.collector, lambda: appearance.theme)
        self._demo_stops: list[Callable[[], None]] = []

    def attach(self, target: Target) -> LiveDocument:
        """Attach to a process in a new tab; steps in the next events make the tab. If the process
        is already attached, bring up its tab and return its document."""
        document = self._find_attached(target.pid)
        if document is None:
            return self._attach(target, (self._actions.bring_up,))
        for page in self._list_pages(document):
            self._actions.bring_up(page)
        return document

    def attach_behind(self, target: Target, *, parent: str) -> LiveDocument:
        """Attach to a process like ``attach``, but leave the tab in front as it is. ``parent``:
        title of the tab of the process's ancestor."""
        known = self._find_attached(target.pid)
        return known if known is not None else self._attach(target, (), parent=parent)

    def _find_attached(self, pid: int) -> LiveDocument | None:
        for document in self._tabs.all:
            if isinstance(document, LiveDocument):
                status = document.status
                if status.pid == pid and status.is_attached:
                    return document
        return None

    def _list_pages(self, document: LiveDocument) -> list[ProfilePage]:
        """Return the document's page; empty while it is being made, and when it is closed."""
        return [page for page, each in self._tabs.documents.items() if each is document]

    def show_session(self, session: SavedSession, *steps: Step) -> LiveDocument:
        """Open a session that was read from a file in a tab. ``steps`` run on its page last."""
        document = self._make_document(session, WHOLE_SPAN)
        self._open(document, ("", make_printable(session.path)), (self._actions.bring_up, *steps))
        return document

    def start_demo(self) -> None:
        """Start the demo program as a process of its own and watch it."""
        pid, stop = start_demo(str(_DEMO))
        self._demo_stops.append(stop)
        self.attach(Target(pid, self._preferences.rates))

    def forget(self, page: ProfilePage) -> None:
        """Forget a closed tab."""
        self._timelines.forget(page)

    def stop(self) -> None:
        """End the demos. Call this when the windows are closed and all tabs have ended."""
        self._timelines.stop()
        for stop in self._demo_stops:
            stop()
        self._demo_stops.clear()

    def _attach(
        self, target: Target, bring_up: Sequence[Step], *, parent: str = ""
    ) -> LiveDocument:
        document = self._make_document(target, self._preferences.choice("span"))
        document.attach_again_requested.connect(lambda: self._attach_again(target, document))
        self._open(document, (parent, f"process {target.pid}"), bring_up)
        return document

    def _make_document(self, target: Target | SavedSession, span: str) -> LiveDocument:
        return LiveDocument(target, connect_engine, self._appearance.style, span, self._windows)

    def _open(self, document: LiveDocument, names: tuple[str, str], steps: Sequence[Step]) -> None:
        """Open a tab. ``names``: the title of its ancestor's tab, or "", and its own tool tip."""
        parent, tip = names
        window = self._windows.destination
        bars: list[LiveBar] = []  # the page's bar, from the steps that make it to the next
        self._tabs.open(
            document,
            lambda: self._windows.adopt(
                ProfilePage(document.top, document.memory, self._appearance.theme, is_whole=False),
                window,
            ),
            (
                lambda page: self._connect(document, page, parent),
                lambda page: self._windows.add_page(page, document.title, tip, window),
                lambda page: self._name(page, document.title, parent),
                lambda page: bars.append(
                    LiveBar(document.threads, self._appearance.theme, page, is_whole=False)
                ),
                lambda _: bars[0].make_rest(document.threads),
                lambda page: self._add_controls(document, page, bars.pop()),
                lambda page: self._begin(document, page),
                *steps,
            ),
        )

    def _connect(self, document: LiveDocument, page: ProfilePage, parent: str) -> None:
        page.tables.add_types(document.types)
        document.title_changed.connect(lambda title: self._name(page, title, parent))
        self._actions.connect(document, page)

    def _name(self, page: ProfilePage, title: str, parent: str) -> None:
        """Set the title of a page. Its tab shows only the difference from ``parent``."""
        self._windows.set_page_title(page, title, name_tab(title, parent))

    def _add_controls(self, document: LiveDocument, page: ProfilePage, bar: LiveBar) -> None:
        """Add the live controls and connect them in the same step: the user may click at once."""
        bar.set_theme(self._appearance.theme)  # the theme may have changed meanwhile
        live = page.add_live_controls(document.threads, bar)
        connect_live_document(document, page, live)
        document.saver.written.connect(self._recent.remember)
        bar.save_requested.connect(lambda: self.save(document))
        live.debug_info_requested.connect(partial(self._download_debug_info, document))
        remember_choices(bar, self._preferences)
        live.timeline_toggled.connect(
            lambda is_shown: self._timelines.show(document, page, is_shown)
        )

    def _begin(self, document: LiveDocument, page: ProfilePage) -> None:
        """Show the timeline, if it is wanted, and attach."""
        live = page.live
        assert live is not None
        is_forced = self._actions.is_timeline_forced()
        live.show_timeline(is_forced or self._preferences.is_timeline_shown)
        if not self._is_quiet:  # from now on the user chooses
            live.timeline_toggled.connect(self._remember_timeline)
        document.start()

    def _download_debug_info(self, document: LiveDocument) -> None:
        """Ask, then download. The key works in every tab, also where the menu item is disabled."""
        servers = debuginfod.list_servers()
        if (
            servers
            and document.status.is_attached
            and dialogs.ask_download(self._windows.active, servers)
        ):
            document.downloads.start()

    def _remember_timeline(self, is_shown: bool) -> None:
        self._preferences.is_timeline_shown = is_shown

    def _attach_again(self, target: Target, document: LiveDocument) -> None:
        """Attach to the process again, in a new tab. Close the old tab if it has no samples.

        ``target``: the process and the first rates of the old tab; the rates may have changed.
        """
        status, rates = document.status, document.status.rates
        if not any(rates):  # nothing would be seen of the process
            rates = rates._replace(cpu_hz=self._preferences.rate_hz)
        again = self.attach(replace(target, rates=rates))
        self._actions.replace_document(document, again)
        if status.n_samples == status.n_wall_samples == 0:
            for page in self._list_pages(document):
                self._actions.close(page)

    # -- saving

    def save(self, document: LiveDocument, after: Callable[[], None] = lambda: None) -> None:
        """Ask what to save, and where, then save it. ``after`` is called once it is saved."""
        dialog = dialogs.SaveDialog(*document.saveable.describe(), self._windows.active)
        if not dialog.exec():
            return
        suggestion = document.saveable.suggest_path(dialog.choice)
        path = dialogs.ask_save_path(Asker(self._windows.active, self._windows.folder), suggestion)
        if path:
            document.saver.save(document.saveable, path, dialog.choice, after)

    def list_unsaved(self, pages: Sequence[ProfilePage]) -> list[LiveDocument]:
        """Return the documents that ``may_discard`` would ask about."""
        if self._is_quiet:
            return []
        documents = (self._tabs.documents[page] for page in pages)
        return [doc for doc in documents if isinstance(doc, LiveDocument) and doc.is_unsaved]

    def may_discard(self, pages: Sequence[ProfilePage], when_saved: Callable[[], None]) -> bool:
        """Whether the captures of ``pages`` may be closed now: all are saved, or the user discards
        them. If the user chooses to save, return False, and call ``when_saved`` once the capture
        is saved."""
        unsaved = self.list_unsaved(pages)
        if not unsaved:
            return True
        answer = dialogs.ask_discard(self._windows.active, tuple(doc.title for doc in unsaved))
        if answer == "save":
            self.save(unsaved[0], when_saved)
        return answer == "discard"
