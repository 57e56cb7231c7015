"""Layouts of views, remembered for each kind of profile; part of the composition root."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt

from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.settings.kept_layouts import KeptLayouts, name_kind
from stackglass_viewer.presenter.settings.view_state import DocumentInfo
from stackglass_viewer.view.window.profile_page import ProfilePage


class Layouts:
    """Restores the layout of a new page, and stores changes of it. GUI thread."""

    def __init__(self, kept: KeptLayouts, is_quiet: bool) -> None:
        """``is_quiet``: neither read nor store layouts, for pictures and tests."""
        self._kept, self._is_quiet = kept, is_quiet

    def connect(self, document: Document, page: ProfilePage, is_free: Callable[[], bool]) -> None:
        """Restore the page's layout once the first data shows which kind of profile it is.

        ``is_free`` returns whether the layout may be restored: the command line names no view.
        """
        if not self._is_quiet:
            document.info_changed.connect(
                lambda info: self._begin(info, page, is_free),
                Qt.ConnectionType.SingleShotConnection,
            )

    def _begin(self, info: DocumentInfo, page: ProfilePage, is_free: Callable[[], bool]) -> None:
        kind = name_kind(info, page.trace is not None)
        layout = self._kept.read(kind) if is_free() else None
        if layout is not None:
            page.layout_choice.restore(layout)
        page.layout_choice.arranged.connect(lambda made: self._kept.store(kind, made))
