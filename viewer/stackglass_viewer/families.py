"""Tabs of the children of attached processes; part of the composition root.

::

    tab of a process ─▶ Family: a child has come ─┬─▶ a tab of the child, in the background
                                                  └─▶ a tab of all of them together

When a child ends, its tab is closed unless the user has looked at it: a server that replaces its
workers for days would fill the window. The child's samples stay in the tab of all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.attaching import find_python_processes
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.family import Family
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.live.target_process import is_running
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.remotes import OpenTab
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows


class AttachBehind(Protocol):
    """Watches a process in a new tab that is not brought up; ``parent`` is the title of its
    ancestor's tab."""

    def __call__(self, target: Target, *, parent: str) -> LiveDocument: ...


@dataclass(frozen=True, slots=True)
class TabActions:
    """Actions of ``Pages`` on tabs. They leave the tab in front where it is."""

    attach: AttachBehind
    open_tab: OpenTab
    close: Callable[[ProfilePage], None]  # asks nothing


@dataclass(slots=True)
class _Followed:
    """A process whose children are attached to."""

    target: Target
    document: LiveDocument
    family: Family
    group: GroupDocument | None = None  # the sum, from the first child until its tab is closed
    has_had_group: bool = False
    children: dict[int, LiveDocument] = field(default_factory=dict)  # running children, by PID


class Families:
    """Follows the children of attached processes. GUI thread."""

    def __init__(
        self,
        windows: Windows,
        documents: Mapping[ProfilePage, Document],
        style: Callable[[], GraphStyle],
        actions: TabActions,
    ) -> None:
        """``documents``: those of all tabs, by page."""
        self._windows = windows
        self._documents = documents
        self._style = style
        self._actions = actions
        self._followed: list[_Followed] = []
        self._left: list[Family] = []  # of closed tabs; their threads may still list processes
        self._seen: set[Document] = set()  # documents whose tab was in front of its window
        windows.current_changed.connect(self._on_page_shown)

    def follow(self, target: Target, document: LiveDocument) -> None:
        """Attach to every child that the process has or gets, until the tab is closed."""
        family = Family(target.pid, find_python_processes, self._windows)
        followed = _Followed(target, document, family)
        self._followed.append(followed)
        family.joined.connect(partial(self._on_joined, followed))
        family.looked.connect(partial(self._on_looked, followed))
        family.start()

    def is_followed(self, document: Document) -> bool:
        """Whether new children of the document's process are attached to."""
        return any(followed.document is document for followed in self._followed)

    def find_first(self, document: Document) -> LiveDocument | None:
        """Return the document of the followed process to whose family a tab belongs; None = it
        belongs to none."""
        if self.is_followed(document):
            return document if isinstance(document, LiveDocument) else None
        for followed in self._followed:
            members = (followed.group, *followed.children.values())
            if any(each is document for each in members):
                return followed.document
        return None

    def reopen_group(self, first: LiveDocument) -> GroupDocument:
        """Open the tab of all processes of a family before any child is known. ``first``: the
        document of the followed process."""
        return self._open_group(self._find_followed(first))

    def rejoin(self, first: LiveDocument, pid: int) -> LiveDocument:
        """Attach at once to a child that was attached to in the last run. The tab of all is not
        opened for it: that was reopened before, or the user had closed it."""
        followed = self._find_followed(first)
        followed.has_had_group = True
        return self._add_child(followed, pid)

    def take_place(self, last: LiveDocument, again: LiveDocument) -> None:
        """A process was attached to again: its new tab takes the place of ``last``."""
        for followed in self._followed:
            children = followed.children
            if followed.document is last:
                followed.document = again
            elif pids := [pid for pid, child in children.items() if child is last]:
                children.update(dict.fromkeys(pids, again))
            else:
                continue
            if followed.group is not None:
                followed.group.replace(last, again)

    def _find_followed(self, first: LiveDocument) -> _Followed:
        return next(followed for followed in self._followed if followed.document is first)

    def forget(self, document: Document) -> None:
        """A tab is closed: if it is that of a followed process, stop looking for its children."""
        self._seen.discard(document)
        for followed in self._followed[:]:
            if followed.document is document:
                self._leave(followed)
            elif followed.group is document:
                followed.group = None

    def _leave(self, followed: _Followed) -> None:
        """Stop looking for children, and keep nothing of the process: a capture may be large."""
        family = followed.family
        family.leave()
        family.joined.disconnect()
        family.looked.disconnect()
        self._followed.remove(followed)
        for each in self._left[:]:
            if each.has_ended:
                self._left.remove(each)
                each.deleteLater()
        self._left.append(family)

    def stop(self) -> None:
        """End every thread but those of tabs."""
        for followed in self._followed[:]:
            self._leave(followed)
        for family in self._left:
            family.wait()
        self._left.clear()

    def _on_page_shown(self, page: ProfilePage | None) -> None:
        document = self._documents.get(page) if page is not None else None
        if document is not None:
            self._seen.add(document)

    def _on_joined(self, followed: _Followed, row: ProcessRow) -> None:
        last = followed.children.get(row.pid)
        if last is not None:
            if last.status.is_attached:
                return  # it runs still: one list of processes had left it out
            self._end(followed, last)
        with self._windows.toward(self._find_window(followed.document)):
            if not followed.has_had_group:
                self._open_group(followed)
            self._add_child(followed, row.pid)

    def _add_child(self, followed: _Followed, pid: int) -> LiveDocument:
        rates = followed.document.status.rates  # as they are now
        target = replace(followed.target, pid=pid, rates=rates)
        child = self._actions.attach(target, parent=followed.document.title)
        followed.children[pid] = child
        if followed.group is not None:
            followed.group.add(child)
        return child

    def _find_window(self, document: Document) -> MainWindow | None:
        """Return the window with the document's tab; None = the tab is still being made."""
        pages = (page for page, each in self._documents.items() if each is document)
        page = next(pages, None)
        return self._windows.window_of(page) if page is not None else None

    def _open_group(self, followed: _Followed) -> GroupDocument:
        """Open the tab of the sum, before the tab of the first child."""
        followed.has_had_group = True
        group = followed.group = GroupDocument(followed.document, self._style(), self._windows)
        names = (group.title, f"process {followed.target.pid} and its children")
        self._actions.open_tab(group, names, partial(self._begin, group), is_behind=True)
        return group

    def _begin(self, group: GroupDocument, page: ProfilePage) -> None:
        group.title_changed.connect(lambda title: self._windows.set_page_title(page, title))
        self._windows.set_page_title(page, group.title)
        group.start()

    def _on_looked(self, followed: _Followed) -> None:
        """Close the tabs of children that have ended. A detached engine is no sign of that: it may
        leave long before, while the process still joins its threads."""
        for pid, child in list(followed.children.items()):
            if child.status.is_attached or is_running(pid):
                continue
            del followed.children[pid]
            self._end(followed, child)

    def _end(self, followed: _Followed, child: LiveDocument) -> None:
        if followed.group is not None:
            followed.group.end(child)
        pages = [page for page, document in self._documents.items() if document is child]
        for page in pages:
            if child not in self._seen:
                self._actions.close(page)
