"""Tabs of servers with ``/debug/pprof/`` pages; part of the composition root.

::

    URL ─┬─ names a profile ───────────────┐
         └─ names none ─▶ dialog: list ────┴─▶ Loader fetches it ─▶ tab ─▶ Poller, if watched

A watched profile is fetched again at an interval; other profiles are fetched once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from PySide6.QtCore import Qt

from stackglass_viewer.model.errors import ViewerError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.remote.address import Address, parse_address
from stackglass_viewer.model.remote.index_page import RECORDED
from stackglass_viewer.model.remote.reading import Fetched, fetch_profile
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.loading import Loader, LoadItem
from stackglass_viewer.presenter.remote.document import FetchedDocument, RemoteDocument
from stackglass_viewer.presenter.remote.profile_list import ProfileList
from stackglass_viewer.presenter.remote.snapshot_file import SnapshotFile, name_snapshot
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.recent_files import RecentUrls
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.capture.remote_bar import RemoteBar
from stackglass_viewer.view.dialogs import questions as dialogs
from stackglass_viewer.view.dialogs.url_dialog import UrlDialog
from stackglass_viewer.view.widgets.asker import Asker
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows


@dataclass(frozen=True, slots=True, eq=False)
class FromServer:
    """A profile that the loader has fetched from a server."""

    fetched: Fetched
    interval_s: int  # between two fetches; 0 = only this one


class OpenTab(Protocol):
    """Opens a document in a tab; ``names`` are its title and its tool tip. ``is_behind``: do not
    bring the tab to the front."""

    def __call__(
        self,
        document: Document,
        names: tuple[str, str],
        *steps: Callable[[ProfilePage], object],
        is_behind: bool = False,
    ) -> None: ...


class Remotes:
    """Opens profiles of servers in tabs. GUI thread."""

    def __init__(
        self,
        windows: Windows,
        loader: Loader,
        recent: RecentUrls,
        style: Callable[[], GraphStyle],
        open_tab: OpenTab,
    ) -> None:
        self._windows = windows
        self._loader = loader
        self._recent = recent
        self._style = style
        self._open_tab = open_tab
        self._lists: list[ProfileList] = []  # one for each dialog that was open at the same time
        self._idle: list[ProfileList] = []  # those that no open dialog uses
        self._file = SnapshotFile(windows)
        self._file.saved.connect(
            lambda text, window: windows.show_notice(Notice("info", text), window)
        )
        self._file.failed.connect(
            lambda text, window: windows.show_notice(Notice("error", text), window)
        )

    def open(self, text: str) -> None:
        """Fetch the profile that the URL ``text`` names, or list all profiles of its server."""
        try:
            address = parse_address(text)
        except ViewerError as error:
            self._windows.show_notice(Notice("error", str(error)))
            return
        if address.profile:
            self._fetch(address, 0)
        else:
            self.show_dialog(text)

    def show_dialog(self, url: str = "") -> None:
        """Ask for a profile of a server. ``url``: list the profiles of this server at once."""
        dialog = UrlDialog(self._recent.urls, self._windows.active)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        profiles = self._take_list()
        dialog.list_requested.connect(profiles.request)
        dialog.list_unwanted.connect(profiles.cancel)
        profiles.listed.connect(dialog.show_profiles)
        profiles.failed.connect(dialog.show_failure)
        dialog.open_requested.connect(partial(self._choose, profiles, False))
        dialog.watch_requested.connect(partial(self._choose, profiles, True))
        dialog.finished.connect(lambda: self._give_back(profiles))
        dialog.open()
        if url:
            dialog.set_url(url)

    def _take_list(self) -> ProfileList:
        """Return a list that no other dialog uses: each window may have a dialog open."""
        if not self._idle:
            made = ProfileList(self._windows)
            self._lists.append(made)
            return made
        return self._idle.pop()

    def _give_back(self, profiles: ProfileList) -> None:
        profiles.cancel()
        profiles.listed.disconnect()
        profiles.failed.disconnect()
        self._idle.append(profiles)

    def _choose(
        self, profiles: ProfileList, is_watched: bool, url: str, profile: str, seconds: int
    ) -> None:
        typed = parse_address(url).index  # does not raise: the list came from this URL
        self._recent.remember(typed.url)
        index = profiles.index or typed  # names in a list are relative to the page that lists them
        self._fetch(
            index.choose(profile, seconds if profile in RECORDED else 0),
            seconds if is_watched else 0,
        )

    def _fetch(self, address: Address, interval_s: int) -> None:
        self._windows.show_notice(None)

        def read(is_cancelled: Callable[[], bool], report: Callable[[float], None]) -> FromServer:
            return FromServer(fetch_profile(address, is_cancelled, report), interval_s)

        name = f"{address.profile} of {address.host_text}"
        seconds = f", {address.seconds} s" if address.seconds else ""
        self._loader.run(LoadItem(address.url, f"{name}{seconds}", read, "Fetching"))

    def show(self, content: FromServer) -> None:
        """Open a tab for a profile that the loader has fetched."""
        fetched = content.fetched
        address = fetched.address
        if content.interval_s and isinstance(fetched.content, Profile):
            watched = RemoteDocument(fetched, content.interval_s, self._style(), self._windows)
            names = (watched.title, address.url)
            self._open_tab(watched, names, partial(self._begin, watched, content.interval_s))
            return
        document = FetchedDocument(fetched, self._style(), self._windows)
        self._open_tab(document, (document.title, address.url), lambda _: document.build())

    def _begin(self, document: RemoteDocument, interval_s: int, page: ProfilePage) -> None:
        """Give the tab its controls and go on fetching."""
        bar = page.add_bar(partial(RemoteBar, document.kind, document.parts, interval_s))
        bar.interval_chosen.connect(document.poller.set_interval)
        bar.part_chosen.connect(document.choose_part)
        bar.pause_toggled.connect(document.poller.pause)
        bar.clear_requested.connect(document.clear)
        bar.save_requested.connect(lambda: self.save(document))
        document.status_changed.connect(bar.show_status)
        document.start()

    def save(self, document: Document) -> bool:
        """Ask for a path, and write the newest snapshot to it as the server sent it. Returns False
        if the document is not from a server."""
        if not isinstance(document, (FetchedDocument, RemoteDocument)):
            return False
        window = self._windows.active
        path = dialogs.ask_save_path(
            Asker(window, self._windows.folder), name_snapshot(document.address)
        )
        if path:
            self._file.save(path, document.packed, window)
        return True

    def stop(self, deadline_s: float) -> None:
        """End every thread but those of tabs. ``deadline_s``: see ``Worker.finish``."""
        for profiles in self._lists:
            profiles.cancel()
        self._file.stop(deadline_s)
