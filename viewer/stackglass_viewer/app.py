"""Composition root: makes the objects that live as long as the windows, and connects them.

The program starts with the start page alone. Objects that only tabs need are made with the first
tab (see ``pages``).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSettings
from PySide6.QtGui import QSessionManager
from PySide6.QtWidgets import QApplication

from stackglass_viewer.appearance import Appearance
from stackglass_viewer.clipboard import Clipboard
from stackglass_viewer.presenter.gui_collector import Collector
from stackglass_viewer.presenter.load_errors import LoadErrors
from stackglass_viewer.presenter.loading import Loaded, Loader, LoadFailure, name_files
from stackglass_viewer.presenter.opened_folder import OpenedFolder
from stackglass_viewer.presenter.settings.last_folder import LastFolder
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.recent_files import RecentFiles
from stackglass_viewer.presenter.settings.view_state import LoadProgress
from stackglass_viewer.process_choice import ProcessChoice
from stackglass_viewer.tabs import Tabs
from stackglass_viewer.view.widgets.asker import Asker
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.warm_up import WarmUp
from stackglass_viewer.windows import Windows

if TYPE_CHECKING:  # for start-up time: ``pages`` imports all views and documents
    from stackglass_viewer.pages import Pages
    from stackglass_viewer.presenter.document.document import Document
    from stackglass_viewer.presenter.live.document import LiveDocument
    from stackglass_viewer.presenter.live.target import Target
    from stackglass_viewer.presenter.settings.compare_choice import CompareChoice
    from stackglass_viewer.view.window.profile_page import ProfilePage


class App:
    """The running application: its windows, and all objects that live as long as they do."""

    def __init__(self, qt: QApplication, settings: QSettings, *, is_quiet: bool = False) -> None:
        """``is_quiet``: ask nothing, for pictures and tests."""
        self._qt = qt
        self._settings = settings
        self._is_quiet = is_quiet
        self._collector = Collector(qt)
        self._collector.start()
        self.preferences = Preferences(settings)
        self.recent = RecentFiles(settings)
        self._errors = LoadErrors()
        self._appearance = Appearance(qt, self.preferences)
        self.windows = Windows(lambda: self._appearance.theme, LastFolder(settings))
        self.loader = Loader(self.windows, lambda: self.windows.destination)
        self.tabs = Tabs(self.windows, self._on_tabs_opened)
        self._appearance.connect(self.windows, self.tabs)
        self.process_choice = ProcessChoice(
            self.windows, self.preferences, self._appearance, self.attach_soon, is_quiet=is_quiet
        )
        self._clipboard = Clipboard(self.windows, self.open_places)
        self._pages: Pages | None = None
        self._progress: LoadProgress | None = None  # of the files being read
        self._n_cancels = 0  # how often the user has cancelled loading
        self._remembers_tabs = False  # whether the next run can open the tabs of this one
        self._connect()
        self._collector.freeze_and_resume()
        self._warm_up = WarmUp(self._make_sample, self._collector, lambda: self.loader.is_busy)

    def start_warm_up(self) -> None:
        """Begin to load what the start page does not need, once the window has been painted."""
        self._warm_up.start()

    def _connect(self) -> None:
        window, loader = self.windows, self.loader
        window.open_requested.connect(self._choose_files)
        window.sum_requested.connect(self._choose_summed)
        window.url_requested.connect(lambda: self.pages.remotes.show_dialog())
        window.files_dropped.connect(lambda paths: self.pages.comparisons.expect(paths))
        window.files_dropped.connect(self.open_files)
        window.recent_requested.connect(lambda path: self.open_files((path,)))
        window.recent_cleared.connect(self.recent.clear)
        window.demo_requested.connect(self.start_demo)
        window.example_requested.connect(self._open_example)
        window.compare_requested.connect(lambda: self.pages.comparisons.show_dialog())
        window.window_requested.connect(window.open)
        window.close_requested.connect(self._close_window)
        window.quit_requested.connect(self._quit)
        self._qt.commitDataRequest.connect(self._end_with_desktop)
        window.on_each(self._connect_window)
        loader.begun.connect(self._errors.forget)
        loader.progressed.connect(self._on_progressed)
        loader.loaded.connect(self._on_loaded)
        loader.failed.connect(self._on_load_failed)

    def _connect_window(self, window: MainWindow) -> None:
        window.loading.cancel_requested.connect(self._cancel_loading)
        self.recent.changed.connect(window.show_recent)
        window.show_recent(self.recent.paths)

    @property
    def window(self) -> MainWindow:
        """The active window."""
        return self.windows.active

    # -- tabs

    @property
    def pages(self) -> Pages:
        """The object that opens and closes tabs; made at the first access."""
        return self._pages or self._begin_pages()

    def _begin_pages(self) -> Pages:
        pages = self._pages = self._make_pages()
        if self._remembers_tabs:
            pages.restoring.begin()
        return pages

    def _make_pages(self) -> Pages:
        # Imported here for start-up time: ``pages`` imports all views and documents.
        from stackglass_viewer.captures import StoredSettings
        from stackglass_viewer.pages import AppParts, Pages

        self._collector.freeze_and_resume()
        return Pages(
            AppParts(self.windows, self.tabs, self.loader, self._appearance, self._collector),
            StoredSettings(self._settings, self.preferences, self.recent, self._is_quiet),
            self.sum_files,
        )

    def _make_sample(self) -> Iterator[str]:
        return self.pages.make_sample()

    @property
    def documents(self) -> dict[ProfilePage, Document]:
        """The documents of all tabs; the key is the tab's page."""
        return self.tabs.documents

    def force_view(self, view: str) -> None:
        """Show this view in all tabs, open now or later."""
        self.pages.force_view(view)

    def restore_tabs(self) -> None:
        """Open the tabs of the last run, if the user wants that, and remember this run's tabs."""
        self._remembers_tabs = True
        if self._pages is not None:
            self._pages.restoring.begin()
        elif self.preferences.has_open_tabs:
            progress = LoadProgress("the tabs of the last session", None)
            self._open_soon(progress, lambda: self.pages, self._decline_tabs)

    def _decline_tabs(self) -> None:
        """Remember this run's tabs, without those of the last run: the user has cancelled."""
        self.pages.restoring.cancel()
        self._cancel_loading()

    def place_window(self) -> None:
        """Put the window where the active window of the last run was, within the screen.

        ``Restoring`` places the windows that it opens again with their tabs.
        """
        if (geometry := self.preferences.geometry) is not None:
            self.window.restoreGeometry(geometry)
        if not self.window.isMaximized() and not self.window.isFullScreen():
            self.window.fit_screen()

    # -- files

    def open_places(self, places: Sequence[str], called: str = "") -> None:
        """Open files and URLs."""
        self.open_files([place for place in places if "://" not in place], called)
        for place in places:
            if "://" in place:
                self.pages.remotes.open(place)

    def open_files(self, paths: Sequence[str], called: str = "") -> None:
        """Read the files in the background; each becomes a tab, and so does each profile in a
        folder. ``called``: their name in messages; "" = the names of the files."""
        if paths:
            self.windows.show_notice(None)
            self._errors.begin(paths)
        self.windows.tab_numbers.ask_for(paths)
        for path in paths:
            self.loader.load(path, called)

    def _open_folder(self, folder: OpenedFolder, window: object) -> None:
        """Open the profiles of a folder in ``window``."""
        with self.windows.toward(window):
            self.open_files(folder.paths)
        if folder.notice is not None:
            self.windows.show_notice(folder.notice, window)

    def _choose_files(self) -> None:
        from stackglass_viewer.view.dialogs.questions import ask_open  # for start-up time

        self.open_files(ask_open(Asker(self.windows.active, self.windows.folder)))

    def _choose_summed(self) -> None:
        from stackglass_viewer.view.dialogs.questions import ask_summed  # for start-up time

        self.sum_files(ask_summed(Asker(self.windows.active, self.windows.folder)))

    def _open_example(self) -> None:
        from stackglass_viewer.presenter.demo import EXAMPLE  # for start-up time

        self.open_files((str(EXAMPLE),))

    def sum_files(self, paths: Sequence[str]) -> None:
        """Read files and the profiles of folders in the background; their sum becomes one tab."""
        if len(paths) < 2 and not any(map(os.path.isdir, paths)):
            self.open_files(paths)
            return
        self.windows.show_notice(None)
        self._errors.begin((name_files(paths),))
        self.loader.load_sum(paths)

    def compare_files(self, base: str, path: str, choice: CompareChoice) -> None:
        """Open a comparison of two files in a tab."""
        self._open_soon(
            LoadProgress(" and ".join(map(os.path.basename, (base, path))), None, "Comparing"),
            lambda: self.pages.comparisons.compare_files(base, path, choice),
        )

    def _on_progressed(self, progress: LoadProgress | None) -> None:
        """Show the progress of loading until the tab is there.

        A tab takes a moment to be made: without the progress, the start page would look idle.
        """
        self._progress = progress
        is_opening = self.tabs.is_opening or self._warm_up.is_awaited
        if progress is not None or not is_opening:
            self.windows.show_progress(progress)

    def _cancel_loading(self) -> None:
        self._n_cancels += 1  # files that are read wait for the imports of pages
        self.loader.cancel()
        self.windows.show_progress(None)

    def _on_tabs_opened(self) -> None:
        self.windows.show_progress(self._progress)
        self._finish_restoring()

    def _finish_restoring(self) -> None:
        """Let the tabs of the last run go on, now that no tab is being opened."""
        if self._pages is not None:
            is_idle = not self.loader.is_busy and not self._warm_up.is_awaited
            self._pages.restoring.finish(is_idle=is_idle)

    def _on_loaded(self, loaded: Loaded) -> None:
        n_cancels = self._n_cancels
        self._warm_up.when_imported(lambda: self._show_loaded(loaded, n_cancels))

    def _show_loaded(self, loaded: Loaded, n_cancels: int) -> None:
        """Open a tab, unless the user has cancelled since the file was read, when ``_n_cancels``
        was ``n_cancels``."""
        if n_cancels == self._n_cancels and isinstance(loaded.content, OpenedFolder):
            self._open_folder(loaded.content, loaded.origin)
        elif n_cancels == self._n_cancels:
            self.pages.show(loaded)
        if not self.tabs.is_opening:  # nothing else would end the progress
            self._on_progressed(self._progress)
            self._finish_restoring()

    def _on_load_failed(self, failure: LoadFailure) -> None:
        self._clipboard.drop(failure.place)
        self.recent.forget(os.path.realpath(failure.place))
        if self._pages is not None and self._pages.restoring.fail(failure):
            return
        self.windows.show_notice(self._errors.add(failure), failure.origin)

    # -- processes

    def attach(self, target: Target, *, has_children: bool = False) -> LiveDocument:
        """Watch a process in a new tab; see ``Pages.attach``."""
        return self.pages.attach(target, has_children=has_children)

    def attach_soon(self, target: Target, *, has_children: bool = False) -> None:
        """Attach like ``attach``, once the modules of tabs are imported; say so until the tab is
        there."""
        self._open_soon(
            LoadProgress(f"process {target.pid}", None, "Attaching to"),
            lambda: self.attach(target, has_children=has_children),
        )

    def start_demo(self) -> None:
        """Start the demo program and watch it in a new tab."""
        self._open_soon(
            LoadProgress("the demo program", None, "Starting"),
            lambda: self.pages.captures.start_demo(),
        )

    def _open_soon(
        self,
        progress: LoadProgress,
        open_tab: Callable[[], object],
        on_cancelled: Callable[[], object] = lambda: None,
    ) -> None:
        """Show ``progress`` until the tab is there. If modules of tabs are still to be imported,
        that takes seconds on a busy machine, and the start page would look idle."""
        n_cancels = self._n_cancels

        def open_unless_cancelled() -> None:
            try:
                act = open_tab if n_cancels == self._n_cancels else on_cancelled
                act()
            finally:
                if not self.tabs.is_opening:  # nothing else would end the progress
                    self._on_progressed(self._progress)

        self.windows.show_progress(progress)
        self._warm_up.when_imported(open_unless_cancelled)

    # -- the end

    def _close_window(self) -> None:
        """Close the active window and its tabs; the program ends with its last window."""
        if len(self.windows.all) == 1:
            self._end()
        else:
            self.pages.close_window(self.windows.active)

    def _quit(self) -> None:
        if self._pages is not None:
            self._pages.restoring.release()
        self._end()

    def _end(self) -> None:
        if self._pages is None or self._pages.may_end(self.close):
            self.close()

    def _end_with_desktop(self, manager: QSessionManager) -> None:
        if self._pages is not None:
            self._pages.end_with_desktop(manager, self.close)

    def close(self) -> None:
        """Detach from everything, end every thread, close the windows."""
        if self._pages is not None:
            self._pages.restoring.end()
        if not self._is_quiet:
            self.preferences.geometry = self.window.saveGeometry()
        self.windows.hide()
        self._warm_up.stop()
        self._appearance.disconnect()
        self.process_choice.end()
        if self._pages is not None:
            self._pages.stop()
        self.loader.stop()
        self.tabs.end()
        if self._pages is not None:
            self._pages.captures.stop()  # the tabs watch the demos until here
        self._collector.stop()
        self.windows.end()
        self._qt.quit()
