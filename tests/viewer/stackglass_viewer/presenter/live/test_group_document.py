"""The tab of a group of processes."""

from __future__ import annotations

import os
from collections.abc import Callable

from PySide6.QtWidgets import QApplication

from harness.synthetic_engine import SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette

WaitUntil = Callable[[Callable[[], bool]], None]
PID = os.getpid()


def list_values(group: GroupDocument) -> list[str]:
    """Of the label ``process``, in the table of labels."""
    model = group.labelled
    labels = (model.label_at(row) for row in range(model.rowCount()))
    return [label[1] for label in labels if label is not None]


def test_a_child_has_the_name_of_its_tab(qt: QApplication, wait_until: WaitUntil) -> None:
    """Its name is known later than the process, and holds for all its samples."""
    style = GraphStyle("cost", choose_palette("module", False))
    engine = SyntheticEngine(PID)
    engine.send_hello()
    child = LiveDocument(make_target(PID), lambda _pid, _hz: engine, style, "10 s")
    group = GroupDocument("web.py 1", None, style)
    group.add(child)
    group.set_front(True)
    group.start()
    group.labels.show_table(True)
    group.labels.choose_key("process")
    child.start()
    engine.send_ready()
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: list_values(group) == [f"shop.py {PID}"])
    engine.process_name = "crawler-0"
    engine.send_status()
    wait_until(lambda: list_values(group) == [f"crawler-0 {PID}"])
    assert list_values(group) == [child.title]
    group.end(child)
    for document in (group, child):
        document.leave()
        document.wait()
        document.deleteLater()
