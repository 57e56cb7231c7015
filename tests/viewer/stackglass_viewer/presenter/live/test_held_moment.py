"""A pause holds the views of a process's tab, and changes nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication

from harness.contention_talk import MAIN, TAKER, ContentionTalk
from harness.contention_talk import S as SECOND_NS
from harness.live_source import build
from harness.synthetic_engine import MAIN_TID, SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.source import LIVE_TYPES
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    find_contention_type,
)

WaitUntil = Callable[[Callable[[], bool]], None]
PID = os.getpid()
BLOCK = TypeId(find_contention_type(LIVE_TYPES, ContentionChoice()))


@pytest.fixture
def busy(qt: QApplication, wait_until: WaitUntil) -> Iterator[LiveDocument]:
    engine = SyntheticEngine(PID)
    engine.send_hello()
    style = GraphStyle("cost", choose_palette("module", False))
    made = LiveDocument(make_target(PID), lambda _pid, _hz: engine, style, "10 s")
    made.start()
    engine.send_ready()
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: made.scene is not None and made.scene.total > 0)
    yield made
    made.leave()
    made.wait()
    made.deleteLater()


def test_a_pause_does_not_filter_allocations_by_thread(
    busy: LiveDocument, wait_until: WaitUntil
) -> None:
    """The heap is of all threads, but for a span of the timeline, and its bar says so."""
    states: list[HeapBarState | None] = []
    busy.bars.heap_changed.connect(states.append)
    busy.threads.choose(frozenset((MAIN_TID,)))
    busy.heap.choose_measure(is_in_use=False, is_space=True)
    wait_until(lambda: states != [])
    assert states[-1] is not None
    assert (states[-1].live_text, states[-1].has_threads) == ("Live now", False)
    busy.pause(True)
    wait_until(lambda: busy._request().window is not None)
    assert busy._request().tids is None
    assert busy.saveable.plan.tids is None
    wait_until(lambda: states[-1] is not None and states[-1].live_text == "At the pause")
    busy.timeline.markers.choose_span(0, 10)
    assert busy._request().tids == busy.saveable.plan.tids == {MAIN_TID}
    busy.timeline.markers.choose_mode("now")
    busy.pause(False)
    wait_until(lambda: states[-1] is not None and states[-1].live_text == "Live now")


def test_waits_over_time_end_at_a_pause() -> None:
    talk = ContentionTalk()
    talk.define((0, 1, TAKER, 0))
    talk.events((0, MAIN, 5.0, 1, SECOND_NS))
    talk.sums(10, (0, 1, SECOND_NS, SECOND_NS))
    paused = build(talk.live, BLOCK, waits_grouping="stacks", times_until=300)
    assert paused.contention is not None
    waiting = paused.contention.waiting
    assert waiting is not None
    assert (waiting.end_s, waiting.values.tolist()) == (3, [0.0, 0.0, 0.0])
