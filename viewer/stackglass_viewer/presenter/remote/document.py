"""Documents of tabs with a server's profile, which is fetched once or repeatedly."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.remote.address import Address
from stackglass_viewer.model.remote.reading import Fetched
from stackglass_viewer.model.remote.snapshots import PARTS, SnapshotPart, Snapshots, find_kind
from stackglass_viewer.model.units import make_sentence
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.table_source import make_source
from stackglass_viewer.presenter.remote.poller import Poller, PollStatus
from stackglass_viewer.presenter.remote.source import RemoteSource
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.view_state import Notice


def make_title(address: Address) -> str:
    """Return the title of a tab: ``heap 127.0.0.1:6060``."""
    return f"{address.profile} {address.host_text}"


class FetchedDocument(Document):
    """A profile that was fetched once. GUI thread."""

    def __init__(self, fetched: Fetched, style: GraphStyle, parent: QObject | None = None) -> None:
        self.address = fetched.address
        self.packed = fetched.packed  # the bytes that the server sent
        # A tab that watches the profile, or one with a later snapshot, may be beside this one.
        self.title = f"{make_title(fetched.address)} at {time.strftime('%H:%M:%S')}"
        super().__init__(make_source(fetched.content, self.title), style, parent)


class RemoteDocument(Document):
    """A profile that is fetched repeatedly. GUI thread, like every document."""

    status_changed = Signal(object)  # PollStatus

    def __init__(
        self,
        fetched: Fetched,
        interval_s: int,
        style: GraphStyle,
        parent: QObject | None = None,
    ) -> None:
        """``fetched``: the first snapshot, which must have stacks."""
        assert isinstance(fetched.content, Profile)
        address = self.address = fetched.address
        self.packed = fetched.packed  # the newest snapshot, as the server sent it
        self.title = make_title(address)
        self.kind = find_kind(address.profile)
        self._snapshots = Snapshots(self.kind, fetched.content)
        self._remote = RemoteSource(self._snapshots, self.title)
        super().__init__(self._remote, style, parent)
        self.poller = Poller(address, self._snapshots, interval_s, self)
        self.poller.arrived.connect(self._on_arrived)
        self.poller.status_changed.connect(self._on_status_changed)
        self._notice_text = ""

    @property
    def parts(self) -> tuple[SnapshotPart, ...]:
        """The parts that can be shown."""
        return PARTS[self.kind]

    def start(self) -> None:
        """Show the first snapshot and fetch the next."""
        self.build()
        self.poller.start(len(self.packed))

    def leave(self) -> None:
        self.poller.leave()
        super().leave()

    def wait(self) -> None:
        self.poller.wait()
        super().wait()

    def choose_part(self, part: SnapshotPart) -> None:
        """Show the newest snapshot, the time since the tab was opened, or the last interval."""
        self._remote.part = part
        self.build()

    def clear(self) -> None:
        """Drop earlier snapshots: sums and differences begin at the newest one."""
        self._snapshots.clear()
        self._remote.forget()
        self.build()

    def _on_arrived(self, packed: bytes) -> None:
        self.packed = packed
        self.build()

    def _on_status_changed(self, status: PollStatus) -> None:
        text = ""
        if status.phase == "retrying" and status.error:
            text = f"{make_sentence(status.error)} The fetched profiles are kept."
        elif status.has_restarted:
            text = "The program was restarted: its totals began at 0 again."
        if text != self._notice_text:
            self._notice_text = text
            notice = Notice("warning" if status.error else "info", text)
            self.notices.put("server", notice if text else None)
        self.status_changed.emit(status)
