"""Capture menu: the controls of a capture's bar and timeline, with their keys, but not Save."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage


@dataclass(frozen=True, slots=True)
class _Item:
    text: str
    keys: str
    act: Callable[[ProfilePage], object]
    is_for_servers: bool = False  # whether it also acts on a tab that watches a server
    is_for_groups: bool = False  # whether it also acts on a tab that adds up several processes


def _toggle_pause(page: ProfilePage) -> None:
    if page.live is not None:
        page.live.bar.toggle_pause()
        return
    for bar in (page.remote, page.group):
        if bar is not None:
            bar.toggle_pause()


def _clear(page: ProfilePage) -> None:
    if page.live is not None:
        page.live.bar.clear_requested.emit()
    elif page.remote is not None:
        page.remote.clear_requested.emit()


def _toggle_attached(page: ProfilePage) -> None:
    if page.live is not None:
        page.live.bar.toggle_attached()


def _open_list(name: str, page: ProfilePage) -> None:
    if page.live is not None:
        page.live.bar.open_list(name)


def _choose_span(span: str, page: ProfilePage) -> None:
    if page.live is not None:
        page.live.bar.choose_span(span)


def _toggle_native(page: ProfilePage) -> None:
    if page.live is not None:
        page.live.bar.toggle_native()


def _toggle_timeline(page: ProfilePage) -> None:
    if page.live is not None:
        page.live.bar.toggle_timeline()


def _put_marker(marker: str, page: ProfilePage) -> None:
    if page.live is not None:
        page.live.put_marker(marker)


def _toggle_replay(page: ProfilePage) -> None:
    if page.live is not None:
        page.live.toggle_replay()


def _step_speed(page: ProfilePage) -> None:
    if page.live is not None:
        page.live.speed_stepped.emit()


def _download_debug_info(page: ProfilePage) -> None:
    if page.live is not None:
        page.live.debug_info_requested.emit()


_DOWNLOAD_TEXT = "Download debug in&formation…"
_DOWNLOAD = _Item(_DOWNLOAD_TEXT, "Ctrl+Shift+G", _download_debug_info)
_PAUSE = _Item("&Pause or resume", "Space", _toggle_pause, is_for_servers=True, is_for_groups=True)
_DETACH = _Item("&Detach", "Ctrl+Shift+D", _toggle_attached)
_GROUPS = (
    (
        _PAUSE,
        _Item("&Clear", "Ctrl+Shift+Del", _clear, is_for_servers=True),
        _DETACH,
    ),
    (
        _Item("Rate p&resets…", "F5", partial(_open_list, "presets")),
        _Item("CP&U rate…", "F6", partial(_open_list, "cpu")),
        _Item("&Native stacks", "Ctrl+Shift+N", _toggle_native),
        _Item("&Wall rate…", "Shift+F6", partial(_open_list, "wall")),
        _Item("&Heap rate…", "F7", partial(_open_list, "heap")),
        _Item("&Lock profiles…", "F8", partial(_open_list, "locks")),
    ),
    (
        _Item("&Threads…", "F9", partial(_open_list, "threads")),
        _Item("Last &10 seconds", "Ctrl+1", partial(_choose_span, "10 s")),
        _Item("Last &minute", "Ctrl+2", partial(_choose_span, "1 min")),
        _Item("&Since the start", "Ctrl+3", partial(_choose_span, "All")),
    ),
    (
        _Item("T&imeline", "T", _toggle_timeline),
        _Item("Repla&y or pause replay", "P", _toggle_replay),
        _Item("Replay spe&ed: 1×, 4×, 16×", "Shift+P", _step_speed),
        _Item("Marker &A here", "[", partial(_put_marker, "a")),
        _Item("Marker &B here", "]", partial(_put_marker, "b")),
    ),
    (_DOWNLOAD,),
)


def _acts_on(item: _Item, page: ProfilePage) -> bool:
    """Whether an entry acts on the page of a server or of several processes."""
    is_for_server = page.remote is not None and item.is_for_servers
    return is_for_server or (page.group is not None and item.is_for_groups)


class CaptureMenu(QMenu):
    """Acts on the page in front. Entries that the page has no capture for are disabled."""

    def __init__(self, find_page: Callable[[], ProfilePage | None], parent: QWidget) -> None:
        super().__init__("&Capture", parent)
        self._find_page = find_page
        self._made: list[tuple[_Item, QAction]] = []
        for items in _GROUPS:
            self.addSeparator()
            for item in items:
                action = self.addAction(item.text)
                action.setShortcut(QKeySequence(item.keys))
                action.triggered.connect(partial(self._act, item))
                self._made.append((item, action))
        self.aboutToShow.connect(self._show_state)
        self.aboutToHide.connect(self.show_page)  # the state may change while the menu is closed
        self.show_page()

    def show_page(self) -> None:
        """Enable the entries' keys for the page in front."""
        page = self._find_page()
        for item, action in self._made:
            # A page's live controls are made after the page, so their keys are enabled in advance.
            is_other = page is not None and (page.remote is not None or page.group is not None)
            action.setEnabled(page is not None and (_acts_on(item, page) or not is_other))

    def _act(self, item: _Item) -> None:
        page = self._find_page()
        if page is not None:
            item.act(page)

    def _show_state(self) -> None:
        """Enable entries and set their texts for the page in front, before the menu opens.

        A page of a file has nothing to control. A process that was detached can be attached again.
        """
        page = self._find_page()
        live = page.live if page is not None else None
        for item, action in self._made:
            action.setEnabled(page is not None and (live is not None or _acts_on(item, page)))
            if item is _DOWNLOAD and live is not None:
                action.setEnabled(live.has_debug_server and live.bar.is_attached)
                why = "" if live.has_debug_server else " (DEBUGINFOD_URLS names no server)"
                action.setText(_DOWNLOAD_TEXT + why)
            if item is _PAUSE and live is not None:
                action.setEnabled(live.bar.may_toggle("pause"))
            if item is _DETACH and live is not None:
                action.setEnabled(live.bar.may_toggle("attached"))
                action.setText("&Detach" if live.bar.is_attached else "Attach a&gain")
