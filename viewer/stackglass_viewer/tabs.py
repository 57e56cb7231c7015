"""Tabs of all windows, opened and closed; part of the composition root.

A tab is made in incremental steps on the GUI thread, with room for other events after each::

    document ─▶ make its page, in parts ─▶ connect it ─▶ put it among the tabs ─▶ … ─▶ show it

A closed tab vanishes at once. A worker waits for the threads of its document, which may take
seconds to end, and the document is deleted after that.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from stackglass_viewer.presenter.worker import Worker

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.presenter.document.document import Document
    from stackglass_viewer.view.window.profile_page import ProfilePage

Step = Callable[["ProfilePage"], object]


class Tabs:
    """Opens and closes tabs, and holds their documents. GUI thread.

    Steps that are not run yet are dropped when the QObject ``owner`` is deleted.
    """

    def __init__(self, owner: QObject, on_opened: Callable[[], object]) -> None:
        """``on_opened``: called once all steps of all tabs were run."""
        self._owner = owner
        self._on_opened = on_opened
        self._n_opening = 0  # tabs with steps still to run
        self.documents: dict[ProfilePage, Document] = {}
        self._coming: set[Document] = set()  # documents whose page is still being made
        self.leaving: set[Document] = set()  # documents of closed tabs, with threads still to end
        self._closer = Worker("close")  # waits for the threads of ``leaving``

    def open(
        self, document: Document, make: Callable[[], ProfilePage], steps: Sequence[Step]
    ) -> None:
        """Make a page for a document, from the next event on, and run ``steps`` on it in turn.
        The page that ``make`` returns need not be whole: its ``parts`` are made first."""
        self._coming.add(document)
        self._n_opening += 1
        self._run_later(lambda: self._make(document, make, steps))

    def _make(
        self, document: Document, make: Callable[[], ProfilePage], steps: Sequence[Step]
    ) -> None:
        if document not in self._coming:
            self._end_opening()
            return
        with self._ending_on_error():
            page = make()
        self._grow(document, page, steps)

    def _grow(self, document: Document, page: ProfilePage, steps: Sequence[Step]) -> None:
        if document not in self._coming:
            page.deleteLater()
            self._end_opening()
            return
        with self._ending_on_error():
            is_growing = next(page.parts, False)
        if is_growing:
            self._run_later(lambda: self._grow(document, page, steps))
        else:
            self._coming.remove(document)
            self.documents[page] = document
            document.set_front(False)  # until the window says so
            self._run_later(lambda: self._run_step(page, steps))

    def _run_step(self, page: ProfilePage, steps: Sequence[Step]) -> None:
        if page in self.documents and steps:
            with self._ending_on_error():
                steps[0](page)
            self._run_later(lambda: self._run_step(page, steps[1:]))
        else:
            self._end_opening()

    def _end_opening(self) -> None:
        self._n_opening -= 1
        if not self._n_opening:
            self._on_opened()

    @contextmanager
    def _ending_on_error(self) -> Iterator[None]:
        """If a step raises, count its tab as opened: no further step of the tab will run."""
        try:
            yield
        except BaseException:
            self._end_opening()
            raise

    @property
    def is_opening(self) -> bool:
        """Whether a tab is still being made, or is not in front yet."""
        return self._n_opening > 0

    def _run_later(self, work: Callable[[], None]) -> None:
        QTimer.singleShot(0, self._owner, work)

    @property
    def all(self) -> tuple[Document, ...]:
        """The documents of all tabs, and of those whose page is still being made."""
        return (*self.documents.values(), *self._coming)

    def set_front(self, fronts: Container[ProfilePage]) -> None:
        """Set which tabs are in sight. Documents of other tabs draw no data that keep coming."""
        for page, document in self.documents.items():
            document.set_front(page in fronts)

    def close(self, page: ProfilePage) -> None:
        """Close a tab: ask its document's threads to end, and delete the document after that.
        An engine may take seconds to detach."""
        document = self.documents.pop(page)
        document.leave()
        self.leaving.add(document)
        self._closer.submit(str(id(document)), document.wait, lambda _: self._forget(document))

    def _forget(self, document: Document) -> None:
        self.leaving.discard(document)
        document.deleteLater()

    def end(self) -> None:
        """Close all tabs; returns when all threads of their documents have ended."""
        self._on_opened = lambda: None  # the windows may be gone before the last step
        staying = self.all
        for document in staying:
            document.leave()
        for document in (*staying, *self.leaving):
            document.wait()
        self._closer.stop()
        self.documents.clear()
        self._coming.clear()
        self.leaving.clear()
