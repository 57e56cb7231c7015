"""Recent files and server addresses, kept from one run to the next."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal

_LIMIT = 10
_KEY = "recent_files"
_URLS_KEY = "recent_urls"


class RecentFiles(QObject):
    """Paths of the last files, newest first. GUI thread."""

    changed = Signal(tuple)  # tuple of str: paths, newest first

    def __init__(self, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings

    @property
    def paths(self) -> tuple[str, ...]:
        return _read_list(self._settings, _KEY)

    def remember(self, path: str) -> None:
        full = str(Path(path).resolve())
        self._store([full, *(known for known in self.paths if known != full)])

    def forget(self, path: str) -> None:
        self._store([known for known in self.paths if known != path])

    def clear(self) -> None:
        self._store([])

    def _store(self, paths: list[str]) -> None:
        self._settings.setValue(_KEY, paths[:_LIMIT])
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


def _read_list(settings: QSettings, key: str) -> tuple[str, ...]:
    stored = settings.value(key, [])
    if isinstance(stored, str):  # QSettings stores a list of one string as the string
        stored = [stored]
    return tuple(str(each) for each in stored) if isinstance(stored, list) else ()
