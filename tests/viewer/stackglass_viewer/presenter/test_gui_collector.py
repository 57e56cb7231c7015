"""The garbage collector in strokes."""

from __future__ import annotations

import gc
import weakref

from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.gui_collector import Collector


class _Ring:
    def __init__(self) -> None:
        self.me = self


def test_python_collects_nothing_by_itself_and_strokes_do(qt: QApplication) -> None:
    collector = Collector()
    collector.start()
    try:
        assert not gc.isenabled()
        ring = weakref.ref(_Ring())
        assert ring() is not None
        collector.collect()
        assert ring() is None
    finally:
        collector.stop()
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_now_and_then_a_stroke_takes_what_is_old(qt: QApplication) -> None:
    collector = Collector()
    collector.start()
    try:
        made = _Ring()
        ring = weakref.ref(made)
        for _ in range(3):  # it grows old
            collector.collect()
        del made
        for _ in range(20):
            collector.collect()
        assert ring() is None
    finally:
        collector.stop()
