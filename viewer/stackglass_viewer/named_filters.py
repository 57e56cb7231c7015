"""Named sets of filters, saved from and applied to the tab in front; part of the composition
root."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from PySide6.QtCore import QSettings

from stackglass_viewer.model.chart.profile_stretches import THREAD_KEYS
from stackglass_viewer.model.profile.label_table import LabelFilter, LabelPattern
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.settings.filter_sets import FilterSet, FilterSets
from stackglass_viewer.presenter.settings.thread_choice import (
    ALL_THREADS,
    NamePattern,
    ThreadChoice,
)
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.dialogs.questions import ask_set_name
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows


class NamedFilters:
    """Saves filters by name and applies them again. GUI thread."""

    def __init__(
        self,
        windows: Windows,
        settings: QSettings,
        documents: Mapping[ProfilePage, Document],
    ) -> None:
        """``documents``: those of all tabs, by page."""
        self._windows = windows
        self._documents = documents
        self.sets = FilterSets(settings, windows)
        windows.on_each(self._connect_menu)

    def _connect_menu(self, window: MainWindow) -> None:
        self.sets.changed.connect(window.filters.show_sets)
        window.filters.show_sets(self.sets.names)
        window.filters.save_requested.connect(self._save)
        window.filters.set_chosen.connect(self._choose)
        window.filters.removal_requested.connect(self.sets.remove)

    def _find_document(self) -> Document | None:
        page = self._windows.page
        return self._documents.get(page) if page is not None else None

    def _save(self) -> None:
        document = self._find_document()
        filters = document.filters.current.portable if document is not None else FilterSet()
        if not filters.has_filters:
            text = "There are no filters to save: choose some in the menu of a frame."
            self._windows.show_notice(Notice("info", text))
            return
        name = ask_set_name(self._windows.active, self.sets.names)
        if name:
            self.sets.save(name, filters)

    def _choose(self, name: str) -> None:
        """Replace the filters in force; Undo brings them back."""
        document = self._find_document()
        if document is None:
            return
        if document.info is not None and not document.info.can_filter:
            self._windows.show_notice(Notice("info", "This profile has no stacks to filter."))
            return
        fitted = _fit(self.sets.find(name), document)
        if fitted.span is not None and document.info is not None and not document.info.has_times:
            text = f'"{name}" was applied without its span of time: this profile has no times.'
            self._windows.show_notice(Notice("info", text))
            fitted = fitted._replace(span=None)
        document.filters.choose(fitted)


def _fit(filters: FilterSet, document: Document) -> FilterSet:
    """Return the filters as the document can apply them.

    A filter on thread names is a ThreadChoice for a process, and a label pattern for a file.
    """
    named = filters.threads.named
    if isinstance(document, LiveDocument):
        patterns = [each for each in filters.labels if _is_of_threads(each)]
        if named is not None or len(patterns) != 1:
            return filters
        (label,) = patterns
        threads = ThreadChoice(named=NamePattern(label.pattern, label.is_excluded))
        return filters._replace(labels=filters.labels - {label}, threads=threads)
    if named is None:
        return filters
    label = LabelPattern(THREAD_KEYS[0], *named)
    return filters._replace(labels=filters.labels | {label}, threads=ALL_THREADS)


def _is_of_threads(label: LabelFilter) -> TypeGuard[LabelPattern]:
    return isinstance(label, LabelPattern) and label.key == THREAD_KEYS[0]
