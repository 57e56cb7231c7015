"""Clipboard as a source of profiles; part of the composition root.

::

    files that were copied ─┐
    a path, an address ─────┼─▶ tabs
    a profile as text ──────┴─▶ a file of the cache, so that it can be opened again

A text that is no profile is removed from the cache again: it may be a secret.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QMimeData, QStandardPaths
from PySide6.QtGui import QGuiApplication

from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.windows import Windows

_MOST_KEPT = 10  # files of pasted text
_CALLED = "the clipboard"  # in messages about its text: the file's name would mean nothing
_NOTHING = "The clipboard has no profile. Copy a file, an address, or a profile as text first."


class Clipboard:
    """Opens what the user pastes. GUI thread."""

    def __init__(self, windows: Windows, open_places: Callable[[Sequence[str], str], None]) -> None:
        """``open_places`` receives files and addresses, and what messages call them; "" = by
        their names."""
        self._windows, self._open_places = windows, open_places
        self._kept: set[str] = set()  # paths of the files with pasted texts
        windows.paste_requested.connect(self._paste)

    def drop(self, path: str) -> None:
        """Remove the file ``path``, which is no profile, if it holds a pasted text."""
        if path in self._kept:
            self._kept.remove(path)
            with suppress(OSError):
                os.unlink(path)

    def _paste(self) -> None:
        data = QGuiApplication.clipboard().mimeData()
        if places := list_places(data):
            self._open_places(places, "")
            return
        text = data.text().strip()
        if not text:
            self._windows.show_notice(Notice("info", _NOTHING))
            return
        try:
            path = keep_text(text, _find_folder())
        except OSError as error:
            text = f"The clipboard's text was not stored: {error.strerror}."
            self._windows.show_notice(Notice("error", text))
            return
        self._kept.add(path)
        self._open_places((path,), _CALLED)


def _find_folder() -> Path:
    place = QStandardPaths.StandardLocation.CacheLocation
    return Path(QStandardPaths.writableLocation(place)) / "clipboard"


def list_places(data: QMimeData) -> tuple[str, ...]:
    """Return the files, folders and addresses to open; empty = there are none, but maybe other
    text."""
    files = tuple(url.toLocalFile() for url in data.urls() if url.isLocalFile())
    if files:
        return files
    text = data.text().strip()
    is_place = text.startswith(("http://", "https://")) or _is_path(text)
    return (text,) if is_place and "\n" not in text else ()


def keep_text(text: str, folder: Path) -> str:
    """Write text to a new file in ``folder``, keep the last ten such files there, and return the
    path of the new one. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = _write_new(folder, text + "\n")
    # The new file stays whatever the others are called: the clock may have been set back.
    others = sorted(each for each in folder.glob("clipboard-*.txt") if each != path)
    for old in others[: 1 - _MOST_KEPT]:
        old.unlink(missing_ok=True)  # another window may have removed it
    return str(path)


def _write_new(folder: Path, text: str) -> Path:
    """Write a file named by the time, and numbered if that name is taken. Return its path."""
    stem = f"clipboard-{time.strftime('%Y%m%d-%H%M%S')}"
    number = 1
    while True:
        path = folder / (f"{stem}.txt" if number == 1 else f"{stem}-{number}.txt")
        try:
            with path.open("x", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except FileExistsError:
            number += 1
        else:
            return path


def _is_path(text: str) -> bool:
    return text.startswith("/") and (os.path.isfile(text) or os.path.isdir(text))
