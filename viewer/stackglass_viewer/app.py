"""Composition root: makes presenters and widgets, and is the only place that connects them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtGui import QGuiApplication, QSessionManager
from PySide6.QtWidgets import QApplication

from stackglass_viewer.captures import Captures, Kept, PageActions
from stackglass_viewer.clipboard import Clipboard
from stackglass_viewer.comparisons import Comparisons, KeptMoment, Subjects
from stackglass_viewer.editing import Editing
from stackglass_viewer.exports import PPROF, Exports
from stackglass_viewer.families import Families, TabActions
from stackglass_viewer.looks import Looks
from stackglass_viewer.model.session.saved import SavedSession
from stackglass_viewer.named_filters import NamedFilters
from stackglass_viewer.pictures import Pictures
from stackglass_viewer.presenter.demo import EXAMPLE
from stackglass_viewer.presenter.document.comparison import CompareChoice, ComparedSource
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.table_source import make_source
from stackglass_viewer.presenter.gui_collector import Collector
from stackglass_viewer.presenter.live.capture import Target
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.live.symbols import SYMBOLS
from stackglass_viewer.presenter.load_errors import LoadErrors
from stackglass_viewer.presenter.loading import Loaded, Loader, LoadFailure
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.recent_files import RecentFiles, RecentUrls
from stackglass_viewer.presenter.settings.sample_choice import WALL
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.process_choice import ProcessChoice
from stackglass_viewer.remotes import FromServer, Remotes
from stackglass_viewer.restoring import LOGOUT_MS, Openers, Restoring
from stackglass_viewer.tabs import Step, Tabs
from stackglass_viewer.view.dialogs import questions as dialogs
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.view.window.table_views import TABLE_VIEWS
from stackglass_viewer.warm_up import WarmUp
from stackglass_viewer.windows import Windows
from stackglass_viewer.wiring import connect_document


class App:
    """Everything that lives as long as the windows."""

    def __init__(self, qt: QApplication, settings: QSettings, *, is_quiet: bool = False) -> None:
        """``is_quiet``: ask nothing, for pictures and tests."""
        self._qt = qt
        self._is_quiet = is_quiet
        self.preferences = Preferences(settings)
        self.recent = RecentFiles(settings)
        self._forced_view = ""
        self._errors = LoadErrors()
        self._looks = Looks(qt, self.preferences)
        self.windows = Windows(lambda: self._looks.theme)
        self.loader = Loader(self.windows, lambda: self.windows.destination)
        self.tabs = Tabs(self.windows)
        self._looks.connect(self.windows, self.tabs)
        self._remotes = Remotes(
            self.windows,
            self.loader,
            RecentUrls(settings),
            style=lambda: self._looks.style,
            open_tab=self._open_tab,
        )
        self._collector = Collector(self.windows)
        self.captures = Captures(
            self.windows,
            self.tabs,
            Kept(self.preferences, self.recent, is_quiet),
            self._looks,
            PageActions(
                self._collector,
                self._connect_page,
                self._bring_up,
                self._close_page,
                lambda: self._forced_view == "timeline",
            ),
        )
        self.process_choice = ProcessChoice(
            self.windows, self.preferences, self._looks, self.attach, is_quiet=is_quiet
        )
        self._families = Families(
            self.windows,
            self.tabs.documents,
            style=lambda: self._looks.style,
            actions=TabActions(self.captures.attach_behind, self._open_tab, self._drop_page),
        )
        self._comparisons = Comparisons(
            self.windows,
            self.loader,
            Subjects(self.recent, self.tabs.documents),
            style=lambda: self._looks.style,
            open_tab=self._open_tab,
        )
        self._clipboard = Clipboard(self.windows, self.open_places)
        self._editing = Editing(self.windows, self.preferences)
        self._exports = Exports(self.windows, lambda: self._looks.theme)
        self._pictures = Pictures(self.windows, self._looks, self.tabs.documents)
        self._filters = NamedFilters(self.windows, settings, self.tabs.documents)
        self.restoring = Restoring(
            self.windows,
            self.tabs,
            (settings, self.preferences),
            Openers(self.open_files, self._reconnect),
        )
        self._connect()
        self._collector.start()
        self._warm_up = WarmUp(self._looks.theme, lambda: self.loader.is_busy)
        self._warm_up.start()

    def _connect(self) -> None:
        window, loader = self.windows, self.loader
        window.open_requested.connect(lambda: self.open_files(dialogs.ask_open(window.active)))
        window.url_requested.connect(lambda: self._remotes.show_dialog())
        window.files_dropped.connect(self._comparisons.expect)
        window.files_dropped.connect(self.open_files)
        window.recent_requested.connect(lambda path: self.open_files((path,)))
        window.recent_cleared.connect(self.recent.clear)
        window.demo_requested.connect(self.captures.start_demo)
        window.example_requested.connect(lambda: self.open_files((str(EXAMPLE),)))
        window.current_changed.connect(lambda _: self.tabs.set_front(window.fronts))
        window.window_requested.connect(window.open)
        window.save_requested.connect(self._save_current)
        window.export_requested.connect(self._export_current)
        window.page_close_requested.connect(self._close_page)
        window.close_requested.connect(self._close_window)
        window.quit_requested.connect(self.restoring.release)
        window.quit_requested.connect(self._quit)
        self._qt.commitDataRequest.connect(self._end_with_desktop)
        window.on_each(self._connect_window)
        loader.progressed.connect(window.show_progress)
        loader.loaded.connect(self._on_loaded)
        loader.failed.connect(self._on_load_failed)

    def _connect_window(self, window: MainWindow) -> None:
        window.loading.cancel_requested.connect(self.loader.cancel)
        self.recent.changed.connect(window.show_recent)
        window.show_recent(self.recent.paths)

    @property
    def window(self) -> MainWindow:
        """The one that is used."""
        return self.windows.active

    # -- files

    def place_window(self) -> None:
        """Where the window that was used last stood, as far as the screen has room. Windows that
        come back with their tabs have places of their own."""
        if (geometry := self.preferences.geometry) is not None:
            self.window.restoreGeometry(geometry)
        if not self.window.isMaximized() and not self.window.isFullScreen():
            self.window.fit_screen()

    def open_places(self, places: Sequence[str]) -> None:
        """Open files and URLs."""
        self.open_files([place for place in places if "://" not in place])
        for place in places:
            if "://" in place:
                self._remotes.open(place)

    def compare_files(self, base: str, path: str, choice: CompareChoice) -> None:
        """Open what changed from one file to another."""
        self._comparisons.compare_files(base, path, choice)

    def open_files(self, paths: Sequence[str]) -> None:
        """Read these in the background; each becomes a tab."""
        if paths:
            self.windows.show_notice(None)
            self._errors.begin(paths)
        for path in paths:
            self.loader.load(path)

    def _on_loaded(self, loaded: Loaded) -> None:
        with self.windows.toward(loaded.origin):
            self._show_loaded(loaded)

    def _show_loaded(self, loaded: Loaded) -> None:
        path, content = loaded.place, loaded.content
        if isinstance(content, FromServer):
            self._remotes.show(content)
            return
        if isinstance(content, (ComparedSource, KeptMoment)):
            self._comparisons.show(content)
            return
        if isinstance(content, SavedSession):
            self.captures.show_session(content, *self._keep(path))
            return
        from stackglass_viewer.model.memory_trace.trace import MemoryTrace  # for start-up time

        if isinstance(content, MemoryTrace):
            from stackglass_viewer.traces import Traces  # for start-up time

            Traces(self.windows, lambda: self._looks.style, self._open_tab).show(
                content,
                path,
                *self._keep(path),
                lambda _: self._comparisons.offer(path, content),
            )
            return
        title = Path(path).name
        document = Document(make_source(content, title), self._looks.style, self.windows)
        self._open_tab(
            document,
            (title, path),
            lambda _: document.build(),
            *self._keep(path),
            lambda _: self._comparisons.offer(path, content),
        )

    def _keep(self, path: str) -> tuple[Step, Step]:
        """The steps that remember a file; the example has a menu entry of its own."""
        return (
            lambda _: self.recent.remember(path) if path != str(EXAMPLE) else None,
            lambda page: self.restoring.note(path, page),
        )

    def _open_tab(
        self,
        document: Document,
        names: tuple[str, str],
        *steps: Callable[[ProfilePage], object],
        is_behind: bool = False,
    ) -> None:
        """A tab for a document that is no capture. ``names``: its title and tool tip;
        ``is_behind``: the tab that is looked at stays in front."""
        window = self.windows.destination
        bring_up = () if is_behind else (self._bring_up,)
        self.tabs.open(
            document,
            lambda: ProfilePage(document.top, document.memory, self._looks.theme),
            (
                lambda page: self._connect_page(document, page),
                lambda page: self.windows.add_page(page, *names, window),
                steps[0],
                *bring_up,
                *steps[1:],
            ),
        )

    def _on_load_failed(self, failure: LoadFailure) -> None:
        self.recent.forget(str(Path(failure.place).resolve()))
        if self.restoring.fail(failure):
            return
        self.windows.show_notice(self._errors.add(failure))

    # -- processes

    def attach(self, target: Target, *, has_children: bool = False) -> LiveDocument:
        """Watch a process in a new tab, from the next event on. ``has_children``: also every
        Python process that descends from it. A process that is watched already is shown where it
        is."""
        document = self.captures.attach(target)
        if has_children and not self._families.is_followed(document):
            self._families.follow(target, document)
        return document

    def _reconnect(self, pid: int) -> LiveDocument:
        return self.attach(Target(pid, self.preferences.rates))

    # -- tabs

    @property
    def documents(self) -> dict[ProfilePage, Document]:
        """By their tabs."""
        return self.tabs.documents

    def _connect_page(self, document: Document, page: ProfilePage) -> None:
        connect_document(document, page)
        self._editing.connect(document, page)
        self._looks.dress_page(page)
        self._show_forced(document, page)
        page.view_chosen.connect(lambda view: self._remember_view(view))
        page.copy_requested.connect(lambda text: QGuiApplication.clipboard().setText(text))

    def _show_forced(self, document: Document, page: ProfilePage) -> None:
        """The view that the command line names, or the one chosen last."""
        if self._forced_view == WALL.name:
            document.choose_sample_type(WALL)
            page.show_view("flame")
            return
        forced = "" if self._forced_view == "timeline" else self._forced_view
        page.show_view(forced or self._choose_first_view())

    def _choose_first_view(self) -> str:
        """The view chosen last. A tab opens on its first sample type: not on a table of another."""
        view = self.preferences.choice("view")
        return "flame" if view in TABLE_VIEWS else view

    def _bring_up(self, page: ProfilePage) -> None:
        self.windows.show_page(page)
        page.focus_view()

    def force_view(self, view: str) -> None:
        """Show this view in the tabs that are there and those to come."""
        self._forced_view = view
        for page, document in self.documents.items():
            if view == "timeline":
                if page.live is not None:
                    page.live.show_timeline(True)
            else:
                self._show_forced(document, page)

    def _remember_view(self, view: str) -> None:
        if not self._is_quiet:
            self.preferences.set_choice("view", view)

    def _close_page(self, page: ProfilePage) -> None:
        if self.captures.may_discard((page,), lambda: self._drop_page(page)):
            self._drop_page(page)

    def _drop_page(self, page: ProfilePage) -> None:
        if page not in self.documents:
            return  # it was closed while it was being saved
        self.captures.forget(page)
        self.restoring.forget(page)
        self._families.forget(self.documents[page])
        page.graphs.show_scene(None)
        self.windows.remove_page(page)
        self.tabs.close(page)

    # -- saving

    def _export_current(self) -> None:
        if (page := self.window.page) is not None:
            self._exports.export(self.documents[page], page)

    def _save_current(self) -> None:
        if (page := self.window.page) is None:
            return
        document = self.documents[page]
        if isinstance(document, LiveDocument):
            self.captures.save(document)
        elif isinstance(document, GroupDocument):
            self._exports.export(document, page, PPROF)
        elif not self._remotes.save(document):
            self.windows.show_notice(Notice("info", "This profile is already a file."))

    # -- the end

    def _close_window(self) -> None:
        """The last window ends all; another one takes its tabs with it."""
        if len(self.windows.all) == 1:
            self._quit()
            return
        window = self.windows.active
        if self.captures.may_discard(window.pages, lambda: self._drop_window(window)):
            self._drop_window(window)

    def _drop_window(self, window: MainWindow) -> None:
        if window not in self.windows.all:
            return  # it was closed while it was being saved
        self.restoring.hold()
        for page in window.pages:
            self._drop_page(page)
        self.windows.close(window)

    def _end_with_desktop(self, manager: QSessionManager) -> None:
        """The desktop ends: it closes the windows, or this program, after this."""
        self.restoring.hold(LOGOUT_MS)
        pages = tuple(self.documents)
        if self.captures.has_unsaved(pages) and manager.allowsInteraction():
            may_end = self.captures.may_discard(pages, self.close)
            manager.release()
            if not may_end:
                self.restoring.release()
                manager.cancel()

    def _quit(self) -> None:
        if self.captures.may_discard(tuple(self.documents), self.close):
            self.close()

    def close(self) -> None:
        """Detach from everything, end every thread, close the windows."""
        self.restoring.store()
        if not self._is_quiet:
            self.preferences.geometry = self.window.saveGeometry()
        self.windows.hide()
        self._warm_up.stop()
        self.process_choice.end()
        self._remotes.stop()
        self._families.stop()
        self._exports.stop()
        self._pictures.stop()
        self._editing.stop()
        SYMBOLS.close()
        self.loader.stop()
        self.tabs.end()
        self.captures.stop()
        self._collector.stop()
        self.windows.end()
        self._qt.quit()
