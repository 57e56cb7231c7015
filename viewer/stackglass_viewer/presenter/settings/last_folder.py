"""Last folder: where dialogs for files begin, kept from one run to the next."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSettings

_KEY = "last_folder"


class LastFolder:
    """The folder of the file that the user chose last in a dialog. GUI thread."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    def find(self) -> str:
        """Return the folder; "" = none was chosen yet. If it is gone, the user's home."""
        stored = str(self._settings.value(_KEY, ""))
        return stored if not stored or Path(stored).is_dir() else str(Path.home())

    def place(self, suggestion: str) -> str:
        """Return the path of a suggested file in the folder."""
        folder = self.find()
        return str(Path(folder) / Path(suggestion).name) if folder else suggestion

    def remember(self, path: str) -> None:
        """Remember the folder of a file that was chosen; "" = the user cancelled."""
        if path:
            self._settings.setValue(_KEY, str(Path(path).absolute().parent))
