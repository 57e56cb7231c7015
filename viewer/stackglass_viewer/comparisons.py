"""Comparisons of two profiles, as tabs; part of the composition root.

::

    tabs, kept moments, files ─▶ dialog, command line, a dropped file
                                   └─▶ Loader reads both ─▶ tab, whose document subtracts
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from PySide6.QtCore import Qt

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.session.saved_session import SavedSession
from stackglass_viewer.presenter.document.compared_document import ComparedDocument
from stackglass_viewer.presenter.document.comparison import ComparedSource, Side
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.member_profile import read_capture
from stackglass_viewer.presenter.loading import Loader, LoadItem
from stackglass_viewer.presenter.settings.compare_choice import CompareChoice
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.recent_files import RecentFiles
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, Notice
from stackglass_viewer.remotes import OpenTab
from stackglass_viewer.view.dialogs.compare_dialog import CompareDialog
from stackglass_viewer.view.dialogs.questions import ask_compared
from stackglass_viewer.view.flame.compare_bar import CompareBar
from stackglass_viewer.view.widgets.asker import Asker
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows

_MOST_KEPT = 20  # moments; each holds a whole profile
_COMPARE = "compare"  # action of a notice: show the dialog
_DROPPED = "compare dropped"  # action of a notice: compare the file that was dropped last
_SESSION_PART = (
    "of a saved session, only CPU time and memory are compared: to compare the rest, open both "
    "sessions and compare their tabs"
)

_Report = Callable[[float], None]
_ReadSide = Callable[[Callable[[], bool], _Report], Side]


class Subjects(NamedTuple):
    """Profiles that a user can compare, besides the kept moments."""

    recent: RecentFiles
    documents: Mapping[ProfilePage, Document]  # by page


@dataclass(frozen=True, slots=True, eq=False)
class KeptMoment:
    """A profile that a tab showed at the moment when the user kept it for a comparison."""

    side: Side


class Comparisons:
    """Keeps moments, reads pairs of profiles, and opens comparisons in tabs. GUI thread."""

    def __init__(
        self,
        windows: Windows,
        loader: Loader,
        subjects: Subjects,
        style: Callable[[], GraphStyle],
        open_tab: OpenTab,
    ) -> None:
        self._windows = windows
        self._loader = loader
        self._recent, self._documents = subjects
        self._style = style
        self._open_tab = open_tab
        self._kept: list[Side] = []  # the newest last
        self._dropped: dict[str, ProfilePage] = {}  # by path: the tab that a file was dropped on
        # A tab and the file dropped on it, by the window with the offer to compare them.
        self._offered: WeakKeyDictionary[MainWindow, tuple[ProfilePage, str]] = WeakKeyDictionary()
        windows.keep_requested.connect(self._keep)
        windows.on_each(self._connect_window)
        loader.failed.connect(lambda failure: self._dropped.pop(failure.place, None))

    def _connect_window(self, window: MainWindow) -> None:
        window.message.action_requested.connect(lambda action: self._take_action(window, action))
        window.loading.cancel_requested.connect(self._dropped.clear)

    # -- what there is to compare

    def show_dialog(self) -> None:
        """Ask for two profiles."""
        readers = self._list_readers()
        dialog = CompareDialog(
            [(key, name) for key, (name, _) in readers.items()],
            self._choose_first(),
            self._windows.active,
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.file_requested.connect(lambda side: self._ask_file(dialog, side))
        dialog.compare_requested.connect(
            lambda base, other: self._compare(_find(readers, base), _find(readers, other))
        )
        dialog.open()

    def compare_files(self, base: str, path: str, choice: CompareChoice) -> None:
        """Open the comparison of two files."""
        self._compare(_prepare_file(base), _prepare_file(path), choice)

    def _ask_file(self, dialog: CompareDialog, side: int) -> None:
        path = ask_compared(Asker(dialog, self._windows.folder))
        if path:
            dialog.choose_file(side, path, Path(path).name)

    def _list_readers(self) -> dict[str, tuple[str, _ReadSide]]:
        """Return name and reader of each kept moment, tab and recent file, by their keys."""
        readers: dict[str, tuple[str, _ReadSide]] = {}
        for number, side in reversed([*enumerate(self._kept)]):
            readers[f"kept {number}"] = (side.name, lambda *_, side=side: side)
        for number, page in enumerate(self._documents):
            found = self._prepare_tab(page)
            if found is not None:
                readers[f"tab {number}"] = found
        for path in self._recent.paths:
            readers.setdefault(path, _prepare_file(path))
        return readers

    def _choose_first(self) -> tuple[str, str]:
        """Return the keys that the dialog shows first: base and other; "" = none.

        The base is the moment kept last, or else the last tab that is not the other. The other is
        the tab in front, or else the last tab that can be compared.
        """
        pages = [page for page in self._documents if self._prepare_tab(page) is not None]
        numbers = {page: number for number, page in enumerate(self._documents)}
        front = self._windows.page
        other = front if front in pages else pages[-1] if pages else None
        rest = [page for page in pages if page is not other]
        base = f"tab {numbers[rest[-1]]}" if rest else ""
        if self._kept:
            base = f"kept {len(self._kept) - 1}"
        return base, f"tab {numbers[other]}" if other is not None else ""

    def _prepare_tab(self, page: ProfilePage) -> tuple[str, _ReadSide] | None:
        """Return the name and the reader of the profile that a tab shows now; None = the tab has no
        stacks, or is a comparison itself."""
        document = self._documents[page]
        read = document.prepare_profile()
        if read is None or document.info is None or isinstance(document, ComparedDocument):
            return None
        name = self._windows.title_of(page)
        if page.live is None and page.remote is None and page.group is None:
            return name, lambda *_: Side(name, read())
        return f"{name}, now", lambda *_: Side(f"{name} at {time.strftime('%H:%M:%S')}", read())

    # -- keeping

    def _keep(self) -> None:
        page = self._windows.page
        found = self._prepare_tab(page) if page is not None else None
        if found is None:
            text = "This tab cannot be kept as a base: it has no stacks to compare with."
            self._windows.show_notice(Notice("info", text))
            return
        name, read = found
        self._loader.run(
            LoadItem(name, name, lambda *args: KeptMoment(read(*args)), verb="Keeping")
        )

    # -- dropped files

    def expect(self, paths: tuple[str, ...]) -> None:
        """Remember that a file was dropped on the tab in front, until the file is open or fails.

        Several files are not remembered: the offer to compare one would hide the errors of others.
        """
        page = self._windows.page
        if len(paths) == 1 and page is not None and self._prepare_tab(page) is not None:
            self._dropped[paths[0]] = page

    def offer(self, path: str, content: object) -> None:
        """Offer to compare a file that is open now with the tab that it was dropped on, if any."""
        # Imported here for start-up time: the loader has imported the module by now.
        from stackglass_viewer.model.memory_trace.trace import MemoryTrace

        page = self._dropped.pop(path, None)
        # A trace is compared by its live memory at the peak, a session by CPU time and memory.
        compared = (Profile, MemoryTrace, SavedSession)
        if page is not None and page in self._documents and isinstance(content, compared):
            self._offered[self._windows.active] = (page, path)
            notice = Notice(
                "info",
                f"{Path(path).name} is open in a tab of its own.",
                _DROPPED,
                f"Compare with {self._windows.title_of(page)}",
            )
            self._windows.show_notice(notice)

    def _take_action(self, window: MainWindow, action: str) -> None:
        if action == _COMPARE:
            self._windows.show_notice(None)
            self.show_dialog()
        elif action == _DROPPED and window in self._offered:
            window.show_notice(None)
            page, path = self._offered.pop(window)
            base = self._prepare_tab(page) if page in self._documents else None
            if base is not None:
                self._compare(base, _prepare_file(path))
            else:
                text = "The tab to compare with is closed."
                self._windows.show_notice(Notice("info", text))

    # -- reading

    def _compare(
        self,
        base: tuple[str, _ReadSide],
        other: tuple[str, _ReadSide],
        choice: CompareChoice | None = None,
    ) -> None:
        self._windows.show_notice(None)

        def read(is_cancelled: Callable[[], bool], report: _Report) -> ComparedSource:
            first = base[1](is_cancelled, lambda share: report(share / 2))
            second = other[1](is_cancelled, lambda share: report((1 + share) / 2))
            return ComparedSource(first, second, choice or CompareChoice())

        name = f"{base[0]} and {other[0]}"
        self._loader.run(LoadItem(name, name, read, verb="Comparing"))

    def show(self, content: ComparedSource | KeptMoment) -> None:
        """Open the comparison that the loader has read in a tab, or keep the moment."""
        if isinstance(content, KeptMoment):
            self._kept = [*self._kept, content.side][-_MOST_KEPT:]
            text = f"Kept {content.side.name}. Other profiles can be compared with it."
            self._windows.show_notice(Notice("info", text, _COMPARE, "Compare…"))
            return
        document = ComparedDocument(content, self._style(), self._windows)
        self._open_tab(
            document,
            (document.title, "a comparison of two profiles"),
            lambda page: self._begin(document, page),
        )

    def _begin(self, document: ComparedDocument, page: ProfilePage) -> None:
        """Give the tab its controls and show the difference."""
        bar = page.add_bar(CompareBar)
        bar.show_choice(document.choice.shown, document.choice.is_scaled)
        document.sides_changed.connect(bar.show_sides)
        document.sides_changed.connect(
            lambda *_: self._windows.set_page_title(page, document.title)
        )
        document.style_changed.connect(bar.show_palette)
        bar.shown_chosen.connect(document.show)
        bar.scale_toggled.connect(document.scale)
        bar.swap_requested.connect(document.swap)
        document.info_changed.connect(lambda info: _show_placeholder(info, page))
        document.start()


def _show_placeholder(info: DocumentInfo, page: ProfilePage) -> None:
    """Say in an empty table or graph that nothing has changed; a filter may be the cause instead,
    or a profile without samples."""
    if info.has_samples and not info.is_filtered_out:
        page.set_placeholder("No difference", "Both profiles have the same values of this type.")


def _find(readers: Mapping[str, tuple[str, _ReadSide]], key: str) -> tuple[str, _ReadSide]:
    """Return the name and reader for a key of the dialog: one of ``readers``, or a file's path."""
    return readers[key] if key in readers else _prepare_file(key)


def _prepare_file(path: str) -> tuple[str, _ReadSide]:
    """Return the name of a file and its reader, which raises ContentError."""
    name = Path(path).name

    def read(is_cancelled: Callable[[], bool], report: _Report) -> Side:
        # Imported here for start-up time: the module imports the readers of all formats.
        from stackglass_viewer.model.memory_trace.any_file import open_file

        content = open_file(
            path, is_cancelled=is_cancelled, report=report, take_session=_take_session
        )
        if not isinstance(content, Profile):
            raise ContentError(
                f"{name} is a {content.format_name} file, without stacks to compare",
                "`stackglass diff` compares tables of functions",
            )
        return Side(name, content)

    return name, read


def _take_session(session: SavedSession) -> Profile:
    """Return what one profile can hold of a session: CPU time and memory."""
    return replace(read_capture(session.live), warnings=(*session.warnings, _SESSION_PART))
