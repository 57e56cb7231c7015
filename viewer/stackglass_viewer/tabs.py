"""Tabs of all windows, opened and closed; part of the composition root.

A tab is made in incremental steps on the GUI thread, with room for other events after each::

    document ─▶ make its page, in parts ─▶ connect it ─▶ put it among the tabs ─▶ … ─▶ show it

and closes at once, except for the threads of its document, which end when they can.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from stackglass_viewer.presenter.worker import Worker

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.presenter.document.document import Document
    from stackglass_viewer.view.window.profile_page import ProfilePage

Step = Callable[["ProfilePage"], object]


class Tabs:
    """GUI thread. ``owner`` has the steps still to run: they end with it."""

    def __init__(self, owner: QObject) -> None:
        self._owner = owner
        self.documents: dict[ProfilePage, Document] = {}
        self._coming: set[Document] = set()  # that have no page yet
        self.leaving: set[Document] = set()  # closed, with threads that still end
        self._closer = Worker("close")  # waits for them

    def open(
        self, document: Document, make: Callable[[], ProfilePage], steps: Sequence[Step]
    ) -> None:
        """Make a page for a document, from the next event on, and run ``steps`` on it in turn.
        The page that ``make`` returns need not be whole."""
        self._coming.add(document)
        self._do_soon(lambda: self._make(document, make, steps))

    def _make(
        self, document: Document, make: Callable[[], ProfilePage], steps: Sequence[Step]
    ) -> None:
        if document in self._coming:
            self._grow(document, make(), steps)

    def _grow(self, document: Document, page: ProfilePage, steps: Sequence[Step]) -> None:
        if document not in self._coming:
            page.deleteLater()
        elif next(page.parts, False):
            self._do_soon(lambda: self._grow(document, page, steps))
        else:
            self._coming.remove(document)
            self.documents[page] = document
            document.set_front(False)  # until the window says so
            self._do_soon(lambda: self._run_step(page, steps))

    def _run_step(self, page: ProfilePage, steps: Sequence[Step]) -> None:
        if page in self.documents and steps:
            steps[0](page)
            self._do_soon(lambda: self._run_step(page, steps[1:]))

    def _do_soon(self, work: Callable[[], None]) -> None:
        QTimer.singleShot(0, self._owner, work)

    @property
    def all(self) -> tuple[Document, ...]:
        """Documents of the tabs, those included whose page is still to be made."""
        return (*self.documents.values(), *self._coming)

    def set_front(self, fronts: Container[ProfilePage]) -> None:
        """Which tabs are looked at: the others build nothing that changes by itself."""
        for page, document in self.documents.items():
            document.set_front(page in fronts)

    def close(self, page: ProfilePage) -> None:
        """Have a document's threads end, and forget it when they have: an engine may take seconds
        to leave."""
        document = self.documents.pop(page)
        document.leave()
        self.leaving.add(document)
        self._closer.submit(str(id(document)), document.wait, lambda _: self._forget(document))

    def _forget(self, document: Document) -> None:
        self.leaving.discard(document)
        document.deleteLater()

    def end(self) -> None:
        """Everything leaves; returns when all threads have ended."""
        staying = self.all
        for document in staying:
            document.leave()
        for document in (*staying, *self.leaving):
            document.wait()
        self._closer.stop()
        self.documents.clear()
        self._coming.clear()
        self.leaving.clear()
