"""Everything that opens, fills and closes tabs; part of the composition root.

::

    file that was read ─┐
    process, server ────┼─▶ document ─▶ page, connected, in the style ─▶ tab
    two profiles ───────┘

This module imports the views and documents of all tabs but those of memory traces. ``App``
makes ``Pages`` with the first tab, or some time after the start page is shown, so that the window
opens sooner.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QSessionManager

from stackglass_viewer.appearance import Appearance
from stackglass_viewer.captures import Captures, PageActions, StoredSettings
from stackglass_viewer.comparisons import Comparisons, KeptMoment, Subjects
from stackglass_viewer.editing import Editing
from stackglass_viewer.exports import PPROF, Exports
from stackglass_viewer.families import Families, TabActions
from stackglass_viewer.layouts import Layouts
from stackglass_viewer.model.profile.file_sum import FileSum
from stackglass_viewer.model.session.saved_session import SavedSession
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.named_filters import NamedFilters
from stackglass_viewer.pictures import Pictures
from stackglass_viewer.presenter.demo import EXAMPLE
from stackglass_viewer.presenter.document.comparison import ComparedSource
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.table_source import make_source
from stackglass_viewer.presenter.freed_memory import FreedMemory
from stackglass_viewer.presenter.gui_collector import Collector
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.live.symbols import SYMBOLS
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.loading import Loaded, Loader
from stackglass_viewer.presenter.settings.copied_texts import COPIED
from stackglass_viewer.presenter.settings.kept_layouts import KeptLayouts
from stackglass_viewer.presenter.settings.open_tabs import TabRecord
from stackglass_viewer.presenter.settings.recent_files import RecentUrls
from stackglass_viewer.presenter.settings.sample_choice import WALL
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.presenter.worker import FINISH_S
from stackglass_viewer.remotes import FromServer, Remotes
from stackglass_viewer.restoring import LOGOUT_MS, Openers, Restoring
from stackglass_viewer.sample_page import make_sample
from stackglass_viewer.tabs import Step, Tabs
from stackglass_viewer.view.widgets.copied_text import copy_text
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.view.window.table_views import TABLE_VIEWS
from stackglass_viewer.windows import Windows
from stackglass_viewer.wiring import connect_document


@dataclass(frozen=True, slots=True)
class AppParts:
    """Objects of ``App`` that live as long as the windows."""

    windows: Windows
    tabs: Tabs
    loader: Loader
    appearance: Appearance
    collector: Collector


class Pages:
    """Opens, fills and closes the tabs of all windows. GUI thread."""

    def __init__(
        self, parts: AppParts, stored: StoredSettings, open_as_one: Callable[[Sequence[str]], None]
    ) -> None:
        windows, tabs, appearance = parts.windows, parts.tabs, parts.appearance
        self._windows = windows
        self._appearance = appearance
        self._tabs = tabs
        self._preferences, self._recent = stored.preferences, stored.recent
        self._is_quiet = stored.is_quiet
        self._forced_view = ""
        self._layouts = Layouts(KeptLayouts(stored.settings), stored.is_quiet)
        self.remotes = Remotes(
            windows,
            parts.loader,
            RecentUrls(stored.settings),
            style=lambda: appearance.style,
            open_tab=self._open_tab,
        )
        self.captures = Captures(
            windows,
            tabs,
            stored,
            appearance,
            PageActions(
                parts.collector,
                self._connect_page,
                self._bring_up,
                self._close_page,
                lambda old, new: self.families.replace_document(old, new),
                lambda: self._forced_view == "timeline",
            ),
        )
        self.families = Families(
            windows,
            tabs.documents,
            style=lambda: appearance.style,
            actions=TabActions(self.captures.attach_behind, self._open_tab, self.drop_page),
        )
        self.comparisons = Comparisons(
            windows,
            parts.loader,
            Subjects(stored.recent, tabs.documents),
            style=lambda: appearance.style,
            open_tab=self._open_tab,
        )
        self._freed_memory = FreedMemory()
        self._freed_memory.start()
        self._editing = Editing(windows, stored.preferences, tabs.documents)
        self._exports = Exports(windows, lambda: appearance.theme, stored.recent.remember)
        self._pictures = Pictures(windows, appearance, tabs.documents)
        self.filters = NamedFilters(windows, stored.settings, tabs.documents)
        self.restoring = Restoring(
            windows,
            tabs,
            (stored.settings, stored.preferences),
            Openers(open_as_one, self._reconnect, self.families),
        )
        self._agreed: set[Document] = set()  # captures that the user agreed to discard at a logout
        self._logout = QTimer(windows)  # while it runs, the user is not asked about these again
        self._logout.setSingleShot(True)
        self._logout.timeout.connect(self._agreed.clear)
        windows.current_changed.connect(lambda _: tabs.set_front(windows.in_sight))
        windows.states_changed.connect(lambda: tabs.set_front(windows.in_sight))
        windows.save_requested.connect(self._save_current)
        windows.export_requested.connect(self._export_current)
        windows.page_close_requested.connect(self._close_page)

    # -- opening

    def show(self, loaded: Loaded) -> None:
        """Open a tab for the content that the loader has read."""
        with self._windows.toward(loaded.origin):
            self._show(loaded.place, loaded.content)

    def _show(self, path: str, content: Any) -> None:
        if isinstance(content, FromServer):
            self.remotes.show(content)
            return
        if isinstance(content, (ComparedSource, KeptMoment)):
            self.comparisons.show(content)
            return
        if isinstance(content, FileSum):
            self._show_sum(content)
            return
        if isinstance(content, SavedSession):
            self.captures.show_session(
                content, *self._keep(path), lambda _: self.comparisons.offer(path, content)
            )
            return
        from stackglass_viewer.model.memory_trace.trace import MemoryTrace  # for start-up time

        if isinstance(content, MemoryTrace):
            from stackglass_viewer.traces import Traces  # for start-up time

            Traces(self._windows, lambda: self._appearance.style, self._open_tab).show(
                content,
                path,
                *self._keep(path),
                lambda _: self.comparisons.offer(path, content),
            )
            return
        title = Path(path).name
        document = Document(make_source(content, title), self._appearance.style, self._windows)
        self._open_tab(
            document,
            (title, make_printable(path)),
            lambda _: document.build(),
            *self._keep(path),
            lambda _: self.comparisons.offer(path, content),
        )

    def _show_sum(self, summed: FileSum) -> None:
        """Open a tab for the sum of several files."""
        document = Document(
            make_source(summed.profile, summed.name), self._appearance.style, self._windows
        )
        self._open_tab(
            document,
            (summed.name, "\n".join(map(make_printable, summed.paths)) or summed.name),
            lambda _: document.build(),
            lambda page: self.restoring.note(summed.paths, page),
        )

    def _keep(self, path: str) -> tuple[Step, Step]:
        """Return the steps that remember a file among the recent files and the open tabs.

        The example is not a recent file: it has a menu entry of its own.
        """
        is_example = path == str(EXAMPLE)
        return (
            lambda _: None if is_example else self._recent.remember(path),
            lambda page: self.restoring.note((path,), page),
        )

    def _open_tab(
        self,
        document: Document,
        names: tuple[str, str],
        *steps: Callable[[ProfilePage], object],
        is_behind: bool = False,
    ) -> None:
        """Open a tab for a document that is no capture. ``names``: its title and tool tip.
        ``steps``: run on the page in turn; ``is_behind``: do not bring the tab to the front."""
        window = self._windows.destination
        bring_up = () if is_behind else (self._bring_up,)
        self._tabs.open(
            document,
            lambda: self._windows.adopt(
                ProfilePage(document.top, document.memory, self._appearance.theme, is_whole=False),
                window,
            ),
            (
                lambda page: self._connect_page(document, page),
                lambda page: self._windows.add_page(page, *names, window),
                steps[0],
                *bring_up,
                *steps[1:],
            ),
        )

    def attach(self, target: Target, *, has_children: bool = False) -> LiveDocument:
        """Attach to a process in a new tab; steps in the next events make the tab. If the process
        is already attached, bring up its tab. ``has_children``: attach also to every Python
        process that descends from it."""
        document = self.captures.attach(target)
        if has_children and not self.families.is_followed(document):
            self.families.follow(target, document)
        return document

    def _reconnect(self, record: TabRecord) -> LiveDocument:
        target = Target(record.pid, self._preferences.rates, record.has_native, record.variables)
        return self.attach(target, has_children=record.family == record.pid)

    # -- what a tab shows first

    def _connect_page(self, document: Document, page: ProfilePage) -> None:
        connect_document(document, page)
        document.choose_style(self._appearance.style)  # the style may have changed meanwhile
        self._editing.connect(document, page)
        self._appearance.apply_to_page(page)
        page.layout_choice.table_moved.connect(self._appearance.keep_border)
        self._show_forced(document, page)
        self._layouts.connect(document, page, lambda: self._forced_view in ("", "timeline"))
        page.view_chosen.connect(lambda _: self._remember_view(page.layout_choice.shown.preset))
        page.copy_requested.connect(lambda text, what: copy_text(text, COPIED[what], page))

    def _show_forced(self, document: Document, page: ProfilePage) -> None:
        """Show the view that the command line names, or the one chosen last."""
        if self._forced_view == WALL.name:
            document.choose_sample_type(WALL)
            page.show_view("flame")
            return
        forced = "" if self._forced_view == "timeline" else self._forced_view
        page.show_view(forced or self._choose_first_view())

    def _choose_first_view(self) -> str:
        """Return the view chosen last, or "flame" if that was a table or a view of memory traces.

        Such a view belongs to one sample type, and a tab opens on its first sample type.
        """
        view = self._preferences.choice("view")
        return "flame" if view in TABLE_VIEWS or view in TRACE_VIEWS else view

    def _bring_up(self, page: ProfilePage) -> None:
        if not self._windows.is_later_in_front(page):
            self._windows.show_page(page)
            page.focus_view()

    def force_view(self, view: str) -> None:
        """Show this view in all tabs, open now or later."""
        self._forced_view = view
        for page, document in self._tabs.documents.items():
            if view == "timeline":
                if page.live is not None:
                    page.live.show_timeline(True)
            else:
                self._show_forced(document, page)

    def _remember_view(self, view: str) -> None:
        if view and not self._is_quiet:  # "" = several views beside each other
            self._preferences.set_choice("view", view)

    def make_sample(self) -> Iterator[str]:
        """Make a page and throw it away, to load what pages need; see ``sample_page``."""
        return make_sample(self._appearance.theme)

    # -- saving

    def _export_current(self) -> None:
        if (page := self._windows.page) is not None:
            self._exports.export(self._tabs.documents[page], page)

    def _save_current(self) -> None:
        if (page := self._windows.page) is None:
            return
        document = self._tabs.documents[page]
        if isinstance(document, LiveDocument):
            self.captures.save(document)
        elif isinstance(document, GroupDocument):
            self._exports.export(document, page, PPROF)
        elif not self.remotes.save(document):
            self._windows.show_notice(Notice("info", "This profile is already a file."))

    # -- closing

    def _close_page(self, page: ProfilePage) -> None:
        if self.captures.may_discard((page,), lambda: self.drop_page(page)):
            self.drop_page(page)

    def drop_page(self, page: ProfilePage) -> None:
        """Close a tab without asking, even if it holds an unsaved capture."""
        documents = self._tabs.documents
        if page not in documents:
            return  # it was closed while it was being saved
        self.captures.forget(page)
        self.restoring.forget(page)
        self.families.forget(documents[page])
        self._agreed.discard(documents[page])
        page.graphs.show_scene(None)
        if page.tables.tree is not None:
            page.tables.tree.forget()
        self._windows.remove_page(page)
        self._tabs.close(page)

    def close_window(self, window: MainWindow) -> None:
        """Close one of several windows with its tabs, unless the user wants to keep a capture."""
        if self._may_discard(window.pages, lambda: self._drop_window(window)):
            self._drop_window(window)

    def _drop_window(self, window: MainWindow) -> None:
        if window not in self._windows.all:
            return  # it was closed while it was being saved
        self.restoring.hold()
        for page in window.pages:
            self.drop_page(page)
        self._windows.close(window)

    def may_end(self, end: Callable[[], None]) -> bool:
        """Whether the program may end now: no capture is unsaved, or the user discards them. If
        the user chooses to save, return False, and call ``end`` once the capture is saved."""
        return self._may_discard(tuple(self._tabs.documents), end)

    def _may_discard(self, pages: Sequence[ProfilePage], when_saved: Callable[[], None]) -> bool:
        """``Captures.may_discard``, without the captures that the user agreed to discard."""
        documents = self._tabs.documents
        asked = [page for page in pages if documents[page] not in self._agreed]
        return self.captures.may_discard(asked, when_saved)

    def end_with_desktop(self, manager: QSessionManager, end: Callable[[], None]) -> None:
        """Prepare for a logout: store the tabs, and ask about unsaved captures if that is allowed.

        Unless the user cancels the logout here, Qt or the desktop closes the windows after this,
        and the user is not asked about the same captures again.
        """
        self.restoring.hold(LOGOUT_MS)
        pages = tuple(self._tabs.documents)
        unsaved = self.captures.list_unsaved(pages)
        if unsaved and manager.allowsInteraction():
            may_end = self.may_end(end)
            manager.release()
            if may_end:
                self._agreed.update(unsaved)
                self._logout.start(LOGOUT_MS)
            else:
                self.restoring.release()
                manager.cancel()

    def stop(self) -> None:
        """End every thread but those of tabs."""
        deadline_s = time.monotonic() + FINISH_S  # for all files together
        self._freed_memory.stop()
        self.remotes.stop(deadline_s)
        self.families.stop()
        self._exports.stop(deadline_s)
        self._pictures.stop(deadline_s)
        self._editing.stop()
        SYMBOLS.close()
