"""Tabs of the children of attached processes; part of the composition root.

::

    tab of a process ─▶ Family: a child has come ─┬─▶ a tab of the child, in the background
                                                  └─▶ a tab of all of them together

When a child ends, its tab is closed unless the user has looked at it: a server that replaces its
workers for days would fill the window. The child's samples stay in the tab of all. When the
process itself ends, new children of its children are still attached to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from stackglass_viewer.model.units import make_sentence
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.attaching import find_python_processes
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.family import Family
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.live.target_process import is_running
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.view_state import Notice, ProcessRow
from stackglass_viewer.remotes import OpenTab
from stackglass_viewer.view.capture.group_bar import GroupBar
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows

_NOTICE = "family"  # source of the notice that listing processes failed


class AttachBehind(Protocol):
    """Attaches to a process in a new tab, behind the others; ``parent``: title of the tab of the
    process's ancestor."""

    def __call__(self, target: Target, *, parent: str) -> LiveDocument: ...


@dataclass(frozen=True, slots=True)
class TabActions:
    """Actions of ``Pages`` on tabs. They leave the tab in front where it is."""

    attach: AttachBehind
    open_tab: OpenTab
    close: Callable[[ProfilePage], None]  # asks nothing


@dataclass(slots=True, eq=False)
class Followed:
    """A process whose children are attached to."""

    target: Target
    name: str  # the title of its tab, if it has none now
    document: LiveDocument | None  # None = it ended in an earlier run, which its children survived
    family: Family
    group: GroupDocument | None = None  # the sum, from the first child until its tab is closed
    has_had_group: bool = False
    children: dict[int, LiveDocument] = field(default_factory=dict)  # running children, by PID
    has_ended: bool = False  # whether the process has
    problem: str = ""  # why the last listing of processes failed; "" = it did not

    @property
    def title(self) -> str:
        """``server.py 4711``."""
        return self.document.title if self.document is not None else self.name

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents of the family, that of the process first."""
        documents = (self.document, self.group, *self.children.values())
        return tuple(each for each in documents if each is not None)

    @property
    def roots(self) -> frozenset[int]:
        """PIDs of the running processes whose children are attached to."""
        first = () if self.has_ended else (self.target.pid,)
        return frozenset((*first, *self.children))

    def find_attached(self) -> LiveDocument | None:
        """Return the document of an attached process, the followed one first; None = there is
        none."""
        documents = (self.document, *self.children.values())
        attached = (each for each in documents if each is not None and each.status.is_attached)
        return next(attached, None)


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
        self._followed: list[Followed] = []
        self._left: list[Family] = []  # of closed tabs; their threads may still list processes
        self._seen: set[Document] = set()  # documents whose tab was in front of its window
        windows.current_changed.connect(self._on_page_shown)

    def follow(self, target: Target, document: LiveDocument) -> None:
        """Attach to every child that the process has or gets, until the tab is closed."""
        self._follow(target, document.title, document)

    def follow_survivors(self, target: Target, name: str) -> Followed:
        """Return a family whose first process ended in the last run, until its tabs are closed.
        ``target``: that process, and what to record of its children; ``name``: its title."""
        followed = self._follow(target, name, None)
        followed.has_ended = True
        return followed

    def _follow(self, target: Target, name: str, document: LiveDocument | None) -> Followed:
        family = Family(target.pid, find_python_processes, self._windows)
        followed = Followed(target, name, document, family)
        self._followed.append(followed)
        family.joined.connect(partial(self._on_joined, followed))
        family.looked.connect(partial(self._on_looked, followed))
        family.failed.connect(partial(_report_failure, followed))
        family.start()
        return followed

    def is_followed(self, document: Document) -> bool:
        """Whether new children of the document's process are attached to."""
        return any(followed.document is document for followed in self._followed)

    def find(self, document: Document) -> Followed | None:
        """Return the followed process that has ``document`` in its family; None = no process has.
        The first process comes first: it may be the child of another one."""
        for followed in self._followed:
            if followed.document is document:
                return followed
        for followed in self._followed:
            members = (followed.group, *followed.children.values())
            if any(each is document for each in members):
                return followed
        return None

    def reopen_group(self, followed: Followed) -> GroupDocument:
        """Open the tab of all processes of a family before any child is known."""
        return self._open_group(followed)

    def rejoin(self, followed: Followed, pid: int) -> LiveDocument:
        """Attach at once to a child that was attached to in the last run. The tab of all
        processes is not opened: it was reopened before, or the user had closed it."""
        followed.has_had_group = True
        return self._add_child(followed, pid)

    def replace_document(self, last: LiveDocument, again: LiveDocument) -> None:
        """Replace ``last`` by ``again``, the document of a second attach to the same process."""
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

    def forget(self, document: Document) -> None:
        """Forget a closed tab; if its process is followed, stop looking for its children."""
        self._seen.discard(document)
        for followed in self._followed[:]:
            if followed.document is document:
                self._leave(followed)
            elif followed.group is document:
                followed.group = None
            if followed.document is None and not self._has_tabs(followed, document):
                self._leave(followed)

    def _has_tabs(self, followed: Followed, closed: Document) -> bool:
        """Whether the family has another tab than that of ``closed``."""
        tabs = set(self._documents.values()) - {closed}
        return any(each in tabs for each in (followed.group, *followed.children.values()))

    def _leave(self, followed: Followed) -> None:
        """Stop looking for children, and keep nothing of the process: a capture may be large. Does
        nothing the second time: the last tab of a family may be closed while its end is noticed."""
        if followed not in self._followed:
            return
        family = followed.family
        family.leave()
        family.joined.disconnect()
        family.looked.disconnect()
        family.failed.disconnect()
        self._followed.remove(followed)
        for each in self._left[:]:
            if each.has_ended:
                self._left.remove(each)
                each.deleteLater()
        self._left.append(family)

    def stop(self) -> None:
        """Stop following all processes, and end the threads that list processes."""
        for followed in self._followed[:]:
            self._leave(followed)
        for family in self._left:
            family.wait()
        self._left.clear()

    def _on_page_shown(self, page: ProfilePage | None) -> None:
        document = self._documents.get(page) if page is not None else None
        if document is not None:
            self._seen.add(document)

    def _on_joined(self, followed: Followed, row: ProcessRow) -> None:
        last = followed.children.get(row.pid)
        if last is not None:
            if last.status.is_attached:
                return  # it still runs: a list of processes had left it out
            self._end(followed, last)
        with self._windows.toward(self._find_window(followed)):
            if not followed.has_had_group:
                self._open_group(followed)
            self._add_child(followed, row.pid)

    def _add_child(self, followed: Followed, pid: int) -> LiveDocument:
        first = followed.document
        rates = followed.target.rates if first is None else first.status.rates  # as they are now
        target = replace(followed.target, pid=pid, rates=rates)
        child = self._actions.attach(target, parent=followed.title)
        followed.children[pid] = child
        if followed.group is not None:
            followed.group.add(child)
        return child

    def _find_window(self, followed: Followed) -> MainWindow | None:
        """Return the window with the first tab of the family; None = it is still being made."""
        first = next(iter(followed.documents), None)
        pages = (page for page, each in self._documents.items() if each is first)
        page = next(pages, None)
        return self._windows.window_of(page) if page is not None else None

    def _open_group(self, followed: Followed) -> GroupDocument:
        """Open the tab of the sum, before the tab of the first child."""
        followed.has_had_group = True
        group = followed.group = GroupDocument(
            followed.title, followed.document, self._style(), self._windows
        )
        names = (group.title, f"process {followed.target.pid} and its children")
        self._actions.open_tab(group, names, partial(self._begin, group), is_behind=True)
        return group

    def _begin(self, group: GroupDocument, page: ProfilePage) -> None:
        bar = page.add_bar(GroupBar)
        bar.pause_toggled.connect(group.pause)
        bar.save_requested.connect(self._windows.save_requested)
        group.status_changed.connect(bar.show_status)
        group.title_changed.connect(lambda title: self._windows.set_page_title(page, title))
        self._windows.set_page_title(page, group.title)
        group.start()

    def _on_looked(self, followed: Followed) -> None:
        """Close the tabs of children that have ended, and stop looking once all processes have."""
        _withdraw_failure(followed)
        first = followed.document
        if first is not None and _has_ended(first, followed.target.pid):
            followed.has_ended = True
        for pid, child in list(followed.children.items()):
            if _has_ended(child, pid):
                del followed.children[pid]
                self._end(followed, child)
        if followed.roots:
            followed.family.set_roots(followed.roots)
        else:
            self._leave(followed)

    def _end(self, followed: Followed, child: LiveDocument) -> None:
        if followed.group is not None:
            followed.group.end(child)
        pages = [page for page, document in self._documents.items() if document is child]
        for page in pages:
            if child not in self._seen:
                self._actions.close(page)


def _report_failure(followed: Followed, why: str) -> None:
    """Say in the family's first tab that new children are not found. Each listing fails, so say it
    once: the user may close the message."""
    if why == followed.problem:
        return
    followed.problem = why
    for document in followed.documents[:1]:
        document.notices.put(
            _NOTICE,
            Notice(
                "warning",
                f"New child processes cannot be found: {make_sentence(why)} Stackglass keeps "
                "trying. Children that are attached already stay attached.",
            ),
        )


def _withdraw_failure(followed: Followed) -> None:
    if followed.problem:
        followed.problem = ""
        for document in followed.documents:
            document.notices.put(_NOTICE, None)


def _has_ended(document: LiveDocument, pid: int) -> bool:
    """Whether a process has ended. One whose engine is detached may still run: the engine detaches
    before the process joins its threads."""
    return not document.status.is_attached and not is_running(pid)
