"""Asker of a file dialog: the window above which it opens, and the folder in which it begins."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.settings.last_folder import LastFolder


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for a path. The dialog remembers the folder of the answer."""

    parent: QWidget
    folder: LastFolder
