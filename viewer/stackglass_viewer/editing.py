"""Opens the source files of a tab in the user's editor, and keeps the list of source folders; part
of the composition root."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QProcess

from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.source_choice import SourceSubject
from stackglass_viewer.presenter.settings.editors import find_editor
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.dialogs.questions import ask_source_folder
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows


class Editing:
    """Opens source files in the user's editor.

    GUI thread; a worker looks for the files and starts the editor. The result is reported in the
    window that has the tab when the user asks for the editor.
    """

    def __init__(
        self,
        windows: Windows,
        preferences: Preferences,
        documents: Mapping[ProfilePage, Document],
    ) -> None:
        """``documents``: those of all tabs, by page."""
        self._windows = windows
        self._preferences = preferences
        self._documents = documents
        self._worker: Worker | None = None  # made with the first file

    def connect(self, document: Document, page: ProfilePage) -> None:
        """Connect a tab's requests for an editor or a source folder."""
        document.source.set_source_path(self._preferences.source_path)
        page.editor_requested.connect(
            lambda node: self._open_function(document, page, document.selection.function_of(node))
        )
        act = partial(self._act, document, page)
        page.top.action_requested.connect(act)
        graphs = page.graphs
        for made in (
            page.tables.tree_made,
            graphs.sandwich_made,
            graphs.call_graph_made,
            graphs.times_made,
        ):
            made.connect(lambda view: view.action_requested.connect(act))
        page.tables.source_made.connect(
            lambda view: view.editor_requested.connect(
                lambda path, line: self._open_path(self._windows.window_of(page), path, line)
            )
        )
        page.tables.source_made.connect(
            lambda view: view.folder_requested.connect(partial(self._ask_folder, page))
        )

    def _act(self, document: Document, page: ProfilePage, name: str, function: int) -> None:
        """Open the editor if that is the action ``name``; ``function_actions`` does the others."""
        if name == "editor":
            self._open_function(document, page, function)

    def _open_function(self, document: Document, page: ProfilePage, function: int) -> None:
        subject, window = document.source.find(function), self._windows.window_of(page)
        if subject is None:
            if function >= 0:
                text = "The profile does not say which file this function is in."
                self._report(window, text)
            return
        self._start().submit(
            "find",
            lambda: document.source.find_path(subject.file),
            lambda path: self._on_found(window, path, subject),
            partial(self._on_failed, window),
        )

    def _on_found(self, window: MainWindow | None, path: str, subject: SourceSubject) -> None:
        if path:
            self._open_path(window, path, subject.line)
        else:
            self._report(
                window,
                f"{subject.file} is not on this machine. If its sources are in another folder, "
                "choose that folder with Find sources… in the view Source (6).",
            )

    def _open_path(self, window: MainWindow | None, path: str, line: int) -> None:
        choice = self._preferences.choice("editor")
        self._start().submit(
            "edit",
            lambda: _start_editor(choice, path, line),
            partial(self._on_started, window),
            partial(self._on_failed, window),
        )

    def _on_started(self, window: MainWindow | None, problem: str) -> None:
        if problem:
            self._report(window, problem)

    def _on_failed(self, window: MainWindow | None, error: Exception) -> None:
        self._windows.show_notice(Notice("error", " ".join(str(error).split())), window)

    def _ask_folder(self, page: ProfilePage, file: str) -> None:
        """Ask for a folder of sources, and search it, too, for the files of all tabs."""
        window = self._windows.window_of(page)
        folder = ask_source_folder(window or self._windows.active, Path(file).name)
        if ":" in folder:
            text = f"{folder} cannot be searched: a colon in a path separates two folders."
            self._report(window, text)
        elif folder:
            known = [each for each in self._preferences.source_path.split(":") if each]
            folders = [folder, *(each for each in known if each != folder)]
            self._preferences.source_path = ":".join(folders)
            for document in self._documents.values():
                document.source.set_source_path(self._preferences.source_path)

    def _report(self, window: MainWindow | None, text: str) -> None:
        self._windows.show_notice(Notice("info", text), window)

    def _start(self) -> Worker:
        if self._worker is None:
            self._worker = Worker("editor")
        return self._worker

    def stop(self) -> None:
        """End the thread."""
        if self._worker is not None:
            self._worker.stop()


def _start_editor(choice: str, path: str, line: int) -> str:
    """Start the editor, and do not wait for it. Returns "", or why it was not started."""
    command = find_editor(choice, path, line)
    if command is None:
        return (
            "No editor was found. Set VISUAL or EDITOR in the environment, or choose one under "
            "Edit ▸ Editor of sources."
        )
    process = QProcess()
    process.setProgram(command[0])
    process.setArguments(command[1:])
    process.setWorkingDirectory(os.path.dirname(path))
    process.setStandardOutputFile(QProcess.nullDevice())
    process.setStandardErrorFile(QProcess.nullDevice())
    is_started = process.startDetached()  # a bool, or (bool, PID) in some versions of PySide
    if not (is_started[0] if isinstance(is_started, tuple) else is_started):
        return f"{command[0]} could not be started: {process.errorString()}."
    return ""
