"""Bars of a capture's heap and contention: what is chosen, and how it is recorded."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.contention.snapshot import ContentionOffer
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.presenter.live.texts import name_latest
from stackglass_viewer.presenter.saving.unsaved_changes import Unsaved
from stackglass_viewer.presenter.settings.contention_choices import ContentionChoices
from stackglass_viewer.presenter.settings.contention_texts import (
    ContentionBarState,
    describe_contention_bar,
)
from stackglass_viewer.presenter.settings.heap_choices import HeapChoices
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState, describe_heap_bar
from stackglass_viewer.presenter.settings.sample_choice import SampleChoice
from stackglass_viewer.presenter.settings.view_state import LiveStatus

_NO_FIGURES = ("", "")  # text and tool tip


class Bars(QObject):
    """States of the two bars. GUI thread.

    A state follows the user's choice, even before its view is built: otherwise a refresh would
    make the choice jump back.
    """

    heap_changed = Signal(object)  # HeapBarState; None = the tab shows another profile
    contention_changed = Signal(object)  # ContentionBarState; None = it shows another profile

    def __init__(
        self,
        heap: HeapChoices,
        contention: ContentionChoices,
        unsaved: Unsaved,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._heap = heap
        self._contention = contention
        self._unsaved = unsaved
        self._heap_state: HeapBarState | None = None
        self._figures = _NO_FIGURES  # of the heap bar, as last shown without a pause
        self._contention_state: ContentionBarState | None = None

    def show(
        self,
        shown: SampleChoice | None,
        status: LiveStatus,
        offer: ContentionOffer | None,
        window: HeapWindow | None,
        is_paused: bool = False,
    ) -> None:
        """Emit the states that have changed. ``shown``: the sample type; None = nothing built.
        ``window``: of the timeline's markers."""
        self._show_heap(shown, status, window, is_paused)
        state = None
        if shown is not None and shown.contention is not None:
            self._unsaved.see_contention()
            if offer is not None:
                choices = self._contention
                state = describe_contention_bar(choices.value, choices.wanted, offer, status)
        if state != self._contention_state:
            self._contention_state = state
            self.contention_changed.emit(state)

    def _show_heap(
        self,
        shown: SampleChoice | None,
        status: LiveStatus,
        window: HeapWindow | None,
        is_paused: bool,
    ) -> None:
        state = None
        if shown is not None and shown.heap is not None:
            self._unsaved.see_heap()
            state = describe_heap_bar(self._heap.value, self._heap.when, status, window)
            if is_paused:
                state = self._hold(state, status, has_window=window is not None)
        if not is_paused:
            self._figures = (state.figures, state.figures_about) if state else _NO_FIGURES
        if state != self._heap_state:
            self._heap_state = state
            self.heap_changed.emit(state)

    def _hold(self, state: HeapBarState, status: LiveStatus, has_window: bool) -> HeapBarState:
        """Return the state of a paused tab: resident memory stays as it was at the pause, and is
        left out if the bar did not show it then."""
        if state.figures:
            figures, about = self._figures
            state = replace(state, figures=figures, figures_about=about)
        if has_window:
            return state
        return replace(state, live_text=name_latest(status, is_paused=True)[0])
