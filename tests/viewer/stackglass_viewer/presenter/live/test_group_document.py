"""The tab of a group of processes."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QApplication

from harness.synthetic_engine import SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.model.live.view import CPU
from stackglass_viewer.model.profile.label_table import LabelPattern
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette
from stackglass_viewer.presenter.settings.view_state import GroupStatus

WaitUntil = Callable[[Callable[[], bool]], None]
PID = os.getpid()


def list_values(group: GroupDocument) -> list[str]:
    """Of the label ``process``, in the table of labels."""
    model = group.labelled
    labels = (model.label_at(row) for row in range(model.rowCount()))
    return [label[1] for label in labels if label is not None]


def make_group() -> tuple[SyntheticEngine, LiveDocument, GroupDocument]:
    """Returns the engine of a child, the child's document, and a group without a member."""
    style = GraphStyle("cost", choose_palette("module", False))
    engine = SyntheticEngine(PID)
    engine.send_hello()
    child = LiveDocument(make_target(PID), lambda _pid, _hz: engine, style, "10 s")
    return engine, child, GroupDocument("web.py 1", None, style)


def test_a_child_has_the_name_of_its_tab(qt: QApplication, wait_until: WaitUntil) -> None:
    """Its name is known later than the process, and holds for all its samples."""
    engine, child, group = make_group()
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
    end(group, child)


def test_a_filter_for_a_child_follows_its_name(qt: QApplication, wait_until: WaitUntil) -> None:
    """In a paused tab only once it is resumed: what is held has the old name."""
    engine, child, group = make_group()
    group.add(child)
    group.set_front(True)
    group.start()
    child.start()
    engine.send_ready()
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: child.title == f"shop.py {PID}" and total_of(group) > 0)
    group._on_refresh()
    name = ("process", f"shop.py {PID}")
    group.labels.choose(frozenset({name}))
    group.pause(True)
    wait_until(lambda: not group.is_building and total_of(group) > 0)
    engine.process_name = "crawler-0"
    engine.send_status()
    wait_until(partial(has_title, child, f"crawler-0 {PID}"))
    group._on_refresh()
    assert group.labels.chosen == {name}
    group.pause(False)
    assert group.labels.chosen == {("process", f"crawler-0 {PID}")}
    wait_until(lambda: not group.is_building)
    assert total_of(group) > 0
    assert group.filters.undo()
    assert not group.labels.chosen
    assert group.filters.redo()
    assert group.labels.chosen == {("process", f"crawler-0 {PID}")}
    without = LabelPattern("process", exact_pattern(f"crawler-0 {PID}"), is_excluded=True)
    group.labels.choose(frozenset({without}))
    engine.process_name = "crawler-1"
    engine.send_status()
    wait_until(partial(has_title, child, f"crawler-1 {PID}"))
    group._on_refresh()
    (followed,) = group.labels.chosen
    assert followed == without._replace(pattern=exact_pattern(f"crawler-1 {PID}"))
    end(group, child)


def test_a_filter_chosen_by_an_old_name_follows_once_the_new_one_is_shown(
    qt: QApplication, wait_until: WaitUntil
) -> None:
    """The views have the old name while the group is built again."""
    engine, child, group = make_group()
    group.add(child)
    group.set_front(True)
    group.start()
    child.start()
    engine.send_ready()
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: child.title == f"shop.py {PID}" and total_of(group) > 0)
    group._refresh.stop()  # from here on the test refreshes
    group._on_refresh()
    wait_until(lambda: group.builds.is_settled)
    for old, new, is_paused in (("shop.py", "crawler-0", False), ("crawler-0", "crawler-1", True)):
        engine.process_name = new
        engine.send_status()
        wait_until(partial(has_title, child, f"{new} {PID}"))
        gate = threading.Event()
        group._worker.submit("gate", gate.wait, lambda _: None)
        group._on_refresh()
        assert group.is_building
        group.labels.choose(frozenset({("process", f"{old} {PID}")}))
        group.pause(is_paused)
        gate.set()
        wait_until(lambda: group.builds.is_settled)
        if is_paused:  # what is held has the old name
            assert group.labels.chosen == {("process", f"{old} {PID}")}
            assert total_of(group) > 0
            group.pause(False)
        assert group.labels.chosen == {("process", f"{new} {PID}")}
        wait_until(lambda: group.builds.is_settled)
        assert total_of(group) > 0
        group.labels.choose(frozenset())
        wait_until(lambda: group.builds.is_settled)
    end(group, child)


def end(*documents: Document) -> None:
    for document in documents:
        document.leave()
        document.wait()
        document.deleteLater()


def test_a_pause_holds_the_views(qt: QApplication, wait_until: WaitUntil) -> None:
    """Until it is resumed: also a view that is built meanwhile, after another choice."""
    engine, child, group = make_group()
    seen: list[GroupStatus] = []
    group.status_changed.connect(seen.append)
    group.set_front(True)
    group.start()
    group.add(child)
    child.start()
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: total_of(group) > 0)
    wait_until(lambda: seen[-1:] == [GroupStatus(1, 1)])  # reported with the next refresh

    group.pause(True)
    assert seen[-1] == GroupStatus(1, 1, is_paused=True)
    wait_until(lambda: not group.is_building)
    held = total_of(group)
    n_before = sum_cpu(child)
    engine.send_samples()
    engine.process_name = "crawler-0"
    engine.send_status()
    wait_until(partial(has_more, child, n_before))
    wait_until(partial(has_title, child, f"crawler-0 {PID}"))
    group.set_front(True)  # takes the child's new name, too
    scene = group.scene
    group.choose_style(GraphStyle("name", choose_palette("module", False)))
    wait_until(lambda: group.scene is not scene)
    assert total_of(group) == held

    group.pause(False)
    wait_until(lambda: total_of(group) > held)
    group.pause(True)
    group.end(child)  # a process that ends meanwhile is not kept for the time of the pause
    left = weakref.ref(child.live)
    end(child)
    del child
    wait_until(lambda: gc.collect() >= 0 and left() is None)
    assert total_of(group) > held
    group.set_front(True)
    assert seen[-1] == GroupStatus(1, 0, is_paused=True)
    end(group)


def sum_cpu(child: LiveDocument) -> int:
    return int(child.live.snapshot(None, None, CPU).values.total[0])


def has_more(child: LiveDocument, cpu_ns: int) -> bool:
    return sum_cpu(child) > cpu_ns


def has_title(child: LiveDocument, title: str) -> bool:
    return child.title == title


def total_of(group: GroupDocument) -> int:
    return group.scene.total if group.scene is not None else 0
