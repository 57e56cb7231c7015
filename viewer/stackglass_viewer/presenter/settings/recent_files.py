"""Recent files and server addresses, kept from one run to the next.

QSettings keeps text that UTF-8 can encode. A path whose bytes are no UTF-8 is stored as a URL,
which no other stored path looks like: all of them are absolute.
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

from PySide6.QtCore import QObject, QSettings, Signal

_LIMIT = 10
_KEY = "recent_files"
_URLS_KEY = "recent_urls"
_SCHEME = "file://"


class RecentFiles(QObject):
    """Paths of the last files, newest first. GUI thread."""

    changed = Signal(tuple)  # tuple of str: paths, newest first

    def __init__(self, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    @property
    def paths(self) -> tuple[str, ...]:
        stored = map(_decode, _read_list(self._settings, _KEY))
        return tuple(path for path in stored if "\0" not in path)  # edited by hand: it is no path

    def remember(self, path: str) -> None:
        full = str(Path(path).resolve())
        self._store([full, *(known for known in self.paths if known != full)])

    def forget(self, path: str) -> None:
        self._store([known for known in self.paths if known != path])

    def clear(self) -> None:
        self._store([])

    def _store(self, paths: list[str]) -> None:
        self._settings.setValue(_KEY, [_encode(path) for path in paths[:_LIMIT]])
        self.changed.emit(self.paths)


class RecentUrls:
    """URLs of servers that profiles were fetched from, newest first."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    @property
    def urls(self) -> tuple[str, ...]:
        return _read_list(self._settings, _URLS_KEY)

    def remember(self, url: str) -> None:
        urls = [url, *(known for known in self.urls if known != url)]
        self._settings.setValue(_URLS_KEY, urls[:_LIMIT])


def _encode(path: str) -> str:
    return path if path.isprintable() else _SCHEME + quote_from_bytes(os.fsencode(path))


def _decode(stored: str) -> str:
    if not stored.startswith(_SCHEME):
        return stored
    return os.fsdecode(unquote_to_bytes(stored.removeprefix(_SCHEME)))


def _read_list(settings: QSettings, key: str) -> tuple[str, ...]:
    stored = settings.value(key, [])
    if isinstance(stored, str):  # QSettings stores a list of one string as the string
        stored = [stored]
    return tuple(str(each) for each in stored) if isinstance(stored, list) else ()
