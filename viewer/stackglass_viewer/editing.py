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
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows


class Editing:
    """Opens source files in the user's editor.

    GUI thread; a worker looks for the files and starts the editor.
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
            lambda node: self._open_function(document, document.selection.function_of(node))
        )
        act = partial(self._act, document)
        page.top.action_requested.connect(act)
        graphs = page.graphs
        for made in (
            page.tables.tree_made,
            graphs.sandwich_made,
            graphs.call_graph_made,
            graphs.times_made,
        ):
            made.connect(lambda view: view.action_requested.connect(act))
        page.tables.source_made.connect(lambda view: view.editor_requested.connect(self._open_path))
        page.tables.source_made.connect(
            lambda view: view.folder_requested.connect(self._ask_folder)
        )

    def _act(self, document: Document, name: str, function: int) -> None:
        """Open the editor if that is the action ``name``; ``function_actions`` does the others."""
        if name == "editor":
            self._open_function(document, function)

    def _open_function(self, document: Document, function: int) -> None:
        subject = document.source.find(function)
        if subject is None:
            if function >= 0:
                self._report("The profile does not say which file this function is in.")
            return
        self._start().submit(
            "find",
            lambda: document.source.find_path(subject.file),
            lambda path: self._on_found(path, subject),
            self._on_failed,
        )

    def _on_found(self, path: str, subject: SourceSubject) -> None:
        if path:
            self._open_path(path, subject.line)
        else:
            self._report(
                f"{subject.file} is not on this machine. If its sources are in another folder, "
                "choose that folder with Find sources… in the view Source (6)."
            )

    def _open_path(self, path: str, line: int) -> None:
        choice = self._preferences.choice("editor")
        self._start().submit(
            "edit", lambda: _start_editor(choice, path, line), self._on_started, self._on_failed
        )

    def _on_started(self, problem: str) -> None:
        if problem:
            self._report(problem)

    def _on_failed(self, error: Exception) -> None:
        self._windows.show_notice(Notice("error", " ".join(str(error).split())))

    def _ask_folder(self, file: str) -> None:
        """Ask for a folder of sources, and search it, too, for the files of all tabs."""
        folder = ask_source_folder(self._windows.active, Path(file).name)
        if ":" in folder:
            self._report(f"{folder} cannot be searched: a colon in a path separates two folders.")
        elif folder:
            known = [each for each in self._preferences.source_path.split(":") if each]
            folders = [folder, *(each for each in known if each != folder)]
            self._preferences.source_path = ":".join(folders)
            for document in self._documents.values():
                document.source.set_source_path(self._preferences.source_path)

    def _report(self, text: str) -> None:
        self._windows.show_notice(Notice("info", text))

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
