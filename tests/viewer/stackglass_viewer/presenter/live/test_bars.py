"""Bars of a capture: what they show while the tab is paused."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QApplication

from stackglass.wire.rates import Rates
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.presenter.live.bars import Bars
from stackglass_viewer.presenter.live.source import LIVE_TYPES
from stackglass_viewer.presenter.saving.unsaved_changes import Unsaved
from stackglass_viewer.presenter.settings.contention_choices import ContentionChoices
from stackglass_viewer.presenter.settings.heap_choices import HeapChoices
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    arrange,
    find_heap_type,
)
from stackglass_viewer.presenter.settings.view_state import HeapFigures, LiveStatus

MIB = 1 << 20
CPU = arrange(LIVE_TYPES, 0)
HEAP = arrange(LIVE_TYPES, find_heap_type(LIVE_TYPES, HeapChoice()))


def say_status(rss_mib: int) -> LiveStatus:
    figures = HeapFigures(
        n_samples=9,
        samples_hz=12.4,
        n_lost=0,
        accounted_bytes=30 * MIB,
        rss_bytes=rss_mib * MIB,
        attach_rss_bytes=60 * MIB,
        unaccounted_bytes=0,
        n_native_libraries=0,
        n_allocators=1,
        arenas=(),
        native_problem="",
        full_age_ns=None,
        is_listening_to_gc=True,
        n_unnamed=0,
        problem="",
    )
    return LiveStatus("running", 7, rates=Rates(heap_rate=512 * 1024), heap=figures)


def test_resident_memory_stays_at_the_pause(qt: QApplication) -> None:
    bars = Bars(HeapChoices(HeapChoice()), ContentionChoices(ContentionChoice()), Unsaved())
    shown: list[HeapBarState] = []
    bars.heap_changed.connect(shown.append)
    bars.show(HEAP, say_status(100), None, None)
    bars.show(HEAP, say_status(200), None, None, is_paused=True)
    assert "100 MiB" in shown[-1].figures
    assert shown[-1].live_text == "At the pause"
    growth = HeapWindow("growth", 100, None)
    bars.show(HEAP, say_status(300), None, growth, is_paused=True)
    assert "100 MiB" in shown[-1].figures
    bars.show(HEAP, say_status(300), None, None)
    assert "300 MiB" in shown[-1].figures


def test_another_choice_of_a_paused_tab_keeps_its_resident_memory(qt: QApplication) -> None:
    """The bar has none for CPU time, and for an earlier moment."""
    bars = Bars(HeapChoices(HeapChoice()), ContentionChoices(ContentionChoice()), Unsaved())
    figures: list[str] = []
    bars.heap_changed.connect(lambda state: figures.append(state.figures if state else "no bar"))
    bars.show(HEAP, say_status(100), None, None)
    bars.show(CPU, say_status(200), None, None, is_paused=True)
    bars.show(HEAP, say_status(200), None, None, is_paused=True)
    assert figures[1] == "no bar"
    assert "100 MiB" in figures[2]
    bars.show(HEAP, say_status(200), None, HeapWindow("replay", 100, 200), is_paused=True)
    bars.show(HEAP, say_status(200), None, None, is_paused=True)
    assert figures[3] == ""
    assert figures[4] == figures[2]
    bars.show(CPU, say_status(300), None, None)
    bars.show(HEAP, say_status(400), None, None, is_paused=True)
    assert figures[5:] == ["no bar", ""]


def test_a_bar_that_is_opened_later_has_no_resident_memory(qt: QApplication) -> None:
    bars = Bars(HeapChoices(HeapChoice()), ContentionChoices(ContentionChoice()), Unsaved())
    shown: list[HeapBarState] = []
    bars.heap_changed.connect(shown.append)
    bars.show(HEAP, replace(say_status(200)), None, None, is_paused=True)
    assert shown[-1].figures == ""
