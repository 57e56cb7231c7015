"""List of a server's profiles, fetched in a thread of its own."""

from __future__ import annotations

import threading

from PySide6.QtCore import QObject, Qt, Signal, Slot

from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.model.remote.address import Address, parse_address
from stackglass_viewer.model.remote.index_page import ListedProfile, list_profiles
from stackglass_viewer.presenter.remote.failures import describe_failure


class _Listing:
    """One request. The GUI thread sets the cancel flag, and the request's thread polls it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.index: Address | None = None  # the page that listed the profiles
        self.thread: threading.Thread | None = None
        self.is_cancelled = threading.Event()


class ProfileList(QObject):
    """Fetches the list; the newest request wins. Signals arrive on the GUI thread."""

    listed = Signal(tuple)  # tuple of ListedProfile
    failed = Signal(str)  # why, in one sentence

    _done = Signal(object, object)  # _Listing; tuple, str or None (cancelled)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.index: Address | None = None  # the page of the last list, after redirects
        self._listing: _Listing | None = None  # the newest request
        self._done.connect(self._on_done, Qt.ConnectionType.QueuedConnection)

    def request(self, text: str) -> None:
        """Fetch the list from the server at this URL; ``listed`` or ``failed`` follows."""
        self.cancel()
        listing = self._listing = _Listing(text)
        listing.thread = threading.Thread(
            target=self._run, args=(listing,), name="list profiles", daemon=True
        )
        listing.thread.start()

    def cancel(self) -> None:
        """Cancel the request under way; its thread ends within a tenth of a second."""
        if self._listing is not None:
            self._listing.is_cancelled.set()
            self._listing = None

    def _run(self, listing: _Listing) -> None:
        # Here for start-up time: it imports http.client and ssl.
        from stackglass_viewer.model.remote.request import fetch_from

        outcome: tuple[ListedProfile, ...] | str | None
        try:
            address = parse_address(listing.text).index
            page, content = fetch_from(address, listing.is_cancelled.is_set, lambda _: None)
            listing.index = page.index
            outcome = list_profiles(content)
        except CancelledError:
            outcome = None
        except Exception as error:  # noqa: BLE001 - the top of a thread: reported
            outcome = describe_failure(error)
        self._done.emit(listing, outcome)

    @Slot(object, object)
    def _on_done(self, listing: _Listing, outcome: tuple[ListedProfile, ...] | str | None) -> None:
        if listing is not self._listing:
            return
        self._listing = None
        if isinstance(outcome, tuple):
            self.index = listing.index
            self.listed.emit(outcome)
        elif outcome is not None:
            self.failed.emit(outcome)
