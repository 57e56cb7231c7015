"""Document of a group of processes: several captures as one profile.

It is built again every two seconds while data come.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_source import GroupSource, Member
from stackglass_viewer.presenter.live.member_profile import PROCESS_KEY
from stackglass_viewer.presenter.settings.command_texts import name_children, name_family
from stackglass_viewer.presenter.settings.label_choices import list_label_alternatives
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.view_state import GroupStatus

_REFRESH_MS = 2000


class GroupDocument(Document):
    """The tab of a group. GUI thread, like every document."""

    title_changed = Signal(str)
    status_changed = Signal(object)  # GroupStatus

    def __init__(
        self,
        name: str,
        first: LiveDocument | None,
        style: GraphStyle,
        parent: QObject | None = None,
    ) -> None:
        """``first``: the process whose children are added; None = it has ended, and only they are
        shown. ``name``: its title."""
        self._name = name
        self._has_first = first is not None
        self._group = GroupSource(f"{'All processes' if self._has_first else 'Children'} of {name}")
        super().__init__(self._group, style, parent)
        self._members: dict[LiveDocument, Member] = {}
        self._n_members = 0  # including members that have ended
        self._has_more = True  # whether data have come since the last build
        self._is_paused = False
        self._renamed: dict[str, str] = {}  # by the name in the views: the name since then
        self._status = GroupStatus()  # as last emitted
        self._refresh = QTimer(self)
        self._refresh.setInterval(_REFRESH_MS)
        self._refresh.timeout.connect(self._on_refresh)
        if first is not None:
            self.add(first)

    @property
    def title(self) -> str:
        """``server.py 4711 and 3 children``, or ``3 children of server.py 4711``."""
        if self._has_first:
            return name_family(self._name, self._n_members - 1)
        return name_children(self._name, self._n_members)

    def add(self, document: LiveDocument) -> None:
        """Add the capture of one more process."""
        self._n_members += 1
        self._add(document)
        self.title_changed.emit(self.title)

    def _add(self, document: LiveDocument, *, is_again: bool = False) -> None:
        users = document.session.data_users
        users.join()
        member = Member(document.live, document.title, is_again, users.leave)
        self._members[document] = member
        self._group.add(member)
        document.capture.data_arrived.connect(self._on_data_arrived)
        self._has_more = True

    def replace(self, last: LiveDocument, again: LiveDocument) -> None:
        """Add the new capture of the process of ``last``. The data of both are kept here."""
        self.end(last)
        if again not in self._members:
            self._add(again, is_again=True)

    def end(self, document: LiveDocument) -> None:
        """Note that the process of ``document`` has ended: its data are kept here."""
        self._follow_title(document)
        member = self._members.pop(document, None)
        if member is not None:
            self._group.end(member)
            self._has_more = True
            if self._is_paused:  # else the next build does this
                self._worker.submit("settle", self._group.settle, lambda _: None)

    def start(self) -> None:
        """Show the data, and refresh them as they come."""
        self._refresh.start()
        self.build()
        self._report_status()

    def pause(self, is_paused: bool) -> None:
        """Hold the views at what they show, or resume; the captures go on in either case."""
        self._is_paused = is_paused
        self._group.hold(is_paused)
        if not is_paused:
            self._rename_in_filters(self._renamed)
        self._on_refresh()

    @property
    def _keeps_places(self) -> bool:
        return not self._is_paused

    def _refresh_front(self) -> None:
        self._on_refresh()

    def leave(self) -> None:
        self._refresh.stop()
        super().leave()

    def wait(self) -> None:
        super().wait()
        self._group.close()

    def _follow_title(self, document: LiveDocument) -> None:
        """Give a member the title of its tab: the name of a child is known a little later."""
        member = self._members.get(document)
        if member is not None and document.title != member.name:
            self._members[document] = self._group.rename(member, document.title)
            self._follow_name(member.name, document.title)
            self._has_more = True

    def _follow_name(self, old: str, new: str) -> None:
        """Note a member's new name, until the views have it."""
        shown = [name for name, now in self._renamed.items() if now == old]
        self._renamed.update(dict.fromkeys(shown or [old], new))
        if not self._is_paused:  # else the views have the old names
            self._rename_in_filters({old: new})

    def _rename_in_filters(self, renamed: dict[str, str]) -> None:
        """Let filters for a process follow its name: they would hide its samples from now on."""
        for old, new in renamed.items():  # one by one: a name may be another member's old one
            before, after = (list_label_alternatives((PROCESS_KEY, name)) for name in (old, new))
            self.filters.rename_labels(dict(zip(before, after, strict=True)))

    def _rename_again(self, renamed: dict[str, str]) -> None:
        """Let filters follow that were chosen by the old names, while views with the new ones were
        being built."""
        renamed = {**renamed, **self._renamed}
        if self._is_paused:  # the views may still have the old names
            self._renamed = renamed
        else:
            self._rename_in_filters(renamed)

    def _on_data_arrived(self) -> None:
        self._has_more = True

    def _on_refresh(self) -> None:
        for document in self._members:
            self._follow_title(document)
        self._report_status()
        is_wanted = self._is_front and not self._is_paused
        if self._has_more and is_wanted and not self.is_building:
            self._has_more = False
            self._group.expire()
            self.build()
            self.builds.when_shown(partial(self._rename_again, self._renamed))
            self._renamed = {}

    def _report_status(self) -> None:
        """Emit the status if it has changed. Called with each refresh: members may be many."""
        n_attached = sum(document.status.is_attached for document in self._members)
        status = GroupStatus(self._n_members, n_attached, self._is_paused)
        if status != self._status:
            self._status = status
            self.status_changed.emit(status)

    def prepare_profile(self) -> Callable[[], Profile]:
        """Return a function that reads the profile of all members: as of the time of its call, or
        of the pause."""
        return partial(self._group.read_shown, self._request())
